import type { FetchAPI } from "graphql-yoga";
import { ANSWERS, type TransportErrorCode } from "../builder/errors.js";

const MESSAGE =
  "This server has no single connection mode of graphql-sse. Use distinct connections: set `singleConnection: false` in the client.";
/** The client of graphql-sse drops the body of a refusal, and shows the developer this. */
const REASON = "Use distinct connections: set singleConnection to false";

/**
 * The refusal, with its code, of a request in the single connection mode of graphql-sse, in which events come on a connection that was
 * reserved by PUT; null for other requests.
 */
export function singleConnectionRefusal(
  { method, url, headers }: Request,
  { Response, URL }: FetchAPI,
): { readonly code: TransportErrorCode; readonly response: Response } | null {
  const isReserving = method === "PUT";
  const hasToken =
    headers.has("x-graphql-event-stream-token") ||
    (url.includes("token=") && new URL(url).searchParams.has("token"));
  if (!isReserving && !hasToken) return null;
  const code = isReserving ? "METHOD_NOT_ALLOWED" : "BAD_REQUEST";
  const response = Response.json(
    { errors: [{ message: MESSAGE, extensions: { code } }] },
    {
      status: ANSWERS[code].status,
      statusText: REASON,
      headers: isReserving ? { Allow: "GET, POST" } : {},
    },
  );
  return { code, response };
}
