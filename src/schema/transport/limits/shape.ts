import { type DocumentNode, Kind, type SelectionNode, type SelectionSetNode, visit } from "graphql";
import { MAX_DEPTH } from "../../../domain/core/depth.js";
import type { Issue } from "../../../domain/core/errors.js";
import type { GraphqlSettings } from "./settings.js";

/** The size of an operation, with its fragments in place of their spreads. */
export interface Shape {
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** Whether a fragment spreads itself, directly or through others. */
  readonly cyclic: boolean;
}

const NOTHING: Shape = { depth: 0, aliases: 0, rootFields: 0, cyclic: false };
/** The maximum depth that is measured; every limit is below it. */
const DEEPEST = 200;

/**
 * The largest of each measure over all operations of a document. Each fragment is measured once, so the time is
 * linear in the document even where its fragments double each other; it needs neither a schema nor variables,
 * and the document need not be valid.
 *
 * Our own, since the plugins for this measure depth and aliases in two walks, have no count of root fields, run
 * among the rules that such documents make slow, and refuse with texts and without codes of ours.
 */
export function shapeOf(document: DocumentNode): Shape {
  const fragments = new Map<string, SelectionSetNode>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    fragments.set(definition.name.value, definition.selectionSet);
  }
  const measured = new Map<string, Shape | "under way">();

  const fragment = (name: string, level: number): Shape => {
    const known = measured.get(name);
    if (known === "under way") return { ...NOTHING, cyclic: true };
    if (known) return known;
    const selectionSet = fragments.get(name);
    if (!selectionSet) return NOTHING;
    measured.set(name, "under way");
    const shape = selections(selectionSet, level);
    measured.set(name, shape);
    return shape;
  };
  const selection = (node: SelectionNode, level: number): Shape => {
    if (node.kind === Kind.FRAGMENT_SPREAD) return fragment(node.name.value, level + 1);
    if (node.kind === Kind.INLINE_FRAGMENT) return selections(node.selectionSet, level + 1);
    const below = node.selectionSet ? selections(node.selectionSet, level + 1) : NOTHING;
    const isIntrospection = node.name.value === "__schema" || node.name.value === "__type";
    return {
      depth: 1 + (isIntrospection ? unlessEndless(below.depth) : below.depth),
      aliases: (node.alias ? 1 : 0) + below.aliases,
      rootFields: 1,
      cyclic: below.cyclic,
    };
  };
  const selections = ({ selections: nodes }: SelectionSetNode, level: number): Shape => {
    if (level > DEEPEST) return { ...NOTHING, depth: Number.POSITIVE_INFINITY };
    return nodes.map((node) => selection(node, level)).reduce(joined, NOTHING);
  };

  const shapes = document.definitions.flatMap((definition) => {
    if (definition.kind === Kind.OPERATION_DEFINITION)
      return [selections(definition.selectionSet, 0)];
    // Also fragments that are never spread, since the rules walk through them too.
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) return [];
    const shape = selections(definition.selectionSet, 0);
    const isIntrospection = definition.typeCondition.name.value.startsWith("__");
    const depth = isIntrospection ? unlessEndless(shape.depth) : shape.depth;
    return [{ ...shape, depth, rootFields: 0 }];
  });
  return shapes.reduce(largest, NOTHING);
}

/** An issue for each limit that `shape` does not keep to. */
export function shapeIssues(shape: Shape, settings: GraphqlSettings): Issue[] {
  const limits = [
    ["depth", shape.depth, settings.maxDepth],
    ["aliases", shape.aliases, settings.maxAliases],
    ["rootFields", shape.rootFields, settings.maxRootFields],
  ] as const;
  return limits.flatMap(([name, size, limit]) =>
    size > limit ? [limitIssue(name, size, limit)] : [],
  );
}

/** An issue when a value that is written in `document` is nested deeper than JSON may be. */
export function literalIssues(document: DocumentNode): Issue[] {
  let [level, deepest] = [0, 0];
  const nested = {
    enter() {
      level += 1;
      deepest = Math.max(deepest, level);
    },
    leave() {
      level -= 1;
    },
  };
  visit(document, { ListValue: nested, ObjectValue: nested });
  return deepest > MAX_DEPTH ? [limitIssue("literals", deepest, MAX_DEPTH)] : [];
}

export function limitIssue(name: string, size: number, limit: number): Issue {
  const found = Number.isSafeInteger(size) ? `is ${size}` : "is too large to count";
  return { path: [name], message: `${found}, and may be at most ${limit}`, limit };
}

/** The schema is asked for in more levels than resources are; but not in any number. */
function unlessEndless(depth: number): number {
  return Number.isFinite(depth) ? 0 : depth;
}

function joined(a: Shape, b: Shape): Shape {
  return {
    depth: Math.max(a.depth, b.depth),
    aliases: a.aliases + b.aliases,
    rootFields: a.rootFields + b.rootFields,
    cyclic: a.cyclic || b.cyclic,
  };
}

function largest(a: Shape, b: Shape): Shape {
  return {
    depth: Math.max(a.depth, b.depth),
    aliases: Math.max(a.aliases, b.aliases),
    rootFields: Math.max(a.rootFields, b.rootFields),
    cyclic: a.cyclic || b.cyclic,
  };
}
