import type { IncomingMessage } from "node:http";

/** The client went, or broke the protocol, before all of its body had come: nobody waits for an answer. */
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
