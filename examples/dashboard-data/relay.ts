import {
  Environment,
  type FetchFunction,
  type GraphQLResponse,
  Network,
  RecordSource,
  Store,
} from "relay-runtime";
import type { Connection } from "./changes.js";

/** A Relay environment. Resources have ids that are unique among all kinds, as Relay expects. */
export function createRelay({ url, apiKey }: Connection): Environment {
  const fetchOperation: FetchFunction = async ({ text: query }, variables) => {
    const response = await fetch(`${url}/graphql`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ query, variables }),
    });
    return (await response.json()) as GraphQLResponse;
  };
  return new Environment({
    network: Network.create(fetchOperation),
    store: new Store(new RecordSource()),
  });
}
