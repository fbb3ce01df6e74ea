import { type GraphQLResolveInfo, Kind, type SelectionNode } from "graphql";
import type { GraphqlContext } from "./builder.js";
import { isIncluded } from "./inclusion.js";

/** The fields that show secrets; no others have these names. */
const NAMES: ReadonlySet<string> = new Set(["secret", "clientSecret"]);

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
    if (node.kind === Kind.FIELD && NAMES.has(node.name.value)) return true;
    if (node.kind !== Kind.FRAGMENT_SPREAD) {
      return selectsSecret(info, node.selectionSet?.selections ?? [], spread);
    }
    const name = node.name.value;
    if (spread.has(name)) return false;
    spread.add(name);
    return selectsSecret(info, info.fragments[name]?.selectionSet.selections ?? [], spread);
  });
}
