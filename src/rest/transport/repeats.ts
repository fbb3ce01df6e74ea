import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { runOnce } from "../../domain/changes/repeatable-requests.js";
import { refuse } from "../../domain/core/errors.js";
import {
  IDEMPOTENCY_KEY,
  idempotencyKeyOf,
  idempotencyKeyProblem,
} from "../../http/idempotency-key.js";
import { pathOf } from "../../http/target.js";
import type { Endpoint, RestRequest } from "../contract/contract.js";
import { verbatim } from "../contract/wire.js";

/** An answer as it is sent. */
export interface SentAnswer {
  /** JSON. */
  readonly text: string;
  readonly tag: string | undefined;
  /** It was given before, and nothing has happened now. */
  readonly isRepeated: boolean;
}

const kept = z.object({ text: z.string(), tag: z.string().optional() });

/** The key under which a POST may be repeated; null when there is none. Throws INVALID_REQUEST for what is no key. */
export function repeatKeyOf(incoming: IncomingMessage): string | null {
  const key = idempotencyKeyOf(incoming);
  if (incoming.method !== "POST" || key === null) return null;
  const message = idempotencyKeyProblem(key);
  refuse(message === null ? [] : [{ path: [verbatim(IDEMPOTENCY_KEY)], message }]);
  return key;
}

/** What the endpoint answers, or answered when the same was asked under the same key. Throws as `runOnce` does. */
export async function answerOnce(
  endpoint: Endpoint,
  request: RestRequest,
  incoming: IncomingMessage,
  key: string,
): Promise<SentAnswer> {
  const asks = [incoming.method, pathOf(incoming), request.body];
  const answer = await runOnce(request.context, { key, asks }, async (context) => {
    const answer = await endpoint.handle({ ...request, context });
    if (answer instanceof Response) throw new Error("Only JSON can be given again.");
    const { body, tag } = answer;
    return JSON.stringify({ text: JSON.stringify(body), tag });
  });
  const { text, tag } = kept.parse(JSON.parse(answer.text));
  return { text, tag, isRepeated: answer.isRepeated };
}
