import {
  type ApolloCache,
  ApolloClient,
  ApolloLink,
  HttpLink,
  InMemoryCache,
  Observable,
} from "@apollo/client";
import { getMainDefinition, relayStylePagination } from "@apollo/client/utilities";
import { print } from "graphql";
import { type Connection, createChangesClient } from "./changes.js";
import { ChangesDocument, type ChangesSubscription, EndOfLogDocument } from "./generated.js";
import { possibleTypes, typesWithoutId } from "./schema-types.js";

/** A cache in which each resource is once, and which adds up the pages of lists. */
export function createCache(): InMemoryCache {
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

/** Takes what was deleted out of the cache, and out of the lists in it. */
export function forget(cache: ApolloCache, changes: readonly Changed[]): void {
  for (const { action, typename, resourceId } of changes) {
    const id = cache.identify({ __typename: typename, id: resourceId });
    if (action === "DELETED" && id) cache.evict({ id });
  }
  cache.gc();
}

/** Where the log of changes ends. Ask before the lists are read: what follows is then in neither of them twice. */
export async function endOfLog(client: ApolloClient): Promise<string> {
  const { data } = await client.query({ query: EndOfLogDocument, fetchPolicy: "no-cache" });
  if (!data?.changes) throw new Error("The log of changes was refused.");
  return data.changes.position;
}

/** Keeps the cache as the service is, from `position` on. Returns a function that stops it. */
export function followWithApollo(
  client: ApolloClient,
  connection: Connection,
  position: string,
  onChange: (change: ChangesSubscription["changes"]) => void = () => {},
): () => void {
  const events = createChangesClient(connection, position);
  const link = new ApolloLink(
    ({ query, variables }) =>
      new Observable((observer) =>
        events.subscribe(
          { query: print(query), variables },
          {
            next: (result) => observer.next(result as ApolloLink.Result),
            error: (error) => observer.error(error),
            complete: () => observer.complete(),
          },
        ),
      ),
  );
  const isSubscription = ({ query }: ApolloLink.Operation) => {
    const definition = getMainDefinition(query);
    return definition.kind === "OperationDefinition" && definition.operation === "subscription";
  };
  client.setLink(ApolloLink.split(isSubscription, link, client.link));
  const subscription = client.subscribe({ query: ChangesDocument }).subscribe(({ data }) => {
    if (!data) return;
    // What was created or changed is in the cache already, by its id.
    forget(client.cache, [data.changes]);
    onChange(data.changes);
  });
  return () => {
    subscription.unsubscribe();
    events.dispose();
  };
}
