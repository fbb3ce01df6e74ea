import {
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  type SelectionNode,
} from "graphql";

/** Whether `@skip` and `@include` leave the selection in. */
export function isIncluded(
  node: SelectionNode,
  variables: Readonly<Record<string, unknown>>,
): boolean {
  if (!node.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variables);
  return skip?.if !== true && include?.if !== false;
}
