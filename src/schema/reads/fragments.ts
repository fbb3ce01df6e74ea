import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  Kind,
} from "graphql";

/** Fragments by their names, as resolvers are given them. */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The fragments of a valid document. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  return Object.fromEntries(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION
        ? [[definition.name.value, definition] as const]
        : [],
    ),
  );
}

/** What a spread stands for; nothing for one that was met before, which `spread` has. */
export function fragmentOf(
  fragments: Fragments,
  node: FragmentSpreadNode | InlineFragmentNode,
  spread: Set<string>,
): FragmentDefinitionNode | InlineFragmentNode | undefined {
  if (node.kind === Kind.INLINE_FRAGMENT) return node;
  const name = node.name.value;
  if (spread.has(name)) return undefined;
  spread.add(name);
  return fragments[name];
}
