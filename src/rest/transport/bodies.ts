import type { IncomingMessage } from "node:http";
import { depthIssues } from "../../domain/core/depth.js";
import { invalidRequest, refuse } from "../../domain/core/errors.js";
import { readBytes } from "../../http/body.js";
import { fromWire } from "../contract/wire.js";
import { TransportError } from "./errors.js";

const MAX_BODY_BYTES = 128 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON object in the body, in the domain's spelling; `{}` when there is no body.
 * Throws BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST for what is no JSON object, and ClientGone.
 */
export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request, MAX_BODY_BYTES);
  if (!bytes) {
    const message = `The body may have at most ${MAX_BODY_BYTES} bytes.`;
    throw new TransportError("BODY_TOO_LARGE", message, { Connection: "close" });
  }
  if (bytes.length === 0) return {};
  if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
    throw new TransportError(
      "UNSUPPORTED_MEDIA_TYPE",
      "Send the body as JSON with the header: Content-Type: application/json.",
    );
  }
  const body = fromWire(parseJson(bytes));
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalidRequest([{ path: [], message: "must be a JSON object" }]);
  }
  return { ...body };
}

function parseJson(bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    throw invalidRequest([{ path: [], message: "is not valid JSON in UTF-8" }]);
  }
  refuse(depthIssues(value, []));
  return value;
}
