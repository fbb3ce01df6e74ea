import {
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type SelectionNode,
} from "graphql";
import type { GraphqlContext } from "../builder/builder.js";
import { showsSecret } from "./field-reads.js";
import { fragmentOf } from "./fragments.js";
import { isIncluded } from "./inclusion.js";

const NAMES = new WeakMap<GraphQLSchema, ReadonlySet<string>>();

/** The names of the fields that show secrets, which say so themselves. */
function secretNames(schema: GraphQLSchema): ReadonlySet<string> {
  const known = NAMES.get(schema);
  if (known) return known;
  const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) ? Object.values(type.getFields()) : [],
  );
  const names = new Set(fields.filter(showsSecret).map(({ name }) => name));
  NAMES.set(schema, names);
  return names;
}

/**
 * The context for what a field reads as a whole: where no secret is selected below it, as of a key that may only read,
 * so that none is read.
 */
export function contextForSelected(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
): GraphqlContext {
  if (selectsSecret(info, info.fieldNodes)) return context;
  return { ...context, actor: { ...context.actor, scope: "read" } };
}

function selectsSecret(
  info: GraphQLResolveInfo,
  nodes: readonly SelectionNode[],
  spread = new Set<string>(),
): boolean {
  return nodes.some((node) => {
    if (!isIncluded(node, info.variableValues)) return false;
    if (node.kind === Kind.FIELD && secretNames(info.schema).has(node.name.value)) return true;
    const below = node.kind === Kind.FIELD ? node : fragmentOf(info.fragments, node, spread);
    return selectsSecret(info, below?.selectionSet?.selections ?? [], spread);
  });
}
