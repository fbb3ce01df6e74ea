import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

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
  const { selectionSet } = operation;
  return { ...operation, selectionSet: flatOf(schema, fragments, selectionSet, root) };
}

function flatOf(
  schema: GraphQLSchema,
  fragments: Fragments,
  set: SelectionSetNode,
  type: GraphQLCompositeType,
): SelectionSetNode {
  const fieldsOf = (object: GraphQLObjectType) =>
    [...spreadFields(schema, fragments, set, object, new Set())].map((node) => {
      const field = object.getFields()[node.name.value];
      const below = field && getNamedType(field.type);
      if (!node.selectionSet || !isCompositeType(below)) return { ...node };
      return { ...node, selectionSet: flatOf(schema, fragments, node.selectionSet, below) };
    });
  if (isObjectType(type)) return { ...set, selections: fieldsOf(type) };
  const selections = schema.getPossibleTypes(type).map((object) => {
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

/** The fields that are selected of an object of `type`; a fragment that is spread again has them already. */
function* spreadFields(
  schema: GraphQLSchema,
  fragments: Fragments,
  { selections }: SelectionSetNode,
  type: GraphQLObjectType,
  spread: Set<string>,
): Generator<FieldNode> {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) {
      yield node;
      continue;
    }
    const name = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : undefined;
    if (name !== undefined && spread.has(name)) continue;
    if (name !== undefined) spread.add(name);
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
    const condition = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value);
    const applies =
      !condition ||
      condition === type ||
      (isAbstractType(condition) && schema.isSubType(condition, type));
    if (fragment && applies) {
      yield* spreadFields(schema, fragments, fragment.selectionSet, type, spread);
    }
  }
}
