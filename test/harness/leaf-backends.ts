import { httpResponseBackend, staticBackend, tunnelGroupBackend } from "./resources.js";
import type { TestServer } from "./server.js";
import type { Transport } from "./transports.js";

/** One backend of each kind that has no children, to be the children of others. */
export async function leafBackends(
  server: TestServer,
  transport: Transport,
): Promise<[string, string, string]> {
  return [
    (await transport.drive(server, httpResponseBackend).create()).id,
    (await transport.drive(server, staticBackend).create({ address: "a.internal:80" })).id,
    (await transport.drive(server, tunnelGroupBackend).create()).id,
  ];
}
