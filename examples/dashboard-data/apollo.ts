import { type ApolloCache, ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { print } from "graphql";
import { type Connection, followChanges } from "./changes.js";
import { ChangesDocument, type ChangesSubscription, EndOfLogDocument } from "./generated.js";
import { possibleTypes, typesWithoutId } from "./schema-types.js";

/** A cache in which each resource is once, and which adds up the pages of lists. */
function createCache(): InMemoryCache {
  // A part of a resource, such as a module, is merged with what is known of it.
  const parts = typesWithoutId.map((name) => [name, { keyFields: false, merge: true }] as const);
  return new InMemoryCache({
    possibleTypes,
    typePolicies: {
      ...Object.fromEntries(parts),
      Query: { fields: { httpsEdges: relayStylePagination(["filter", "orderBy"]) } },
      HttpsEdge: { fields: { routes: relayStylePagination(["filter", "orderBy"]) } },
    },
  });
}

/** An Apollo Client for queries and mutations. */
export function createApollo({ url, apiKey }: Connection): ApolloClient {
  const link = new HttpLink({
    uri: `${url}/graphql`,
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  return new ApolloClient({ link, cache: createCache() });
}

interface Changed {
  readonly action: string;
  readonly typename: string;
  readonly resourceId: string | null;
}

/** The lists of the page, by the type of what they list. */
const LISTS: Readonly<Record<string, string>> = { HttpsEdge: "httpsEdges" };

/** Takes what was deleted out of the cache, and lists of which something new may be part. */
export function forget(cache: ApolloCache, changes: readonly Changed[]): void {
  for (const { action, typename, resourceId } of changes) {
    const id = cache.identify({ __typename: typename, id: resourceId });
    const list = LISTS[typename];
    if (action === "DELETED" && id) cache.evict({ id });
    if (action === "CREATED" && list) cache.evict({ id: "ROOT_QUERY", fieldName: list });
  }
  cache.gc();
}

/** Where the log of changes ends. Ask before the lists are read: what follows is then in neither of them twice. */
export async function endOfLog(client: ApolloClient): Promise<string> {
  const { data } = await client.query({ query: EndOfLogDocument, fetchPolicy: "no-cache" });
  if (!data?.changes) throw new Error("The log of changes was refused.");
  return data.changes.position;
}

interface Page {
  readonly onChange?: (change: ChangesSubscription["changes"]) => void;
  /** Called when nothing more will come, with the code of the reason: `GONE` after too long a time away. */
  readonly onEnd?: (code: string) => void;
}

/** Keeps the cache as the service is, from `position` on. Returns a function that stops it. */
export function followWithApollo(
  client: ApolloClient,
  connection: Connection,
  position: string,
  { onChange, onEnd }: Page = {},
): () => void {
  const { cache } = client;
  const query = cache.transformDocument(ChangesDocument);
  let code = "REFUSED";
  return followChanges<ChangesSubscription>(connection, position, print(query), {
    next({ data, errors }) {
      // Without data the log is held up, which passes, or the subscription ends.
      if (!data) code = String(errors?.[0]?.extensions?.code ?? code);
      if (!data) return;
      // What was created or changed is in the cache then, by its id.
      cache.write({ query, result: data, dataId: "ROOT_SUBSCRIPTION" });
      client.refetchQueries({ updateCache: (cache) => forget(cache, [data.changes]) });
      onChange?.(data.changes);
    },
    error: () => onEnd?.(code),
    complete: () => onEnd?.(code),
  });
}
