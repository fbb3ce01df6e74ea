import type { IncomingMessage, ServerResponse } from "node:http";
import { constants } from "node:zlib";
import compression from "compression";

/** Bytes below which compression saves no packet. */
const THRESHOLD = 1024;
/** Higher levels take twice as long, and save 2 % of our JSON. */
const GZIP_LEVEL = 3;
/** The window bounds the memory of each answer, to 2^18 bytes and its index. */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 },
};

/**
 * Compresses what is written to a response, with the encoding that its client prefers of br, gzip and deflate. It acts
 * when the headers are sent. Event streams stay as they are, since each event is to leave at once.
 */
export function createCompression(): (request: IncomingMessage, response: ServerResponse) => void {
  const middleware = compression({
    threshold: THRESHOLD,
    level: GZIP_LEVEL,
    brotli: BROTLI,
    filter: (request, response) =>
      !isEventStream(response) && compression.filter(request, response),
  });
  return (request, response) => middleware(request, response, () => {});
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader("Content-Type")).startsWith("text/event-stream");
}
