import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from "graphql";
import { type ResourceKind, typeNameOf } from "../../domain/core/ids.js";
import type { ListRequest, Nested, Sequence } from "../../domain/lists/sequences.js";
import type { Detail } from "../../domain/reads/fields.js";
import { type NestedPage, type PageShape, placeOf, type Shape } from "../../domain/reads/shape.js";
import { fieldsOf } from "../../domain/reads/tables.js";
import { kindsIn, type Table } from "../../domain/storage/graph.js";
import { type AskedPage, askedPage } from "./asked-pages.js";
import { readsOf, showsSecret } from "./field-reads.js";
import { fragmentOf } from "./fragments.js";
import { isIncluded } from "./inclusion.js";
import {
  type Operation,
  type SelectedField,
  type SelectionSets,
  selectedFields,
  selectionSetsOf,
} from "./selected-fields.js";

// Turns what an operation selects into the shape of a read.

/** The shape that is read for a selection. */
export interface Selection<Read> {
  readonly read: Read;
  /** What asks for the pages in the shape, in the order of their numbers. */
  readonly pages: readonly AskedPage[];
  /** False when a page was left out, because its arguments do not fit: then its field says so. */
  readonly isWhole: boolean;
}

/** The shape to read of resources of these kinds for fields that select them. */
export function selectRows(
  operation: Operation,
  table: Table,
  kinds: readonly ResourceKind[],
  nodes: readonly FieldNode[],
): Selection<Shape> {
  const selecting = begin(operation);
  const read = rowsOf(selecting, table, kinds, selectionSetsOf(nodes));
  return { read, pages: selecting.pages, isWhole: selecting.isWhole };
}

/** The shape to read of a page for fields that select the connection `type`. */
export function selectPage(
  operation: Operation,
  type: GraphQLObjectType,
  sequence: Sequence,
  request: ListRequest,
  nodes: readonly FieldNode[],
): Selection<PageShape> {
  const selecting = begin(operation);
  const read = pageOf(selecting, type, sequence, request, 0, selectionSetsOf(nodes));
  return { read, pages: selecting.pages, isWhole: selecting.isWhole };
}

/** Lists and references of one statement; what is more is read by others. PostgreSQL would plan it for long. */
const MOST_PARTS = 50;

/** A selection while it is gone through. */
interface Selecting extends Operation {
  readonly pages: AskedPage[];
  isWhole: boolean;
  parts: number;
}

function begin(operation: Operation): Selecting {
  return { ...operation, pages: [], isWhole: true, parts: 0 };
}

/** Counts one more part; false when there are too many. */
function takePart(selecting: Selecting): boolean {
  selecting.parts += 1;
  return selecting.parts <= MOST_PARTS;
}

function rowsOf(
  selecting: Selecting,
  table: Table,
  kinds: readonly ResourceKind[],
  sets: SelectionSets,
): Shape {
  const members = fieldsOf(table);
  const fields = new Map<string, Detail>();
  const targets = new Map<string, SelectionSets>();
  const lists = new Map<string, ListField>();
  const read = (name: string, detail: Detail) => {
    if (members[name]) fields.set(name, moreOf(fields.get(name), detail));
  };
  // A row of no known kind is a defect, which is found where this is decoded.
  if (kindsIn(table).length > 1) read("kind", "whole");
  for (const kind of kinds) {
    const type = selecting.schema.getType(typeNameOf(kind));
    if (!isObjectType(type)) continue;
    for (const field of selectedFields(selecting, type, sets)) {
      const { node, definition } = field;
      const what = readsOf(definition) ?? { members: [definition.name] };
      if ("list" in what) {
        addList(selecting, lists, what.list, field);
      } else if ("target" in what && what.target !== null) {
        read(what.target, "whole");
        addSet(targets, what.target, node.selectionSet);
      } else if ("members" in what) {
        const inside = insideOf(selecting, definition, node.selectionSet);
        for (const name of what.members) {
          read(name, inside.detail);
          for (const set of inside.targets) addSet(targets, name, set);
        }
      }
    }
  }
  return {
    fields,
    targets: [...targets].flatMap(([field, sets]) => {
      const to = members[field]?.reference?.to;
      if (!to || !takePart(selecting)) return [];
      return [{ field, shape: rowsOf(selecting, to, kindsIn(to), sets) }];
    }),
    pages: [...lists.values()].flatMap((list) =>
      takePart(selecting) ? [nestedPage(selecting, list)] : [],
    ),
  };
}

