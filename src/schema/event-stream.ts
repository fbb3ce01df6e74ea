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
      const answer = new fetchAPI.Response(response.body.pipeThrough(withIdLines()), response);
      // As of every other answer; the library's `no-cache` would let caches keep it.
      answer.headers.set("cache-control", "no-store");
      setResponse(answer);
    },
  };
}

/** What ends an event of SSE, and what its data stands after. */
const END = "\n\n";
const DATA = "\ndata: ";

function withIdLines(): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const events = (rest + decoder.decode(chunk, { stream: true })).split(END);
      rest = events.pop() ?? "";
      for (const event of events) controller.enqueue(encoder.encode(withIdLine(event) + END));
    },
  });
}

function withIdLine(event: string): string {
  const [head = "", data = ""] = event.split(DATA, 2);
  if (data === "") return event;
  const { extensions }: { extensions?: { eventId?: unknown } } = JSON.parse(data);
  return extensions?.eventId ? `${head}\nid: ${extensions.eventId}${DATA}${data}` : event;
}
