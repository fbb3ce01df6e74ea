import { isAsyncIterable, type Plugin } from "graphql-yoga";
import type { EventStream, GraphqlContext } from "./builder.js";

/** What the answer to one request shares with the subscription that it carries. */
export interface EventStreamContext {
  readonly events: EventStream;
}

/**
 * Gives each event of a subscription over SSE its id, as `id:` for clients that send it back in
 * `Last-Event-ID` when they connect again, and as `extensions.eventId`.
 */
export function eventIds(): Plugin<GraphqlContext, EventStreamContext> {
  return {
    onSubscribe({ args }) {
      const { events }: EventStreamContext = args.contextValue;
      return {
        onSubscribeResult: () => ({
          onNext({ result, setResult }) {
            if (isAsyncIterable(result) || events.lastId === null) return;
            setResult({ ...result, extensions: { ...result.extensions, eventId: events.lastId } });
          },
        }),
      };
    },
    onResponse({ response, setResponse, fetchAPI }) {
      if (response.headers.get("content-type") !== "text/event-stream" || !response.body) return;
      setResponse(new fetchAPI.Response(response.body.pipeThrough(withIdLines()), response));
    },
  };
}

const DATA = "data: ";

function withIdLines(): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  return new TransformStream({
    transform(chunk, controller) {
      const text = decoder.decode(chunk);
      const id = text.startsWith(DATA) ? eventIdOf(text.slice(DATA.length)) : null;
      if (id !== null) controller.enqueue(encoder.encode(`id: ${id}\n`));
      controller.enqueue(chunk);
    },
  });
}

function eventIdOf(data: string): string | null {
  const { extensions }: { extensions?: { eventId?: unknown } } = JSON.parse(data);
  return typeof extensions?.eventId === "string" ? extensions.eventId : null;
}
