import type { IncomingMessage } from "node:http";
import { quoted } from "../../http/entity-tags.js";
import { REPLAYED } from "../../http/idempotency-key.js";
import type { Endpoint, RestRequest } from "../contract/contract.js";
import { answerIfMatching, checkConditions, isKnown } from "./preconditions.js";
import { answerOnce, repeatKeyOf } from "./repeats.js";

/**
 * The response of an endpoint, under the conditions and the `Idempotency-Key` of a request. Throws what the endpoint
 * throws, and the refusals of both.
 */
export async function respond(
  endpoint: Endpoint,
  request: RestRequest,
  incoming: IncomingMessage,
): Promise<Response> {
  checkConditions(endpoint, incoming.headers);
  const key = repeatKeyOf(incoming);
  if (key !== null) {
    const { text, tag, isRepeated } = await answerOnce(endpoint, request, incoming, key);
    const headers = { ...tagHeader(tag), ...(isRepeated && { [REPLAYED]: "true" }) };
    return json(text, endpoint.status, headers);
  }
  const answer = await answerIfMatching(endpoint, request, incoming.headers);
  if (answer instanceof Response) return answer;
  const { body, tag } = answer;
  if (body === undefined) return new Response(null, { status: endpoint.status });
  if (endpoint.method === "GET" && isKnown(answer, incoming.headers)) {
    return new Response(null, { status: 304, headers: tagHeader(tag) });
  }
  return json(JSON.stringify(body), endpoint.status, tagHeader(tag));
}

function json(text: string, status: number, headers: Readonly<Record<string, string>>): Response {
  // As Headers: of a plain object the adapter keeps the length to itself, and compression takes it for unknown.
  const all = new Headers({ "Content-Type": "application/json", ...headers });
  return new Response(text, { status, headers: all });
}

function tagHeader(tag: string | undefined): Record<string, string> {
  return tag === undefined ? {} : { ETag: quoted(tag) };
}
