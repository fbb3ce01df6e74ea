import type { Order } from "../lists/orders.js";
import type { Condition, ListRequest, Nested, Sequence } from "../lists/sequences.js";
import type { Table } from "../storage/graph.js";
import type { Detail } from "./fields.js";
import { fieldsOf } from "./tables.js";

// What a read is asked for. A shape says nothing of single values, such as ids and cursors: these are given with each
// read, so that the statement for a shape is made once.

/** The members to read of each row, in addition to its id. */
export interface Shape {
  /** By the names of members of the resource. */
  readonly fields: ReadonlyMap<string, Detail>;
  readonly targets: readonly Target[];
  readonly pages: readonly NestedPage[];
}

/** The resources to which a field refers, and the shape to read of them. */
export interface Target {
  readonly field: string;
  readonly shape: Shape;
}

/** A page of the resources that refer to the row. */
export interface NestedPage {
  readonly nested: Nested;
  readonly page: PageShape;
}

/** The parts to read of a page. */
export interface PageShape {
  /** Which of the requests given with a read says where it begins. */
  readonly number: number;
  readonly conditions: readonly Condition[];
  readonly order: Order;
  /** Rows at most. */
  readonly limit: number;
  readonly fromEnd: boolean;
  readonly isAfter: boolean;
  readonly isBefore: boolean;
  /** The shape to read of its rows; null for no rows. */
  readonly rows: Shape | null;
  /** Whether to find out if the list goes on after it. */
  readonly more: boolean;
  /** Whether to count the whole list. */
  readonly count: boolean;
}

/** A request for a page, and the key under which its owner has it. */
export interface GivenPage {
  readonly key: string;
  readonly request: ListRequest;
}

/** A question: rows by the ids in the column `by`, a page of a sequence, or one page for each of many owners. */
export type Question =
  | {
      readonly kind: "rows";
      readonly table: Table;
      readonly by: string;
      /** One id is given each time, and not a list. */
      readonly isOne: boolean;
      readonly shape: Shape;
    }
  | { readonly kind: "page"; readonly sequence: Sequence; readonly page: PageShape }
  | { readonly kind: "pages"; readonly nested: Nested; readonly page: PageShape };

/** The part of a shape that says where a page lies. */
export function placeOf({ conditions, order, limit, fromEnd = false, after, before }: ListRequest) {
  return {
    conditions,
    order,
    limit,
    fromEnd,
    isAfter: after !== undefined,
    isBefore: before !== undefined,
  };
}

/** The id alone. */
export const NOTHING: Shape = { fields: new Map(), targets: [], pages: [] };

/** All members of the resources in a table, with all secrets. */
export function whole(table: Table): Shape {
  const known = WHOLE.get(table);
  if (known) return known;
  const shape = everyField(table, "whole");
  WHOLE.set(table, shape);
  return shape;
}

const WHOLE = new Map<Table, Shape>();

/** All members of the resources in a table, but of modules that are documents only whether they are enabled. */
export function outline(table: Table): Shape {
  return everyField(table, "outline");
}

function everyField(table: Table, detail: Detail): Shape {
  const fields = Object.keys(fieldsOf(table)).map((name) => [name, detail] as const);
  return { fields: new Map(fields), targets: [], pages: [] };
}

/** The shape without the secrets in it. */
export function withoutSecrets({ fields, targets, pages }: Shape): Shape {
  const seen = [...fields].map(
    ([name, detail]) => [name, detail === "whole" ? "withoutSecrets" : detail] as const,
  );
  return {
    fields: new Map(seen),
    targets: targets.map(({ field, shape }) => ({ field, shape: withoutSecrets(shape) })),
    pages: pages.map(({ nested, page }) => ({ nested, page: pageWithoutSecrets(page) })),
  };
}

export function pageWithoutSecrets(page: PageShape): PageShape {
  return { ...page, rows: page.rows && withoutSecrets(page.rows) };
}
