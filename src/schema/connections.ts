import type { ArgBuilder, InterfaceRef, ObjectRef } from "@pothos/core";
import { z } from "zod";
import { parse, wholeNumber } from "../domain/fields.js";
import { MAX_PAGE_SIZE, type PageRequest } from "../domain/pages.js";
import type { Related } from "../domain/related.js";
import { builder, type GraphqlContext } from "./builder.js";
import { loadAll, loadFrom, type ReadMany } from "./loaders.js";

export const DEFAULT_PAGE_SIZE = 20;

export type Types = typeof builder.$inferSchemaTypes;

/** A page of a Relay connection. The cursor of a resource is its id. */
export interface Connection<Item> {
  readonly items: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  count(): Promise<number>;
}

const PageInfo = builder.objectRef<Connection<{ id: string }>>("PageInfo").implement({
  description: "Where a page stands in its list.",
  fields: (t) => ({
    hasNextPage: t.exposeBoolean("hasNextPage", {
      description: "Whether the list goes on after this page.",
    }),
    hasPreviousPage: t.exposeBoolean("hasPreviousPage", {
      description: "Whether there is something before this page.",
    }),
    startCursor: t.string({
      nullable: true,
      description: "The cursor of the first resource of this page.",
      resolve: ({ items }) => items[0]?.id,
    }),
    endCursor: t.string({
      nullable: true,
      description: "The cursor of the last resource of this page.",
      resolve: ({ items }) => items.at(-1)?.id,
    }),
  }),
});

/** The connection type of a resource, which all of its lists share. */
export function connectionOf<Item extends { id: string }>(
  type: ObjectRef<Types, Item> | InterfaceRef<Types, Item>,
  name: string,
  plural: string,
  order = "newest first",
) {
  // To Pothos a field's type and its value are tied by the very type; here it is a parameter.
  const node = type as ObjectRef<Types, { id: string }>;
  const Edge = builder.objectRef<Item>(`${name}Edge`).implement({
    description: "A resource of a page, with its cursor.",
    fields: (t) => ({
      cursor: t.string({
        description: "For `after` and `before`; works on when the resource is deleted.",
        resolve: ({ id }) => id,
      }),
      node: t.field({ type: node, description: "The resource.", resolve: (item) => item }),
    }),
  });
  return builder.objectRef<Connection<Item>>(`${name}Connection`).implement({
    description: `A page of ${plural}, ${order}.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: "The resources of this page, with their cursors.",
        resolve: ({ items }) => [...items],
      }),
      nodes: t.field({
        type: [node],
        description: "The resources of this page.",
        resolve: ({ items }): { id: string }[] => [...items],
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: "Where this page stands in the list.",
        resolve: (connection) => connection,
      }),
      totalCount: t.int({
        description: "How many there are in the whole list; counted only when asked for.",
        resolve: (connection, _, { signal }) => {
          signal?.throwIfAborted();
          return connection.count();
        },
      }),
    }),
  });
}

/** The arguments of every list. */
export function pageArguments(t: { readonly arg: ArgBuilder<Types> }) {
  return {
    first: t.arg.int({
      description: `How many at most, from the newest on: 1 to ${MAX_PAGE_SIZE}, default ${DEFAULT_PAGE_SIZE}.`,
    }),
    after: t.arg.string({ description: "Only what is older than the resource of this cursor." }),
    last: t.arg.int({
      description: `How many at most, from the oldest on: 1 to ${MAX_PAGE_SIZE}. Not together with \`first\`.`,
    }),
    before: t.arg.string({ description: "Only what is newer than the resource of this cursor." }),
  };
}

const size = wholeNumber(1, MAX_PAGE_SIZE).nullish();
const cursor = z
  .string()
  .regex(/^[a-z]+_[0-9A-Za-z]+$/, "is not a cursor of this API")
  .nullish();
const pageRule = z
  .object({ first: size, last: size, after: cursor, before: cursor })
  .refine(({ first, last }) => first == null || last == null, {
    path: ["last"],
    message: "cannot be given together with `first`",
    when: () => true,
  });

type PageArguments = z.input<typeof pageRule>;

/** One page of a list. Throws INVALID_REQUEST for arguments out of bounds. */
export async function pageOf<Item extends { id: string }>(
  args: PageArguments,
  list: (page: PageRequest) => Promise<Item[]>,
  count: () => Promise<number>,
): Promise<Connection<Item>> {
  const { first, last, after, before } = parse(pageRule, args);
  const limit = first ?? last ?? DEFAULT_PAGE_SIZE;
  const fromEnd = last != null;
  // One row more than asked for tells whether the list goes on.
  const found = await list({
    limit: limit + 1,
    after: after ?? undefined,
    before: before ?? undefined,
    fromEnd,
  });
  const goesOn = found.length > limit;
  const items = found.slice(0, limit);
  return fromEnd
    ? { items: items.reverse(), hasPreviousPage: goesOn, hasNextPage: before != null, count }
    : { items, hasPreviousPage: after != null, hasNextPage: goesOn, count };
}

/** One page of what is related to a resource, read together with the same page of all others of this request. */
export function relatedPageOf<Item extends { id: string }>(
  context: GraphqlContext,
  related: Related,
  readMany: ReadMany<Item>,
  id: string,
  args: PageArguments,
): Promise<Connection<Item>> {
  const { pages } = related;
  const readIds = (page: PageRequest) =>
    loadFrom(context, pages, JSON.stringify(page), (ids) => pages(context, ids, page), id);
  return nestedPageOf(
    context,
    related,
    async (page) => loadAll(context, readMany, (await readIds(page)) ?? []),
    id,
    args,
  );
}

/** One page of a list whose `counts` are read together with those of all others of this request. */
export function nestedPageOf<Item extends { id: string }>(
  context: GraphqlContext,
  { counts }: Pick<Related, "counts">,
  list: (page: PageRequest) => Promise<Item[]>,
  id: string,
  args: PageArguments,
): Promise<Connection<Item>> {
  const readCount = () => loadFrom(context, counts, "", (ids) => counts(context, ids), id);
  return pageOf(args, list, async () => (await readCount()) ?? 0);
}
