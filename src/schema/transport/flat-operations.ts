import {
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import type { Fragments } from "../reads/fragments.js";
import { type Operation, selectedNodes } from "../reads/selected-fields.js";

/**
 * The same operation without fragments: where they were spread stand their fields, in the order in which the
 * specification has them in the answer. What selects of an interface is said once for each of its types. For operations
 * without `@skip` and `@include`, whose size with all that is spread was checked before.
 */
export function flatOperation(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
): OperationDefinitionNode {
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`The schema has no ${operation.operation}.`);
  const whole = { schema, fragments, variables: {} };
  return { ...operation, selectionSet: flatOf(whole, operation.selectionSet, root) };
}

function flatOf(
  operation: Operation,
  set: SelectionSetNode,
  type: GraphQLCompositeType,
): SelectionSetNode {
  const fieldsOf = (object: GraphQLObjectType) =>
    [...selectedNodes(operation, object, [set])].map((node) => {
      const field = object.getFields()[node.name.value];
      const below = field && getNamedType(field.type);
      if (!node.selectionSet || !isCompositeType(below)) return { ...node };
      return { ...node, selectionSet: flatOf(operation, node.selectionSet, below) };
    });
  if (isObjectType(type)) return { ...set, selections: fieldsOf(type) };
  const selections = operation.schema.getPossibleTypes(type).map((object) => {
    const name = { kind: Kind.NAME, value: object.name } as const;
    const typeCondition = { kind: Kind.NAMED_TYPE, name } as const;
    const selectionSet = { ...set, selections: fieldsOf(object) };
    return { kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet } as const;
  });
  return {
    ...set,
    selections: selections.filter((each) => each.selectionSet.selections.length > 0),
  };
}
