import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ExecutionResult, GraphQLError } from "graphql";
import { isAsyncIterable, type Plugin } from "graphql-yoga";
import type { Trace } from "../../trace.js";
import type { EventStream, GraphqlContext } from "../builder/builder.js";

/** The state that a response shares with the subscription that it carries. */
export interface EventStreamContext {
  readonly events: EventStream;
}

interface ServerContext extends EventStreamContext {
  readonly res: ServerResponse;
  readonly trace: Trace;
}

/** For who asks in another way. */
export const HOW_TO_SUBSCRIBE =
  "Send a subscription by POST with the header Accept: text/event-stream. Its events come as server-sent events (SSE).";

/** The interval of pings, so that proxies do not close a quiet stream, and of looks whether the client reads. */
const PING_EVERY_MS = 25_000;
/** A client that takes nothing so often in a row, though there is more for it, is taken to be gone. */
const MOST_STALLED_PINGS = 2;
const SLICE_BYTES = 64 * 1024;
/**
 * After so long without a word the system asks the other end whether it is there, and ends the connection when it has not
 * answered within ten seconds: before the next ping, since it does not ask while it has something to send.
 */
const PROBE_AFTER_MS = 12_000;
const PING = Buffer.from(":\n\n");
const COMPLETE = Buffer.from("event: complete\ndata:\n\n");

/**
 * Gives each event of a subscription its id as `extensions.eventId`, which `eventStreams` writes as `id:` too, for
 * clients that send it back in `Last-Event-ID` when they connect again.
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
  };
}

/**
 * Sends subscriptions over SSE, in the distinct connections mode of the graphql-sse protocol. It replaces the library's
 * own writer: subscribers that get the same data are sent the same bytes. It must be before plugins that answer clients
 * without SSE.
 */
export function eventStreams(): Plugin<GraphqlContext, ServerContext> {
  const encode = eventEncoder();
  return {
    onResultProcess({ result, resultProcessor, setResultProcessor, serverContext }) {
      // The library sends results that go on over SSE alone, and has no writer for who does not take that.
      if (!isAsyncIterable(result) || !resultProcessor) return;
      const { res, trace } = serverContext;
      const onFailure = (error: Error) => {
        trace.defect = error;
        res.destroy();
      };
      setResultProcessor((_, { Response }) => {
        res.socket?.setKeepAlive(true, PROBE_AFTER_MS);
        const results = result[Symbol.asyncIterator]();
        const body = eventStream(results, encode, () => res.destroy()).on("error", onFailure);
        // As the library's writer has them.
        const headers = {
          "Content-Type": "text/event-stream",
          Connection: "keep-alive",
          "Content-Encoding": "none",
        };
        // The library's class takes a stream of Node as well, which its type does not say.
        return new Response(body as unknown as BodyInit, { headers });
      }, "text/event-stream");
    },
    onResponse({ response }) {
      if (response.headers.get("content-type") !== "text/event-stream") return;
      // As of every other answer; the library's `no-cache` would let caches keep it.
      response.headers.set("cache-control", "no-store");
    },
  };
}

/**
 * The results as they come, no faster than they are taken away. An error of the stream is a defect. `onStalled` is called
 * when nothing is taken away for long.
 */
function eventStream(
  results: AsyncIterator<ExecutionResult>,
  encode: (result: ExecutionResult) => Buffer,
  onStalled: () => void,
): Readable {
  let isWaiting = false;
  let pushedBytes = 0;
  let takenBefore = 0;
  let pings: NodeJS.Timeout | undefined;
  let stalledPings = 0;
  const push = (bytes: Buffer) => {
    pushedBytes += bytes.length;
    // In slices, so that a client takes something though it takes long for the whole.
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
      stream.push(bytes.subarray(start, start + SLICE_BYTES));
    }
  };
  const ping = () => {
    const taken = pushedBytes - stream.readableLength;
    stalledPings = taken === takenBefore ? stalledPings + 1 : 0;
    takenBefore = taken;
    if (taken === pushedBytes) push(PING);
    else if (stalledPings === MOST_STALLED_PINGS) onStalled();
  };
  const stream = new Readable({
    read() {
      pings ??= setInterval(ping, PING_EVERY_MS);
      // After a ping more is asked for, though the next result is awaited already.
      if (isWaiting) return;
      isWaiting = true;
      results
        .next()
        .then(({ value, done }) => {
          isWaiting = false;
          if (!done) return push(encode(value));
          clearInterval(pings);
          push(COMPLETE);
          stream.push(null);
        })
        .catch((error: Error) => stream.destroy(error));
    },
    destroy(error, done) {
      clearInterval(pings);
      results.return?.().catch(() => {});
      done(error);
    },
  });
  // Some browsers hold back the headers until something follows.
  push(PING);
  return stream;
}

/** Encodes an event of the graphql-sse protocol. Data that many results share becomes text and bytes once. */
function eventEncoder(): (result: ExecutionResult) => Buffer {
  const encoded = new WeakMap<object, { readonly extensions: string; readonly bytes: Buffer }>();
  return ({ data, errors, extensions = {} }) => {
    if (errors || !data) {
      return bytesOf(JSON.stringify({ errors: errors?.map(shown), data, extensions }), extensions);
    }
    const own = JSON.stringify(extensions);
    const known = encoded.get(data);
    if (known?.extensions === own) return known.bytes;
    const bytes = bytesOf(`{"data":${JSON.stringify(data)},"extensions":${own}}`, extensions);
    encoded.set(data, { extensions: own, bytes });
    return bytes;
  };
}

/** Without what was meant for an answer that is sent alone: its status. */
function shown(error: GraphQLError) {
  const { http, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions };
}

function bytesOf(data: string, { eventId }: Readonly<Record<string, unknown>>): Buffer {
  const id = typeof eventId === "string" ? `id: ${eventId}\n` : "";
  return Buffer.from(`event: next\n${id}data: ${data}\n\n`);
}
