import type { GraphQLField } from "graphql";
import type { Nested } from "../../domain/lists/sequences.js";
import type { ListArguments } from "../builder/list-requests.js";

// What is read for a field of a resource is said where the field is defined, and looked up when an operation is
// planned. A field that says nothing reads the member of its own name.

export type FieldReads =
  /** These members of the resource. */
  | { readonly members: readonly string[] }
  /** The resources to which a member of the resource refers. */
  | { readonly target: string }
  /** On an object inside a resource: what the member refers to that it stands for. */
  | { readonly target: null }
  /** A page of the resources that refer to the resource. */
  | { readonly list: Nested }
  /** On an object inside a resource: a secret. */
  | { readonly secret: true };

const READS = "reads";

/** The extensions of a field that is read so. */
export function reads(what: FieldReads) {
  return { [READS]: what };
}

/** Points of a secret: it is opened. */
const SECRET_COST = 1;

/** The options of a field that shows a secret. A secret is read only when such a field is selected. */
export const secretField = { extensions: { ...reads({ secret: true }), cost: SECRET_COST } };

export function readsOf({ extensions }: GraphQLField<unknown, unknown>): FieldReads | undefined {
  return extensions[READS] as FieldReads | undefined;
}

export function showsSecret(field: GraphQLField<unknown, unknown>): boolean {
  const what = readsOf(field);
  return what !== undefined && "secret" in what;
}

/** The key under which an owner has the page of a list for these arguments. */
export function listKey(field: string, args: ListArguments): string {
  const { first, after, last, before, filter, orderBy } = args;
  return `${field} ${JSON.stringify([first, after, last, before, filter, orderBy])}`;
}
