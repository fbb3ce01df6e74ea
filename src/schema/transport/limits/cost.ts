import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../../domain/lists/pages.js";
import { schema } from "../../index.js";
import type { Fragments } from "../../reads/fragments.js";
import { isIncluded } from "../../reads/inclusion.js";

/** The points of a mutation, for its transaction. */
const MUTATION_COST = 10;
/** Points of a part of the schema: it stands for as many of its types or fields as there are. */
const SCHEMA_COST = 300;
/** Points of an id that is looked up by itself. */
const LOOK_UP_COST = 10;
/** The additional points of a list with a filter, which compares each row that it reads. */
const FILTER_COST = 5;
/**
 * A list without pages is taken to be full to one part in so many, since few are full. An item costs as much as a row of
 * a page or more: so a full list costs so many times what it counts, and full lists in full lists the square of that.
 * What they make of an answer is bounded in bytes (`large-operations.ts`).
 */
const PART_OF_FULL = 10;

/** Points of a selection on one object; `perItem` are those of the page, when the object is a connection. */
interface Cost {
  readonly fixed: number;
  readonly perItem: number;
}

const FREE: Cost = { fixed: 0, perItem: 0 };

/** Sizes of pages that differ from what their fields ask for; 0 leaves out the field with all below it, also if it is no page. */
export type PageSizes = ReadonlyMap<FieldNode, number>;

/**
 * The points of an operation with these variables: 1 for each resource that it may read and for each list it
 * pages through or counts, where a connection has as many items as its page (`first` or `last`, 1 to 100,
 * default 20), and each level multiplies with those above it. A list without pages has a tenth of the items that it can hold, rounded up,
 * which its field says (`extensions.holds`). What else is part of it (modules, texts, numbers) is free: its bytes are counted when they are read. A filter is
 * 5 points more, a mutation 10, each of the ids of a list is 10, each object of introspection 300, and a field or a
 * type that says so of itself (`extensions.cost`) as many as it says: what searches, and what is larger than a
 * resource. Each fragment is counted once, so the time is linear in the document.
 *
 * A point is one row of one statement: 1 to 10 microseconds of CPU, of this process and of the database together. A
 * route with all of its modules is up to 50 for each of its points, and what has long texts is bounded by its bytes.
 *
 * Our own: `@pothos/plugin-complexity` multiplies `pageInfo`, `totalCount` and `__typename` by the page, counts
 * what `@skip` leaves out, and takes the first operation of a document for the one that is meant.
 */
export function costOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
): number {
  return costsOf(operation, fragments, variables)(new Map());
}

/** The same for other sizes of pages: arguments and directives are read once for all of them. */
export function costsOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
): (sizes: PageSizes) => number {
  const included = new Map<SelectionNode, boolean>();
  const isPart = (node: SelectionNode) => {
    const known = included.get(node) ?? isIncluded(node, variables);
    included.set(node, known);
    return known;
  };
  const given = new Map<FieldNode, Arguments>();
  const argumentsAt = (definition: GraphQLField<unknown, unknown>, node: FieldNode) => {
    const known = given.get(node) ?? argumentsOf(definition, node, variables);
    given.set(node, known);
    return known;
  };
  return (sizes) => costWith(sizes, operation, fragments, isPart, argumentsAt);
}

