import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** Runs `use` with the URL of a proxy that serves `target` below a path, as `http://127.0.0.1:1234/edge`. */
export async function belowPath(
  target: string,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const proxy = createServer((incoming, outgoing) => {
    const { method = "GET", headers, url = "" } = incoming;
    const path = url.startsWith("/edge/") ? url.slice("/edge".length) : "/elsewhere";
    const forwarded = request(target + path, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  try {
    await use(`http://127.0.0.1:${port}/edge`);
  } finally {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
}
