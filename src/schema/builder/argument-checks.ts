import type { GraphQLField } from "graphql";

// The rules of a field's arguments, for those who look at arguments without running the resolver.

/** Checks arguments as the resolver does. Throws INVALID_REQUEST with every problem. */
export type Check = (args: object) => unknown;

const CHECK = "checkArguments";

/**
 * The extensions of a field whose resolver checks its arguments with `check`. Elsewhere it is also given arguments of
 * which some do not fit their types: then an object without fields stands in their place.
 */
export function checkedBy(check: (args: never) => unknown) {
  return { [CHECK]: check };
}

/** All checks of the arguments of a field: what its resolver calls, and the rules that stand at its arguments. */
export function checksOf({ extensions }: GraphQLField<unknown, unknown>): Check[] {
  const own = extensions[CHECK] as Check | undefined;
  const rules = extensions.pothosArgMappers as readonly Check[] | undefined;
  return [...(rules ?? []), ...(own ? [own] : [])];
}
