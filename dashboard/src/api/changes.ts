import { stringifyDocument } from "@urql/core";
import { createClient, type ExecutionResult } from "graphql-sse";
import { FollowChangesDocument, type FollowChangesSubscription } from "../generated/operations.js";
import { GRAPHQL_URL } from "./places.js";

export type ChangeEvent = FollowChangesSubscription["changes"];

interface Follower {
  /** What was changed, in order and without a gap. */
  onChange(change: ChangeEvent): void;
  /** Whether the server can be heard. */
  onConnection(isConnected: boolean): void;
  /** The log no longer reaches back to `position`: everything is to be read again. */
  onGone(): void;
  /** The server does not know the key, or no longer. */
  onRefused(): void;
}

/** The server sends something every 25 seconds. Who hears nothing for so long connects again. */
const MOST_SILENCE_MS = 60_000;
const MOST_PAUSE_MS = 10_000;

/**
 * Follows all changes after `position`, however often the connection is cut. While the tab is hidden it rests, since a
 * browser has few connections for all tabs of an origin. Returns a function that stops it.
 */
export function followChanges(key: string, position: string, follower: Follower): () => void {
  let last = position;
  let failures = 0;
  let status = 0;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let unsubscribe: (() => void) | null = null;

  const client = createClient({
    url: GRAPHQL_URL,
    headers: () => ({ authorization: `Bearer ${key}`, "last-event-id": last }),
    retryAttempts: 0,
    on: {
      message: ({ data }) => {
        const eventId = data?.extensions?.eventId;
        if (typeof eventId === "string") last = eventId;
      },
    },
    fetchFn: async (url: string, init: RequestInit) => {
      status = 0;
      const response = await fetch(url, init);
      status = response.status;
      if (!response.ok || !response.body) return response;
      failures = 0;
      follower.onConnection(true);
      return new Response(response.body.pipeThrough(listening(heard)), response);
    },
  });

  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(again, MOST_SILENCE_MS);
  };
  const again = () => {
    disconnect();
    failures += 1;
    follower.onConnection(false);
    retry = setTimeout(connect, Math.min(100 * 2 ** failures, MOST_PAUSE_MS));
  };
  const connect = () => {
    if (document.hidden || unsubscribe) return;
    const query = stringifyDocument(FollowChangesDocument);
    unsubscribe = client.subscribe<FollowChangesSubscription>(
      { query },
      {
        next: (result) => receive(result),
        error: () => {
          if (status === 401) return follower.onRefused();
          again();
        },
        complete: () => {
          if (unsubscribe) again();
        },
      },
    );
    heard();
  };
  const disconnect = () => {
    clearTimeout(silence);
    clearTimeout(retry);
    const stop = unsubscribe;
    unsubscribe = null;
    stop?.();
  };
  const receive = ({ data, errors }: ExecutionResult<FollowChangesSubscription, unknown>) => {
    if (data?.changes) return follower.onChange(data.changes);
    const code = errors?.[0]?.extensions?.code;
    if (code === "UNAUTHENTICATED") return follower.onRefused();
    if (code === "GONE" || code === "INVALID_REQUEST") {
      disconnect();
      follower.onGone();
    }
  };
  const onVisibility = () => (document.hidden ? disconnect() : connect());

  document.addEventListener("visibilitychange", onVisibility);
  connect();
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    disconnect();
    client.dispose();
  };
}

function listening(onBytes: () => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(bytes, controller) {
      onBytes();
      controller.enqueue(bytes);
    },
  });
}
