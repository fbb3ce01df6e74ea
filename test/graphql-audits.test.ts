import { serverAudits } from "graphql-http";
import { afterAll, beforeAll, describe, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";

// The audits of the GraphQL over HTTP specification, with authentication and limits as they ship.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe("GraphQL over HTTP", () => {
  const audits = serverAudits({
    url: () => `${server.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, {
        ...init,
        headers: { ...init.headers, Authorization: `Bearer ${server.writeKey}` },
      }),
  });

  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
    "%s: %s",
    async (_id, _name, audit) => {
      const result = await audit.fn();
      if (result.status !== "ok") throw new Error(`${result.status}: ${result.reason}`);
    },
  );
});
