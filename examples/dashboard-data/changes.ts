import { createClient } from "graphql-sse";

/** Where the service is, and the key that it asks for. */
export interface Connection {
  readonly url: string;
  readonly apiKey: string;
}

/**
 * A client for one subscription to changes that misses none, however often its connection is cut. `position` is where
 * the log ended before the lists were read. A client that connects again repeats its document and its variables, so how
 * far it has come stands in a header.
 */
export function createChangesClient({ url, apiKey }: Connection, position: string) {
  let status = 0;
  let last = position;
  return createClient({
    url: `${url}/graphql`,
    headers: () => ({ Authorization: `Bearer ${apiKey}`, "Last-Event-ID": last }),
    on: {
      message: ({ data }) => {
        const eventId = data?.extensions?.eventId;
        if (typeof eventId === "string") last = eventId;
      },
    },
    fetchFn: async (input: string, init: RequestInit) => {
      status = 0;
      const response = await fetch(input, init);
      status = response.status;
      return response;
    },
    retryAttempts: Number.POSITIVE_INFINITY,
    retry: async (retries) => {
      // What is refused once, such as a wrong key, is refused again.
      if (status >= 400 && status < 500) throw new Error(`The answer had the status ${status}.`);
      await new Promise((go) => setTimeout(go, Math.min(2 ** retries * 100, 10_000)));
    },
  });
}
