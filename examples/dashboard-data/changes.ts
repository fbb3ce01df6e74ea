import { createClient, type ExecutionResult } from "graphql-sse";

/** Where the service is, and the key that it asks for. */
export interface Connection {
  readonly url: string;
  readonly apiKey: string;
}

/** Who follows a subscription. */
export interface Follower<Data> {
  next(result: ExecutionResult<Data>): void;
  /** Nothing more will come: it was refused, such as for a wrong key. */
  error(error: unknown): void;
  /** Nothing more will come: the last result says why. */
  complete(): void;
}

/**
 * Follows a subscription to changes without missing any, however often its connection is cut. `position` is where the
 * log ended before the lists were read. Returns a function that stops it.
 */
export function followChanges<Data extends Record<string, unknown>>(
  { url, apiKey }: Connection,
  position: string,
  query: string,
  follower: Follower<Data>,
): () => void {
  let isStopped = false;
  let status = 0;
  let failures = 0;
  let last = position;
  const client = createClient({
    url: `${url}/graphql`,
    // Asked each time that it connects: how far it has come.
    headers: () => ({ Authorization: `Bearer ${apiKey}`, "Last-Event-ID": last }),
    on: {
      message: ({ data }) => {
        const eventId = data?.extensions?.eventId;
        if (typeof eventId === "string") last = eventId;
        failures = 0;
      },
    },
    fetchFn: async (input: string, init: RequestInit) => {
      status = 0;
      const response = await fetch(input, init);
      status = response.status;
      return response;
    },
    retryAttempts: 0,
  });
  const subscribe = () => {
    if (isStopped) return;
    client.subscribe<Data, Record<string, unknown>>(
      { query },
      {
        next: (result) => follower.next(result),
        complete: () => follower.complete(),
        error: (error) => {
          // What is refused once is refused again; everything else passes.
          if (status >= 400 && status < 500) return follower.error(error);
          failures += 1;
          setTimeout(subscribe, Math.min(2 ** failures * 50, 10_000));
        },
      },
    );
  };
  subscribe();
  return () => {
    isStopped = true;
    client.dispose();
  };
}
