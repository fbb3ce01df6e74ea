import { z } from "zod";
import { below, type Issue, invalidRequest } from "../../domain/core/errors.js";
import { issuesOf } from "../../domain/core/fields.js";
import { kindOfId } from "../../domain/core/ids.js";
import {
  NEWEST_FIRST,
  type Order,
  type OrderField,
  type OrderKey,
  orderRule,
} from "../../domain/lists/orders.js";
import type { Cursor, List, ListRequest, Sequence } from "../../domain/lists/sequences.js";
import { newestFirst } from "../../domain/reads/read.js";
import { idCursor, type PageArguments, pageRequestOf, pageRule } from "./pages.js";

// The part of a list that its arguments select.

export interface ListArguments extends PageArguments {
  readonly filter?: object | null | undefined;
  readonly orderBy?: object | null | undefined;
}

/** Arguments that nobody has looked at. */
interface GivenArguments {
  readonly filter?: unknown;
  readonly orderBy?: unknown;
}

/**
 * Checks the arguments of a list; a list without a filter has only those of a page. Resources that they refer to need
 * not exist: then the list is empty. Throws INVALID_REQUEST with every problem.
 */
export function requestOf(sequence: Sequence | List, args: GivenArguments): ListRequest {
  return "filter" in sequence
    ? filteredRequestOf(sequence, args)
    : newestFirst(pageRequestOf(args));
}

function filteredRequestOf(list: List, args: GivenArguments): ListRequest {
  const rules = rulesOf(list);
  const ordered = rules.order.safeParse(args.orderBy ?? {});
  const order = ordered.data ?? NEWEST_FIRST;
  const page = rules.page(order.field).safeParse(args);
  const filter = list.filter.safeParse(args.filter ?? {});
  const strayed = page.success ? strayedCursors(list, page.data) : [];
  if (ordered.success && page.success && filter.success && strayed.length === 0) {
    return { ...page.data, order, conditions: filter.data };
  }
  throw invalidRequest([
    ...strayed,
    ...issuesOf(page.error?.issues ?? []),
    ...below(["filter"], issuesOf(filter.error?.issues ?? [])),
    ...below(["orderBy"], issuesOf(ordered.error?.issues ?? [])),
  ]);
}

/** The rules of the arguments of a list. To make them takes longer than to use them, so each is made once. */
interface ListRules {
  readonly order: z.ZodType<Order>;
  readonly page: (field: OrderField) => ReturnType<typeof pageRule<Cursor>>;
}

const rulesByList = new WeakMap<List, ListRules>();

function rulesOf(list: List): ListRules {
  const known = rulesByList.get(list);
  if (known) return known;
  const pages = new Map(
    list.orders.map((field) => [field, pageRule(cursorRule(field, list.orders))] as const),
  );
  const page = (field: OrderField) => {
    const rule = pages.get(field);
    if (!rule) throw new Error(`The list has no order by ${field.name}.`);
    return rule;
  };
  const rules = { order: orderRule(list.orders), page };
  rulesByList.set(list, rules);
  return rules;
}

/** An issue for each cursor that is of a list of other resources: there it has a place, and here it has none. */
function strayedCursors(
  { kinds }: List,
  places: { readonly after?: Cursor | undefined; readonly before?: Cursor | undefined },
): Issue[] {
  return (["after", "before"] as const).flatMap((name) => {
    const place = places[name];
    const kind = place && kindOfId(place.id);
    const isStray = place !== undefined && !(kind && kinds.includes(kind));
    return isStray ? [{ path: [name], message: "is a cursor of another list" }] : [];
  });
}

/**
 * The cursor of a resource in a list: in the order of creation its id; in any other an opaque text with the field, and
 * the value of the resource, which may change.
 */
export function cursorOf(resource: { readonly id: string }, { field }: Order): string {
  const { name, key } = field;
  if (!key) return resource.id;
  const value = key.shown.parse(Reflect.get(resource, key.member));
  return Buffer.from(JSON.stringify([name, value, resource.id])).toString("base64url");
}

/** The content of a cursor of a list in this order; null for any other text. */
function readCursor(cursor: string, { name, key }: OrderField): Cursor | null {
  if (!key) return idCursor.safeParse(cursor).success ? { id: cursor } : null;
  const known = contentRules.get(key);
  const rule = known ?? contentRule(name, key);
  if (!known) contentRules.set(key, rule);
  const found = rule.safeParse(cursor);
  return found.success ? { value: found.data[1], id: found.data[2] } : null;
}

const contentRules = new WeakMap<OrderKey, ReturnType<typeof contentRule>>();

function contentRule(name: string, { rule }: OrderKey) {
  return z
    .string()
    .transform((cursor, ctx): unknown => {
      try {
        return JSON.parse(Buffer.from(cursor, "base64url").toString());
      } catch {
        ctx.addIssue("is no JSON");
        return z.NEVER;
      }
    })
    .pipe(z.tuple([z.literal(name), rule, idCursor]));
}

/** The position that a cursor is. One of a list in another order is refused as that. */
function cursorRule(field: OrderField, fields: readonly OrderField[]) {
  return z.string().transform((cursor, ctx): Cursor => {
    const position = readCursor(cursor, field);
    if (position) return position;
    const other = fields.find((other) => readCursor(cursor, other));
    ctx.addIssue(
      other
        ? `is a cursor of a list ordered by ${nameOf(other)}, and this one is ordered by ${nameOf(field)}`
        : "is not a cursor of this API",
    );
    return z.NEVER;
  });
}

/** The field as the enumeration of a list has it. */
export function nameOf({ name }: OrderField): string {
  return name.toUpperCase();
}
