import type { IncomingMessage } from "node:http";

// The handling of bodies that both transports share. Each transport has its own size limit, content types and refusals.

/** The message for a body with another Content-Type. */
export const DECLARE_JSON =
  "Send the body as JSON with the header: Content-Type: application/json.";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The client disconnected, or broke the protocol, before its whole body arrived. Nobody waits for a response. */
export class ClientGone extends Error {
  constructor() {
    super("The client went before its request had come.");
    this.name = "ClientGone";
  }
}

/**
 * The body of a request, or null when it has more than `maxBytes`. Throws ClientGone. Read from node's own request:
 * a web stream in between would cost more than all of the rest.
 */
export function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    if (request.destroyed && !request.readableEnded) reject(new ClientGone());
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      resolve(null);
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => reject(new ClientGone()));
  });
}

/** Whether a request declares its body as one of `types`, which are in lower case. Parameters do not count. */
export function isDeclaredAs(types: ReadonlySet<string>, { headers }: IncomingMessage): boolean {
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  return types.has(type.trimEnd().toLowerCase());
}

/** The value of a body that is JSON in UTF-8. Throws what `refusal` makes of one that is not. */
export function parseBody(
  bytes: Buffer,
  refusal: (problem: "NOT_UTF8" | "NOT_JSON") => Error,
): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw refusal("NOT_UTF8");
  }
  return parseJson(text, () => refusal("NOT_JSON"));
}

/** The value of a JSON text. Throws what `refusal` makes when it is none. */
export function parseJson(text: string, refusal: () => Error): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal();
  }
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
