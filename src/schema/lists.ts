import type { ArgBuilder, InputFieldMap, InputRef } from "@pothos/core";
import { z } from "zod";
import { type Issue, invalidRequest } from "../domain/errors.js";
import { description, issuesOf } from "../domain/fields.js";
import { kindOfId } from "../domain/ids.js";
import {
  countFound,
  countFoundOf,
  findOnPage,
  findOnPagesOf,
  type List,
  type ListRequest,
  type NestedList,
  type Order,
  order,
  type Position,
} from "../domain/lists.js";
import { builder, type GraphqlContext } from "./builder.js";
import {
  type Connection,
  idCursor,
  type PageArguments,
  pageArguments,
  pageRule,
  readPage,
  type Types,
} from "./connections.js";
import { loadAll, loadFrom, type ReadMany } from "./loaders.js";

// Lists with a filter and an order.

type InputFields = PothosSchemaTypes.InputFieldBuilder<Types, "InputObject">;

const OrderDirection = builder.enumType("OrderDirection", {
  description: "Which way a list is ordered.",
  values: {
    ASC: { value: "asc", description: "The oldest first; texts from A to Z." },
    DESC: { value: "desc", description: "The newest first; texts from Z to A." },
  } as const,
});

/** The filter and the order of a kind of resource: what its lists take. */
interface ListInputs<Filter extends object> {
  readonly filter: InputRef<Filter>;
  readonly order: InputRef<object>;
}

/** Makes the input types `<name>Filter` and `<name>Order`. `members` is what this filter alone has. */
export function listInputs<Members extends InputFieldMap>(
  name: string,
  plural: string,
  members: (t: InputFields) => Members,
  searched = "description and metadata",
) {
  const filter = builder.inputType(`${name}Filter`, {
    description: `Which ${plural} to find: those that meet all of its members. One that is null or absent demands nothing.`,
    fields: (t) => ({
      ids: t.idList({
        description: "Those with one of these ids: at most 100; none for an empty list.",
      }),
      search: t.string({
        description: `Those with this text in ${searched}, whatever the case of letters: 1 to 100 characters, without those around it that are blank. One or two characters are found only where a line of these texts begins with them.`,
      }),
      createdAfter: t.field({
        type: "DateTime",
        description: "Those created at this time or later; a fraction of a second is cut.",
      }),
      createdBefore: t.field({
        type: "DateTime",
        description: "Those created before this time; a fraction of a second is cut.",
      }),
      ...members(t),
    }),
  });
  const OrderField = builder.enumType(`${name}OrderField`, {
    description: `What ${plural} can be ordered by.`,
    values: {
      CREATED_AT: { value: "created_at", description: "When they were created." },
      DESCRIPTION: {
        value: "description",
        description:
          "Their descriptions, character by character without regard to the case of A to Z; equal ones in the order of creation.",
      },
    } as const,
  });
  const order = builder.inputType(`${name}Order`, {
    description: `How to order ${plural}. By default the newest come first.`,
    fields: (t) => ({
      field: t.field({
        type: OrderField,
        defaultValue: "created_at",
        description: "What to order by.",
      }),
      direction: t.field({
        type: OrderDirection,
        defaultValue: "desc",
        description: "Which way.",
      }),
    }),
  });
  return { filter, order };
}

/** The arguments of a list that can be filtered and ordered. */
export function listArguments<Filter extends object>(
  t: { readonly arg: ArgBuilder<Types> },
  { filter, order }: ListInputs<Filter>,
) {
  return {
    ...pageArguments(t),
    filter: t.arg({ type: filter, description: "Which ones to find; default all." }),
    orderBy: t.arg({
      type: order,
      description:
        "In which order; default `{ field: CREATED_AT, direction: DESC }`: newest first.",
    }),
  };
}

interface ListArguments extends PageArguments {
  readonly filter?: object | null | undefined;
  readonly orderBy?: object | null | undefined;
}

/**
 * One page of a list. `whole` reads it when there is no filter and the newest comes first, in fewer statements.
 * Throws INVALID_REQUEST for all arguments that are not as they should be.
 */
export async function listPageOf<Item extends { id: string }>(
  context: GraphqlContext,
  args: ListArguments,
  list: List,
  readMany: ReadMany<Item>,
  whole?: () => Promise<Connection<Item>>,
): Promise<Connection<Item>> {
  const request = readRequest(list, args);
  if (whole && isWhole(request)) return whole();
  return connectionFor(
    request,
    (page) => findOnPage(context, list, page),
    (ids) => loadAll(context, readMany, ids),
    () => countFound(context, list, request.conditions),
  );
}

