import { CombinedError, stringifyDocument } from "@urql/core";
import type { GraphQLError } from "graphql";
import { createClient, type ExecutionResult } from "graphql-sse";
import { FollowChangesDocument, type FollowChangesSubscription } from "../generated/operations.js";
import { GRAPHQL_URL } from "./places.js";
import { isUnauthenticated, type Problem, problemOf } from "./problems.js";
import { retryAfterOf } from "./retries.js";

export type ChangeEvent = FollowChangesSubscription["changes"];

/** Why a stream ended. */
export type Ending =
  /** It can be opened again, after so many milliseconds when the server asks for that. */
  | { readonly kind: "lost"; readonly retryAfter: number }
  /** The log no longer reaches back to where it was to begin. */
  | { readonly kind: "gone" }
  /** The server does not know the key, or no longer. */
  | { readonly kind: "refused"; readonly problem: Problem };

interface Listener {
  onOpen(): void;
  /** `position` is where the log is followed to, with this change if there is one. */
  onEvent(position: string | null, change: ChangeEvent | null): void;
  /** Called once, unless the stream was closed before. */
  onEnd(ending: Ending): void;
}

/** Who has no answer for so long tries again. */
const MOST_WAIT_MS = 15_000;
/** The server sends something every 25 seconds. Who hears nothing for so long connects again. */
const MOST_SILENCE_MS = 60_000;

/** Opens one stream of all changes after `position`. Returns a function that closes it. */
export function openChangeStream(key: string, position: string, listener: Listener): () => void {
  let isOver = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let ending: Ending = { kind: "lost", retryAfter: 0 };
  let answer: Response | undefined;
  const close = () => {
    isOver = true;
    clearTimeout(silence);
    client.dispose();
  };
  const end = (ending: Ending) => {
    if (isOver) return;
    close();
    listener.onEnd(ending);
  };
  const hear = (limit: number) => {
    if (isOver) return;
    clearTimeout(silence);
    silence = setTimeout(() => end({ kind: "lost", retryAfter: 0 }), limit);
  };

  const client = createClient({
    url: GRAPHQL_URL,
    headers: { authorization: `Bearer ${key}`, "last-event-id": position },
    retryAttempts: 0,
    fetchFn: async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      answer = response;
      if (!response.ok || !response.body) {
        ending = await endingOf(response.clone());
        return response;
      }
      hear(MOST_SILENCE_MS);
      if (!isOver) listener.onOpen();
      return new Response(
        response.body.pipeThrough(listening(() => hear(MOST_SILENCE_MS))),
        response,
      );
    },
  });
  hear(MOST_WAIT_MS);
  client.subscribe<FollowChangesSubscription>(
    { query: stringifyDocument(FollowChangesDocument) },
    {
      next(result) {
        if (isOver) return;
        const refusal = refusalOf(result, answer);
        if (refusal) return end(refusal);
        const { eventId }: { eventId?: unknown } = result.extensions ?? {};
        const position = typeof eventId === "string" ? eventId : null;
        listener.onEvent(position, result.data?.changes ?? null);
      },
      error: () => end(ending),
      complete: () => end(ending),
    },
  );
  return close;
}

/** The end that an event is; null when the stream goes on, or its end says the same. */
function refusalOf(
  { errors }: ExecutionResult<FollowChangesSubscription, unknown>,
  response: Response | undefined,
): Ending | null {
  if (!errors) return null;
  const error = new CombinedError({ graphQLErrors: [...errors], response });
  if (isUnauthenticated(error)) return { kind: "refused", problem: problemOf(error) };
  const { code } = problemOf(error);
  return code === "GONE" || code === "INVALID_REQUEST" ? { kind: "gone" } : null;
}

/** The end that a refusing answer is: JSON, or a stream of one event with the same. */
async function endingOf(response: Response): Promise<Ending> {
  const text = await response.text().catch(() => "");
  const [, event] = /^data: (.+)$/m.exec(text) ?? [];
  const error = new CombinedError({ graphQLErrors: errorsIn(event ?? text), response });
  return isUnauthenticated(error)
    ? { kind: "refused", problem: problemOf(error) }
    : { kind: "lost", retryAfter: retryAfterOf(response.headers) };
}

function errorsIn(text: string): GraphQLError[] {
  try {
    const { errors = [] }: ExecutionResult = JSON.parse(text);
    return [...errors];
  } catch {
    return [];
  }
}

function listening(onBytes: () => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(bytes, controller) {
      onBytes();
      controller.enqueue(bytes);
    },
  });
}
