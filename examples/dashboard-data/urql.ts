import { Client, fetchExchange, subscriptionExchange } from "@urql/core";
import { type Cache, cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { type Connection, followChanges } from "./changes.js";
import type { ChangesSubscription, DeleteEdgeMutation } from "./generated.js";
import introspection from "./introspection.json" with { type: "json" };
import { typesWithoutId } from "./schema-types.js";

interface Changed {
  readonly action: string;
  readonly typename: string;
  readonly resourceId: string | null;
}

/** The lists of the page, by the type of what they list. */
const LISTS: Readonly<Record<string, string>> = { HttpsEdge: "httpsEdges" };

/** Takes what was deleted out of the cache, and lists of which something new may be part. */
function forget(cache: Cache, changes: readonly Changed[]): void {
  for (const { action, typename, resourceId } of changes) {
    if (action === "DELETED") cache.invalidate({ __typename: typename, id: resourceId });
    if (action !== "CREATED") continue;
    for (const { fieldName, arguments: args } of cache.inspectFields("Query")) {
      if (fieldName === LISTS[typename]) cache.invalidate("Query", fieldName, args);
    }
  }
}

/** An urql client with a normalised cache, which follows all changes from `position` on. */
export function createUrql(connection: Connection, position: string): Client {
  const { url, apiKey } = connection;
  const cache = cacheExchange({
    schema: introspection,
    // A part of a resource, such as a module, has no id of its own.
    keys: Object.fromEntries(typesWithoutId.map((name) => [name, () => null])),
    resolvers: { Query: { httpsEdges: relayPagination() } },
    updates: {
      Mutation: {
        deleteHttpsEdge: ({ deleteHttpsEdge }: DeleteEdgeMutation, _, cache) =>
          forget(cache, deleteHttpsEdge?.changes ?? []),
      },
      Subscription: {
        changes: ({ changes }: ChangesSubscription, _, cache) => forget(cache, [changes]),
      },
    },
  });
  const subscriptions = subscriptionExchange({
    forwardSubscription: ({ query = "" }) => ({
      subscribe: (follower) => ({
        unsubscribe: followChanges(connection, position, query, follower),
      }),
    }),
  });
  return new Client({
    url: `${url}/graphql`,
    fetchOptions: { headers: { Authorization: `Bearer ${apiKey}` } },
    preferGetMethod: false,
    exchanges: [cache, subscriptions, fetchExchange],
  });
}
