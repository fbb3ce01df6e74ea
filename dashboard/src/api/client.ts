import { cacheExchange } from "@urql/exchange-graphcache";
import { Client, fetchExchange, mapExchange } from "urql";
import introspection from "../generated/introspection.json";
import { GRAPHQL_URL } from "./places.js";
import { isUnauthenticated, type Problem, problemOf } from "./problems.js";

/** What is part of a resource, such as a module, has no id of its own. */
const keys = Object.fromEntries(
  introspection.__schema.types
    .filter(({ fields }) => !fields?.some(({ name }) => name === "id"))
    .map(({ name }) => [name, () => null]),
);

/** A client whose cache has each resource once. `onRefused` is called when the server does not know the key. */
export function createClient(key: string, onRefused: (problem: Problem) => void): Client {
  return new Client({
    url: GRAPHQL_URL,
    preferGetMethod: false,
    fetch: fetchInTime,
    // With this type a refused field is an answer like others, and not an error in the browser's console.
    fetchOptions: () => ({
      headers: { authorization: `Bearer ${key}`, accept: "application/json" },
    }),
    exchanges: [
      mapExchange({
        onError(error) {
          if (isUnauthenticated(error)) onRefused(problemOf(error));
        },
      }),
      cacheExchange({ schema: introspection, keys }),
      fetchExchange,
    ],
  });
}

/** Longer than the server takes for an answer. Who waits longer waits for a network that lost it. */
const MOST_WAIT_MS = 60_000;

async function fetchInTime(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error("no answer came")), MOST_WAIT_MS);
  const signals = init.signal ? [init.signal, late.signal] : [late.signal];
  try {
    return await fetch(input, { ...init, signal: AbortSignal.any(signals) });
  } finally {
    clearTimeout(timer);
  }
}
