import type { IncomingHttpHeaders } from "node:http";
import { inTransaction } from "../../domain/changes/transactions.js";
import { type Issue, refuse } from "../../domain/core/errors.js";
import {
  namesStrongly,
  namesWeakly,
  quoted,
  readCondition,
  type TagCondition,
} from "../../http/entity-tags.js";
import { type Answer, type Endpoint, idOf, type RestRequest } from "../contract/contract.js";
import { tagOf } from "../contract/entity-tags.js";
import { verbatim } from "../contract/wire.js";
import { TransportError } from "./errors.js";

// Requests that depend on what a resource is at the time (RFC 9110, section 13).

/** Refuses a condition that the endpoint does not look at: it would seem to protect, and would not. */
export function checkConditions({ lock, method }: Endpoint, headers: IncomingHttpHeaders): void {
  const issues: Issue[] = [];
  if (headers["if-match"] !== undefined && !lock) {
    issues.push({ path: [verbatim("If-Match")], message: "is for PATCH, PUT and DELETE alone" });
  }
  if (headers["if-none-match"] !== undefined && method !== "GET") {
    issues.push({ path: [verbatim("If-None-Match")], message: "is for GET alone" });
  }
  refuse(issues);
}

/**
 * What the endpoint answers. With `If-Match` it changes the resource only while that has one of these tags: both in one
 * transaction, which holds the resource. Throws INVALID_REQUEST for a header that is no list of tags, and
 * PRECONDITION_FAILED with the tag that the resource has.
 */
export async function answerIfMatching(
  endpoint: Endpoint,
  request: RestRequest,
  headers: IncomingHttpHeaders,
): ReturnType<Endpoint["handle"]> {
  const { lock } = endpoint;
  const condition = conditionIn("If-Match", headers["if-match"]);
  if (!lock || condition === null) return endpoint.handle(request);
  return inTransaction(request.context, async (context) => {
    const found = await lock(context, idOf(request));
    // What does not exist is refused as it is without a condition.
    if (found && !namesStrongly(condition, tagOf(found))) throw changedSince(tagOf(found));
    return endpoint.handle({ ...request, context });
  });
}

/** Whether the caller has `answer` already, which it names in `If-None-Match`. Throws as above. */
export function isKnown({ tag }: Answer, headers: IncomingHttpHeaders): boolean {
  const condition = conditionIn("If-None-Match", headers["if-none-match"]);
  return tag !== undefined && condition !== null && namesWeakly(condition, tag);
}

function conditionIn(name: string, header: string | undefined): TagCondition | null {
  if (header === undefined) return null;
  const condition = readCondition(header);
  if (condition === null) {
    refuse([
      {
        path: [verbatim(name)],
        message: 'must be * or tags in quotes, such as "3", as the header ETag has them',
      },
    ]);
  }
  return condition;
}

function changedSince(tag: string): TransportError {
  return new TransportError(
    "PRECONDITION_FAILED",
    "The resource has changed since it was read. Read it again and retry.",
    { ETag: quoted(tag) },
    [
      {
        path: [verbatim("If-Match")],
        message: `must name the current ETag, which is ${quoted(tag)}`,
      },
    ],
  );
}