function addSet(
  all: Map<string, SelectionSets>,
  name: string,
  set: SelectionSetNode | undefined,
): void {
  if (!set) return;
  const sets = all.get(name) ?? new Set();
  sets.add(set);
  all.set(name, sets);
}

const DETAILS: readonly Detail[] = ["outline", "withoutSecrets", "whole"];

function moreOf(one: Detail | undefined, other: Detail): Detail {
  return one && DETAILS.indexOf(one) > DETAILS.indexOf(other) ? one : other;
}

/** How much is read of a member for what is selected inside of it, and what is selected of what it refers to. */
interface Inside {
  readonly detail: Detail;
  readonly targets: readonly SelectionSetNode[];
}

const NOTHING_INSIDE: Inside = { detail: "whole", targets: [] };

function insideOf(
  selecting: Selecting,
  { type }: GraphQLField<unknown, unknown>,
  set: SelectionSetNode | undefined,
): Inside {
  const named = getNamedType(type);
  if (!set || !isCompositeType(named)) return NOTHING_INSIDE;
  const targets: SelectionSetNode[] = [];
  const spread = new Set<string>();
  let detail: Detail = "outline";
  const visit = ({ selections }: SelectionSetNode, type: GraphQLCompositeType) => {
    for (const node of selections) {
      if (!isIncluded(node, selecting.variables)) continue;
      if (node.kind === Kind.FIELD) {
        const field = "getFields" in type ? type.getFields()[node.name.value] : undefined;
        const what = field && readsOf(field);
        if (!field || node.name.value === "enabled") continue;
        detail = moreOf(detail, showsSecret(field) ? "whole" : "withoutSecrets");
        const below = getNamedType(field.type);
        if (!node.selectionSet || !isCompositeType(below)) continue;
        if (what && "target" in what) targets.push(node.selectionSet);
        else visit(node.selectionSet, below);
        continue;
      }
      const fragment = fragmentOf(selecting.fragments, node, spread);
      const condition = fragment?.typeCondition?.name.value;
      const narrowed = condition === undefined ? type : selecting.schema.getType(condition);
      if (fragment && isCompositeType(narrowed)) visit(fragment.selectionSet, narrowed);
    }
  };
  visit(set, named);
  return { detail, targets };
}

/** A list that is selected once or more with the same arguments. */
interface ListField {
  readonly nested: Nested;
  readonly type: GraphQLObjectType;
  readonly request: ListRequest;
  readonly asked: AskedPage;
  readonly sets: SelectionSets;
}

function addList(
  selecting: Selecting,
  lists: Map<string, ListField>,
  nested: Nested,
  { node, definition }: SelectedField,
): void {
  const asked = askedPage(nested, node, definition);
  const given = asked(selecting.variables);
  const type = getNamedType(definition.type);
  if (!given) selecting.isWhole = false;
  if (!given || !isObjectType(type) || !node.selectionSet) return;
  const { key, request } = given;
  const list = lists.get(key) ?? { nested, type, request, asked, sets: new Set() };
  list.sets.add(node.selectionSet);
  lists.set(key, list);
}

function nestedPage(selecting: Selecting, list: ListField): NestedPage {
  const { nested, type, request, asked, sets } = list;
  selecting.pages.push(asked);
  const number = selecting.pages.length;
  return { nested, page: pageOf(selecting, type, nested.sequence, request, number, sets) };
}

function pageOf(
  selecting: Selecting,
  type: GraphQLObjectType,
  { table, kinds }: Sequence,
  request: ListRequest,
  number: number,
  sets: SelectionSets,
): PageShape {
  const nodes: SelectionSets = new Set();
  let [hasRows, more, count] = [false, false, false];
  for (const { node, definition } of selectedFields(selecting, type, sets)) {
    const below = getNamedType(definition.type);
    if (definition.name === "totalCount") count = true;
    else hasRows = true;
    if (!node.selectionSet) continue;
    if (definition.name === "nodes") nodes.add(node.selectionSet);
    if (!isObjectType(below)) continue;
    for (const inner of selectedFields(selecting, below, [node.selectionSet])) {
      if (/^has(Next|Previous)Page$/.test(inner.definition.name)) more = true;
      if (inner.definition.name === "node" && inner.node.selectionSet) {
        nodes.add(inner.node.selectionSet);
      }
    }
  }
  const rows = hasRows ? rowsOf(selecting, table, kinds, nodes) : null;
  const place = placeOf(request);
  const { key } = request.order.field;
  if (!rows || !key) return { number, ...place, rows, more, count };
  // Its cursors say it.
  const fields = new Map([...rows.fields, [key.member, "whole"]] as const);
  return { number, ...place, rows: { ...rows, fields }, more, count };
}
