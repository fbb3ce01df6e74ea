import type { ArgBuilder, InterfaceRef, ObjectRef } from "@pothos/core";
import { z } from "zod";
import { parse, wholeNumber } from "../domain/fields.js";
import { MAX_PAGE_SIZE, type PageRequest } from "../domain/pages.js";
import type { Related } from "../domain/related.js";
import { builder, type GraphqlContext } from "./builder.js";
import { loadAll, loadFrom, type ReadMany } from "./loaders.js";

export const DEFAULT_PAGE_SIZE = 20;

export type Types = typeof builder.$inferSchemaTypes;

/** A resource of a page, with its cursor. */
export interface Edge<Item> {
  readonly cursor: string;
  readonly node: Item;
}

/** A page of a Relay connection. */
export interface Connection<Item> {
  readonly edges: readonly Edge<Item>[];
  readonly startCursor: string | undefined;
  readonly endCursor: string | undefined;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  count(): Promise<number>;
}

const PageInfo = builder.objectRef<Connection<unknown>>("PageInfo").implement({
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
      resolve: ({ startCursor }) => startCursor,
    }),
    endCursor: t.string({
      nullable: true,
      description: "The cursor of the last resource of this page.",
      resolve: ({ endCursor }) => endCursor,
    }),
  }),
});

/** The connection type of a resource, which all of its lists share. */
export function connectionOf<
  Item extends { id: string },
  Page extends Connection<Item> = Connection<Item>,
>(
  type: ObjectRef<Types, Item> | InterfaceRef<Types, Item>,
  name: string,
  plural: string,
  order = "newest first unless ordered otherwise",
) {
  // To Pothos a field's type and its value are tied by the very type; here it is a parameter.
  const node = type as ObjectRef<Types, { id: string }>;
  const EdgeType = builder.objectRef<Edge<Item>>(`${name}Edge`).implement({
    description: "A resource of a page, with its cursor.",
    fields: (t) => ({
      cursor: t.exposeString("cursor", {
        description:
          "For `after` and `before` of lists in the same order; works on when the resource is changed or deleted.",
      }),
      node: t.field({ type: node, description: "The resource.", resolve: (edge) => edge.node }),
    }),
  });
  return builder.objectRef<Page>(`${name}Connection`).implement({
    description: `A page of ${plural}, ${order}.`,
    fields: (t) => ({
      edges: t.field({
        type: [EdgeType],
        description: "The resources of this page, with their cursors.",
        resolve: ({ edges }) => [...edges],
      }),
      nodes: t.field({
        type: [node],
        description: "The resources of this page.",
        resolve: ({ edges }): { id: string }[] => edges.map(({ node }) => node),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: "Where this page stands in the list.",
        resolve: (connection) => connection,
      }),
      totalCount: t.int({
        description:
          "How many there are in the whole list, all that the filter finds; counted only when asked for.",
        resolve: (connection, _, { signal }) => {
          signal?.throwIfAborted();
          return connection.count();
        },
      }),
    }),
  });
}

/** The arguments of every page. */
export function pageArguments(t: { readonly arg: ArgBuilder<Types> }) {
  return {
    first: t.arg.int({
      description: `How many at most, from the first on: 1 to ${MAX_PAGE_SIZE}, default ${DEFAULT_PAGE_SIZE}.`,
    }),
    after: t.arg.string({
      description:
        "Only what follows the resource of this cursor; from the beginning on by default.",
    }),
    last: t.arg.int({
      description: `How many at most, from the last on: 1 to ${MAX_PAGE_SIZE}. Not together with \`first\`.`,
    }),
    before: t.arg.string({
      description: "Only what precedes the resource of this cursor; up to the end by default.",
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
      when: () => true,
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
const newestFirst = pageRule(idCursor);

export type PageArguments = z.input<typeof newestFirst>;

/** One page of a list that is newest first. Throws INVALID_REQUEST for arguments out of bounds. */
export async function pageOf<Item extends { id: string }>(
  args: PageArguments,
  list: (page: PageRequest) => Promise<Item[]>,
  count: () => Promise<number>,
): Promise<Connection<Item>> {
  const page = await readPage(parse(newestFirst, args), list);
  const edges = page.found.map((node) => ({ cursor: node.id, node }));
  return { ...page, edges, startCursor: edges[0]?.cursor, endCursor: edges.at(-1)?.cursor, count };
}

/** What `list` finds for a page, first one first, and whether the list goes on. */
export async function readPage<Request extends PageBounds, Found>(
  request: Request,
  list: (request: Request) => Promise<Found[]>,
): Promise<{ found: Found[]; hasPreviousPage: boolean; hasNextPage: boolean }> {
  const { limit, fromEnd, after, before } = request;
  // One row more than asked for tells whether the list goes on.
  const found = await list({ ...request, limit: limit + 1 });
  const goesOn = found.length > limit;
  const page = found.slice(0, limit);
  return fromEnd
    ? { found: page.reverse(), hasPreviousPage: goesOn, hasNextPage: before !== undefined }
    : { found: page, hasPreviousPage: after !== undefined, hasNextPage: goesOn };
}

interface PageBounds {
  readonly limit: number;
  readonly fromEnd: boolean;
  readonly after?: unknown;
  readonly before?: unknown;
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
