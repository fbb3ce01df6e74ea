import type { OutputRef } from "@pothos/core";
import { NEWEST_FIRST, type Order } from "../../domain/lists/orders.js";
import type { PageRequest } from "../../domain/lists/pages.js";
import { builder } from "./builder.js";
import { cursorOf } from "./list-requests.js";
import { type PageArguments, pageRequestOf } from "./pages.js";

/** A page of a list, as it was read. */
export interface Connection<Item> {
  /** In the order of the list. */
  readonly rows: readonly Item[];
  /** Whether the list goes on beyond the page, on the side to which it was read. */
  readonly goesOn: boolean;
  readonly request: {
    readonly order: Order;
    readonly fromEnd?: boolean | undefined;
    readonly after?: unknown;
    readonly before?: unknown;
  };
  /** The number of items in the whole list. It is a function when the count was not read with the page. */
  readonly count: number | undefined | (() => Promise<number>);
}

/** What every item of a list has. */
interface Listed {
  readonly id: string;
}

/** A resource of a page, with its cursor. */
interface Edge<Item> {
  readonly cursor: string;
  readonly node: Item;
}

const PageInfo = builder.objectRef<Connection<Listed>>("PageInfo").implement({
  description: "The position of a page in its list.",
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: "Whether the list has more after this page.",
      resolve: ({ goesOn, request: { fromEnd, before } }) =>
        fromEnd ? before !== undefined : goesOn,
    }),
    hasPreviousPage: t.boolean({
      description: "Whether the list has something before this page.",
      resolve: ({ goesOn, request: { fromEnd, after } }) =>
        fromEnd ? goesOn : after !== undefined,
    }),
    startCursor: t.string({
      nullable: true,
      description: "The cursor of the first resource of this page.",
      resolve: (page) => cursorIn(page, page.rows[0]),
    }),
    endCursor: t.string({
      nullable: true,
      description: "The cursor of the last resource of this page.",
      resolve: (page) => cursorIn(page, page.rows.at(-1)),
    }),
  }),
});

function cursorIn({ request }: Connection<Listed>, row: Listed | undefined) {
  return row && cursorOf(row, request.order);
}

/** The connection type of a resource, which all of its lists share. */
export function connectionOf<Item extends Listed, Page extends Connection<Item> = Connection<Item>>(
  type: OutputRef<Item>,
  name: string,
  plural: string,
  order = "newest first by default",
) {
  const node: OutputRef<Listed> = type;
  const EdgeType = builder.objectRef<Edge<Item>>(`${name}Edge`).implement({
    description: "A resource of a page, with its cursor.",
    fields: (t) => ({
      cursor: t.exposeString("cursor", {
        description:
          "The value for `after` and `before` in a list with the same order. It stays valid after the resource changes or is deleted.",
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
        resolve: ({ rows, request }) =>
          rows.map((node) => ({ node, cursor: cursorOf(node, request.order) })),
      }),
      nodes: t.field({
        type: [node],
        description: "The resources of this page.",
        resolve: ({ rows }): Listed[] => [...rows],
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: "The position of this page in the list.",
        resolve: (connection) => connection,
      }),
      totalCount: t.int({
        description:
          "The number of items in the whole list that match the filter. It is counted only when a query selects this field.",
        resolve: ({ count }, _, { signal }) => {
          signal?.throwIfAborted();
          if (typeof count === "number") return count;
          if (count) return count();
          throw new Error("The list was not counted.");
        },
      }),
    }),
  });
}

/** One page of a list that is newest first. Throws INVALID_REQUEST for arguments out of bounds. */
export async function pageOf<Item extends Listed>(
  args: PageArguments,
  list: (page: PageRequest) => Promise<Item[]>,
  count: () => Promise<number>,
): Promise<Connection<Item>> {
  const page = pageRequestOf(args);
  // One row more than asked for tells whether the list goes on.
  const found = await list({ ...page, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  if (page.fromEnd) rows.reverse();
  const request = { ...page, order: NEWEST_FIRST };
  return { rows, goesOn: found.length > page.limit, request, count };
}
