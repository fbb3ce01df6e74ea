import type { ArgBuilder } from "@pothos/core";
import { z } from "zod";
import { ALWAYS, parse, wholeNumber } from "../../domain/core/fields.js";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageRequest } from "../../domain/lists/pages.js";
import type { Types } from "./builder.js";

// The arguments of every page.

/** The arguments of every page. */
export function pageArguments(t: { readonly arg: ArgBuilder<Types> }) {
  return {
    first: t.arg.int({
      description: `The maximum number of items from the start: 1 to ${MAX_PAGE_SIZE}, default ${DEFAULT_PAGE_SIZE}.`,
    }),
    after: t.arg.string({
      description: "Only items after this cursor; by default the list starts at its beginning.",
    }),
    last: t.arg.int({
      description: `The maximum number of items from the end: 1 to ${MAX_PAGE_SIZE}. Not together with \`first\`.`,
    }),
    before: t.arg.string({
      description: "Only items before this cursor; by default the list ends at its end.",
    }),
  };
}

const size = wholeNumber(1, MAX_PAGE_SIZE).nullish();

/** The rule of the arguments of a page; `cursor` says where one points to. */
export function pageRule<Position>(cursor: z.ZodType<Position>) {
  return z
    .object({ first: size, last: size, after: cursor.nullish(), before: cursor.nullish() })
    .refine(({ first, last }) => first == null || last == null, {
      path: ["last"],
      message: "cannot be given together with `first`",
      ...ALWAYS,
    })
    .transform(({ first, last, after, before }) => ({
      limit: first ?? last ?? DEFAULT_PAGE_SIZE,
      fromEnd: last != null,
      after: after ?? undefined,
      before: before ?? undefined,
    }));
}

/** The cursor of a resource in the order of creation is its id. */
export const idCursor = z.string().regex(/^[a-z]+_[0-9A-Za-z]+$/, "is not a cursor of this API");
/** The rule of the arguments of a page of a list that is newest first. */
export const newestFirstPage = pageRule(idCursor);

export type PageArguments = z.input<typeof newestFirstPage>;

/** The arguments of a page of a list that is newest first, checked. Throws INVALID_REQUEST with every problem. */
export function pageRequestOf(args: object): PageRequest {
  return parse(newestFirstPage, args);
}
