import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type SelectionSetNode,
} from "graphql";
import { type Fragments, fragmentOf } from "./fragments.js";
import { isIncluded } from "./inclusion.js";

// The selection of an operation on objects of one type.

export type Variables = Readonly<Record<string, unknown>>;
export type SelectionSets = Set<SelectionSetNode>;

/** An operation, as far as what is read for a selection depends on it. */
export interface Operation {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly variables: Variables;
}

export function selectionSetsOf(nodes: readonly FieldNode[]): SelectionSets {
  return new Set(nodes.flatMap(({ selectionSet }) => selectionSet ?? []));
}

export interface SelectedField {
  readonly node: FieldNode;
  readonly definition: GraphQLField<unknown, unknown>;
}

/** The fields that are selected of an object of `type`, as far as its type has them. */
export function* selectedFields(
  operation: Operation,
  type: GraphQLObjectType,
  sets: Iterable<SelectionSetNode>,
): Generator<SelectedField> {
  const definitions = type.getFields();
  for (const node of selectedNodes(operation, type, sets)) {
    const definition = definitions[node.name.value];
    if (definition) yield { node, definition };
  }
}

/** What is selected of an object of `type`, in fragments too, each of which is looked into once. */
export function* selectedNodes(
  operation: Operation,
  type: GraphQLObjectType,
  sets: Iterable<SelectionSetNode>,
  spread = new Set<string>(),
): Generator<FieldNode> {
  for (const { selections } of sets) {
    for (const node of selections) {
      if (!isIncluded(node, operation.variables)) continue;
      if (node.kind === Kind.FIELD) {
        yield node;
        continue;
      }
      const fragment = fragmentOf(operation.fragments, node, spread);
      if (!fragment || !applies(operation, fragment.typeCondition?.name.value, type)) continue;
      yield* selectedNodes(operation, type, [fragment.selectionSet], spread);
    }
  }
}

function applies({ schema }: Operation, condition: string | undefined, type: GraphQLObjectType) {
  if (condition === undefined || condition === type.name) return true;
  const wanted = schema.getType(condition);
  return isAbstractType(wanted) && schema.isSubType(wanted, type);
}