function costWith(
  sizes: PageSizes,
  operation: OperationDefinitionNode,
  fragments: Fragments,
  isPart: (node: SelectionNode) => boolean,
  argumentsAt: (definition: GraphQLField<unknown, unknown>, node: FieldNode) => Arguments,
): number {
  const counted = new Map<string, Cost>();

  const selections = ({ selections: nodes }: SelectionSetNode, type: GraphQLNamedType): Cost =>
    nodes.map((node) => selection(node, type)).reduce(sum, FREE);

  const selection = (node: SelectionNode, type: GraphQLNamedType): Cost => {
    if (!isPart(node)) return FREE;
    if (node.kind === Kind.FIELD) return field(node, type);
    if (node.kind === Kind.FRAGMENT_SPREAD) return fragment(node.name.value);
    const condition = node.typeCondition && schema.getType(node.typeCondition.name.value);
    return selections(node.selectionSet, condition ?? type);
  };

  const fragment = (name: string): Cost => {
    const known = counted.get(name);
    if (known) return known;
    const definition = fragments[name];
    const type = definition && schema.getType(definition.typeCondition.name.value);
    const cost = type ? selections(definition.selectionSet, type) : FREE;
    counted.set(name, cost);
    return cost;
  };

  const field = (node: FieldNode, parent: GraphQLNamedType): Cost => {
    const definition = fieldOf(parent, node.name.value);
    if (!definition || sizes.get(node) === 0) return FREE;
    const type = getNamedType(definition.type);
    const below = node.selectionSet ? selections(node.selectionSet, type) : FREE;
    const work = parent === schema.getMutationType() ? MUTATION_COST : costOfItself(definition);
    if (isConnection(parent)) {
      switch (definition.name) {
        case "totalCount":
          return { fixed: 1, perItem: 0 };
        case "nodes":
          return { fixed: 0, perItem: Math.max(1, costOfObject(type)) + below.fixed };
        case "edges":
          // An edge costs as much as its node.
          return { fixed: 0, perItem: Math.max(1, below.fixed) };
        default:
          return FREE;
      }
    }
    if (isLeafType(type)) return { fixed: work, perItem: 0 };
    if (isConnection(type)) {
      const asked = argumentsAt(definition, node);
      const items = sizes.get(node) ?? pageSize(asked);
      const list = 1 + (asked.filter ? FILTER_COST : 0);
      return { fixed: work + list + below.fixed + items * below.perItem, perItem: 0 };
    }
    if (isIntrospectionType(type)) return { fixed: SCHEMA_COST + below.fixed, perItem: 0 };
    const own = costOfObject(type) || (isRoot(parent) ? 1 : 0);
    if (!isListType(getNullableType(definition.type))) {
      return { fixed: work + own + below.fixed, perItem: 0 };
    }
    const { ids } = argumentsAt(definition, node);
    const fixed = Array.isArray(ids)
      ? ids.length * (LOOK_UP_COST + below.fixed)
      : itemsOf(definition) * (own + below.fixed);
    return { fixed: work + fixed, perItem: 0 };
  };

  const root = schema.getRootType(operation.operation);
  return root ? selections(operation.selectionSet, root).fixed : 0;
}

/** The items that a list without pages is taken to have. One that says nothing has parts that are free. */
function itemsOf({ extensions }: GraphQLField<unknown, unknown>): number {
  return typeof extensions.holds === "number" ? Math.ceil(extensions.holds / PART_OF_FULL) : 1;
}

function sum(a: Cost, b: Cost): Cost {
  return { fixed: a.fixed + b.fixed, perItem: a.perItem + b.perItem };
}

function costOfItself({ extensions }: GraphQLField<unknown, unknown> | GraphQLNamedType): number {
  return typeof extensions.cost === "number" ? extensions.cost : 0;
}

function costOfObject(type: GraphQLNamedType): number {
  return costOfItself(type) || (isResource(type) ? 1 : 0);
}

export type Variables = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

/** A field of a type, also one that every type has. */
export function fieldOf(
  type: GraphQLNamedType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

/** Arguments that do not fit make the field fail, which costs nothing; they count as if not given. */
export function argumentsOf(
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Variables,
): Arguments {
  try {
    return getArgumentValues(definition, node, variables);
  } catch {
    return {};
  }
}

/** The maximum number of items of a page. */
export function pageSize({ first, last }: Arguments): number {
  const asked = first ?? last ?? DEFAULT_PAGE_SIZE;
  return typeof asked === "number" ? Math.min(Math.max(asked, 1), MAX_PAGE_SIZE) : MAX_PAGE_SIZE;
}

/** Whether a type is a page of a list. */
export function isConnection(type: GraphQLNamedType): boolean {
  return isObjectType(type) && "pageInfo" in type.getFields();
}

function isRoot(type: GraphQLNamedType): boolean {
  return type === schema.getQueryType() || type === schema.getMutationType();
}

/** Whether reading one is worth a point: what can be found by its id. */
function isResource(type: GraphQLNamedType): boolean {
  if (isInterfaceType(type)) {
    return type.name === "Node" || type.getInterfaces().some(({ name }) => name === "Node");
  }
  if (isUnionType(type)) return true;
  return isObjectType(type) && type.getInterfaces().some(({ name }) => name === "Node");
}
