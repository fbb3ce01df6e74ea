import {
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionSetNode,
} from "graphql";
import { isIncluded } from "./inclusion.js";

// What an operation selects of objects of one type.

export type Variables = Readonly<Record<string, unknown>>;
export type SelectionSets = Set<SelectionSetNode>;

/** An operation, as far as what is read for a selection depends on it. */
export interface Operation {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variables: Variables;
}

export function selectionSetsOf(nodes: readonly FieldNode[]): SelectionSets {
  return new Set(nodes.flatMap(({ selectionSet }) => selectionSet ?? []));
}

export interface SelectedField {
  readonly node: FieldNode;
  readonly definition: GraphQLField<unknown, unknown>;
}

/** The fields that are selected of an object of `type`, in fragments too, each of which is looked into once. */
export function* selectedFields(
  operation: Operation,
  type: GraphQLObjectType,
  sets: Iterable<SelectionSetNode>,
  spread = new Set<string>(),
): Generator<SelectedField> {
  for (const { selections } of sets) {
    for (const node of selections) {
      if (!isIncluded(node, operation.variables)) continue;
      if (node.kind === Kind.FIELD) {
        const definition = type.getFields()[node.name.value];
        if (definition) yield { node, definition };
        continue;
      }
      const fragment = fragmentOf(operation, node, spread);
      if (!fragment || !applies(operation, fragment.typeCondition?.name.value, type)) continue;
      yield* selectedFields(operation, type, [fragment.selectionSet], spread);
    }
  }
}

/** What a spread stands for; nothing for one that was met before. */
export function fragmentOf(
  { fragments }: Operation,
  node: FragmentSpreadNode | InlineFragmentNode,
  spread: Set<string>,
): FragmentDefinitionNode | InlineFragmentNode | undefined {
  if (node.kind === Kind.INLINE_FRAGMENT) return node;
  const name = node.name.value;
  if (spread.has(name)) return undefined;
  spread.add(name);
  return fragments[name];
}

function applies({ schema }: Operation, condition: string | undefined, type: GraphQLObjectType) {
  if (condition === undefined || condition === type.name) return true;
  const wanted = schema.getType(condition);
  return isAbstractType(wanted) && schema.isSubType(wanted, type);
}
