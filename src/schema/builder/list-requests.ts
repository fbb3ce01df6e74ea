import { z } from "zod";
import { type Issue, invalidRequest } from "../../domain/core/errors.js";
import { description, issuesOf } from "../../domain/core/fields.js";
import { kindOfId } from "../../domain/core/ids.js";
import {
  type Cursor,
  type List,
  type ListRequest,
  type Order,
  order,
  type Sequence,
} from "../../domain/lists/sequences.js";
import { newestFirst } from "../../domain/reads/read.js";
import { idCursor, type PageArguments, pageRequestOf, pageRule } from "./pages.js";

// The part of a list that its arguments select.

export interface ListArguments extends PageArguments {
  readonly filter?: object | null | undefined;
  readonly orderBy?: object | null | undefined;
}

/**
 * Checks the arguments of a list; a list without a filter has only those of a page. Resources that they refer to need
 * not exist: then the list is empty. Throws INVALID_REQUEST with every problem.
 */
export function requestOf(sequence: Sequence | List, args: ListArguments): ListRequest {
  return "filter" in sequence
    ? filteredRequestOf(sequence, args)
    : newestFirst(pageRequestOf(args));
}

function filteredRequestOf(list: List, args: ListArguments): ListRequest {
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
 * The cursor of a resource in a list: in the order of creation its id; by description an opaque text with the
 * description, which may change.
 */
export function cursorOf({ id, description }: Cursor, { field }: Order): string {
  if (field !== "description") return id;
  return Buffer.from(JSON.stringify([description, id])).toString("base64url");
}

const described = z.tuple([description, idCursor]);

/** The content of a cursor of the order by description; null for any other text. */
function readDescribed(cursor: string): Cursor | null {
  try {
    const found = described.safeParse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
    return found.success ? { description: found.data[0], id: found.data[1] } : null;
  } catch {
    return null;
  }
}

function readId(cursor: string): Cursor | null {
  return idCursor.safeParse(cursor).success ? { id: cursor } : null;
}

/** The position that a cursor is. One of a list in another order is refused as that. */
function cursorRule(
  name: string,
  read: (cursor: string) => Cursor | null,
  other: string,
  readOther: (cursor: string) => Cursor | null,
) {
  return z.string().transform((cursor, ctx): Cursor => {
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
