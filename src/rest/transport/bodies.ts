import type { IncomingMessage } from "node:http";
import { depthIssues } from "../../domain/core/depth.js";
import { invalidRequest, refuse } from "../../domain/core/errors.js";
import { DECLARE_JSON, isDeclaredAs, isJsonObject, parseBody, readBytes } from "../../http/body.js";
import { fromWire } from "../contract/wire.js";
import { TransportError } from "./errors.js";

const MAX_BODY_BYTES = 128 * 1024;
const TYPES = new Set(["application/json"]);

/**
 * The JSON object in the body, in the domain's spelling; `{}` when there is no body, with any content type. Throws
 * BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST for what is no JSON object, and ClientGone.
 */
export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request, MAX_BODY_BYTES);
  if (!bytes) {
    const message = `The body may have at most ${MAX_BODY_BYTES} bytes.`;
    throw new TransportError("BODY_TOO_LARGE", message, { Connection: "close" });
  }
  if (bytes.length === 0) return {};
  if (!isDeclaredAs(TYPES, request)) {
    throw new TransportError("UNSUPPORTED_MEDIA_TYPE", DECLARE_JSON);
  }
  const value = parseBody(bytes, () => bodyRefusal("is not valid JSON in UTF-8"));
  refuse(depthIssues(value, []));
  const body = fromWire(value);
  if (!isJsonObject(body)) throw bodyRefusal("must be a JSON object");
  return { ...body };
}

function bodyRefusal(message: string): Error {
  return invalidRequest([{ path: [], message }]);
}
