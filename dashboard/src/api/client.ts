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
