import type { Context } from "../core/context.js";
import type { ListRequest } from "../lists/sequences.js";
import type { Table } from "../storage/graph.js";
import { detailed } from "./fields.js";
import type { PageShape, Shape } from "./shape.js";
import { type Asked, pageKey, targetKey } from "./statement.js";
import { fieldsOf } from "./tables.js";

// Turns the JSON that a statement answers into resources, in place: only what is no JSON value by itself is touched.

/** What is in a JSON object. */
export type Json = Record<string, unknown>;

/** A page as it was read. */
export interface ReadPage<Item> {
  /** In the order of the list. */
  readonly rows: readonly Item[];
  /** Whether the list goes on beyond the page; false when that was not asked. */
  readonly goesOn: boolean;
  /** The number of items in the whole list; undefined when it was not requested. */
  readonly count: number | undefined;
  readonly request: ListRequest;
}

export type Decode = (value: Json, context: Context, given: Asked) => void;

/** Returns a function that converts the JSON of a row of this shape to the resource. */
export function decoderOf(table: Table, shape: Shape): Decode {
  const fields = fieldsOf(table);
  const decoded = [...shape.fields].flatMap(([name, detail]) => {
    const field = fields[name];
    const decode = field && detailed(field, detail).decode;
    return decode ? [{ name, decode }] : [];
  });
  const targets = shape.targets.map(({ field, shape }) => {
    const reference = fields[field]?.reference;
    if (!reference) throw new Error(`The field ${field} refers to nothing.`);
    const key = targetKey(field);
    const isInside = reference.module !== null;
    return { field, key, isInside, decode: decoderOf(reference.to, shape) };
  });
  const pages = shape.pages.map(({ nested, page }) => ({
    number: page.number,
    key: pageKey(page.number),
    decode: pageDecoderOf(nested.sequence.table, page),
  }));
  return (row, context, given) => {
    const place = { context, ownerId: String(row.id) };
    for (const { name, decode } of decoded) {
      if (row[name] !== null) row[name] = decode(row[name], place);
    }
    for (const { field, key, isInside, decode } of targets) {
      const owner = isInside ? (row[field] as Json | null) : row;
      for (const target of owner ? listed(owner[key]) : []) decode(target, context, given);
    }
    for (const { number, key, decode } of pages) {
      const page = decode.atOnce(row[key] as Json, context, given);
      const name = given.pages[number]?.key;
      if (name !== undefined) row[name] = page;
    }
  };
}

function listed(value: unknown): Json[] {
  if (Array.isArray(value)) return value;
  return value === null ? [] : [value as Json];
}

/** Returns a function that converts the JSON of a page to the page. */
export interface PageDecoder {
  atOnce(json: Json, context: Context, given: Asked): ReadPage<Json>;
  /** The same, but waits for `pause` before each row. */
  inTurns(
    json: Json,
    context: Context,
    given: Asked,
    pause: () => Promise<void> | null,
  ): Promise<ReadPage<Json>>;
}

export function pageDecoderOf(table: Table, page: PageShape): PageDecoder {
  const decode = page.rows ? decoderOf(table, page.rows) : () => {};
  const cut = (json: Json, given: Asked): ReadPage<Json> & { readonly rows: Json[] } => {
    const rows = json.rows as Json[];
    const request = given.pages[page.number]?.request;
    if (!request) throw new Error(`Page ${page.number} was not given.`);
    const goesOn = rows.length > request.limit;
    if (goesOn) rows.length = request.limit;
    if (page.fromEnd) rows.reverse();
    return { rows, goesOn, count: json.count as number | undefined, request };
  };
  return {
    atOnce(json, context, given) {
      const read = cut(json, given);
      for (const row of read.rows) decode(row, context, given);
      return read;
    },
    async inTurns(json, context, given, pause) {
      const read = cut(json, given);
      for (const row of read.rows) {
        await pause();
        context.signal?.throwIfAborted();
        decode(row, context, given);
      }
      return read;
    },
  };
}