/** One page of what refers to the resource `id`, read together with the same page of all others of this request. */
export async function nestedListPageOf<Item extends { id: string }>(
  context: GraphqlContext,
  args: ListArguments,
  nested: NestedList,
  id: string,
  readMany: ReadMany<Item>,
  whole: () => Promise<Connection<Item>>,
): Promise<Connection<Item>> {
  const request = readRequest(nested.list, args);
  if (isWhole(request)) return whole();
  const { filter, ...place } = args;
  const together = <Value>(
    kind: string,
    read: (ids: readonly string[]) => Promise<Map<string, Value>>,
  ) => loadFrom(context, nested, `${kind} ${JSON.stringify(filter)}`, read, id);
  return connectionFor(
    request,
    async (page) =>
      (await together(`page ${JSON.stringify(place)}`, (ids) =>
        findOnPagesOf(context, nested, ids, page),
      )) ?? [],
    (ids) => loadAll(context, readMany, ids),
    async () =>
      (await together("count", (ids) => countFoundOf(context, nested, ids, request.conditions))) ??
      0,
  );
}

type Request = ListRequest & { readonly fromEnd: boolean };

async function connectionFor<Item extends { id: string }>(
  request: Request,
  find: (request: Request) => Promise<Position[]>,
  read: (ids: readonly string[]) => Promise<Item[]>,
  count: () => Promise<number>,
): Promise<Connection<Item>> {
  const { found, ...page } = await readPage(request, find);
  const cursors = new Map(found.map((position) => [position.id, cursorOf(position)]));
  const items = await read(found.map(({ id }) => id));
  const [first, last] = [found[0], found.at(-1)];
  return {
    ...page,
    edges: items.map((node) => ({ cursor: cursors.get(node.id) ?? node.id, node })),
    // Also of a row that was deleted since, so that paging goes on.
    startCursor: first && cursorOf(first),
    endCursor: last && cursorOf(last),
    count,
  };
}

function isWhole({ conditions, order }: ListRequest): boolean {
  return conditions.length === 0 && order.field === "created_at" && order.direction === "desc";
}

/** The arguments of a list, checked. What they refer to need not exist: then nothing is found. */
function readRequest(list: List, args: ListArguments): Request {
  const by = order.parse(args.orderBy ?? {});
  const page = PAGE_RULES[by.field].safeParse(args);
  const filter = list.filter.safeParse(args.filter ?? {});
  const strayed = page.success ? strayedCursors(list, page.data) : [];
  if (page.success && filter.success && strayed.length === 0) {
    return { ...page.data, order: by, conditions: filter.data };
  }
  throw invalidRequest([
    ...strayed,
    ...issuesOf(page.error?.issues ?? []),
    ...issuesOf(filter.error?.issues ?? []).map(({ path, message }) => ({
      path: ["filter", ...path],
      message,
    })),
  ]);
}

/** An issue for each cursor that is of a list of other resources: there it has a place, and here it has none. */
function strayedCursors(
  { kinds }: List,
  places: { readonly after?: Position | undefined; readonly before?: Position | undefined },
): Issue[] {
  return (["after", "before"] as const).flatMap((name) => {
    const place = places[name];
    const kind = place && kindOfId(place.id);
    const isStray = place !== undefined && !(kind && kinds.includes(kind));
    return isStray ? [{ path: [name], message: "is a cursor of another list" }] : [];
  });
}

/** In the order of creation the id; by description an opaque text with the description, which may change. */
function cursorOf({ id, description }: Position): string {
  if (description === undefined) return id;
  return Buffer.from(JSON.stringify([description, id])).toString("base64url");
}

const described = z.tuple([description, idCursor]);

/** What a cursor of the order by description says; null for anything else. */
function readDescribed(cursor: string): Position | null {
  try {
    const found = described.safeParse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
    return found.success ? { description: found.data[0], id: found.data[1] } : null;
  } catch {
    return null;
  }
}

function readId(cursor: string): Position | null {
  return idCursor.safeParse(cursor).success ? { id: cursor } : null;
}

/** The position that a cursor is. One of a list in another order is refused as that. */
function cursorRule(
  name: string,
  read: (cursor: string) => Position | null,
  other: string,
  readOther: (cursor: string) => Position | null,
) {
  return z.string().transform((cursor, ctx): Position => {
    const position = read(cursor);
    if (position) return position;
    ctx.addIssue(
      readOther(cursor)
        ? `is a cursor of a list ordered by ${other}, and this one is ordered by ${name}`
        : "is not a cursor of this API",
    );
    return z.NEVER;
  });
}

const PAGE_RULES = {
  created_at: pageRule(cursorRule("CREATED_AT", readId, "DESCRIPTION", readDescribed)),
  description: pageRule(cursorRule("DESCRIPTION", readDescribed, "CREATED_AT", readId)),
} satisfies Record<Order["field"], unknown>;
