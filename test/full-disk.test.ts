import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import { graphql, rest } from "./harness/transports.js";

// What callers are told while the disk of the database has no room.

let full = false;
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ isDiskFull: () => full });
});
afterAll(() => server.stop());

const MESSAGE =
  "The disk of the database is full. Reads still work; changes are accepted again when there is free space.";

it("every change is refused with 503 and a word, reads go on, and changes too once there is room", async () => {
  const { body: policy } = await rest(server, "POST", "/ip_policies", { description: "before" });
  const path = `/ip_policies/${policy.id}`;
  full = true;
  for (const [method, at, body] of [
    ["POST", "/ip_policies", {}],
    ["PATCH", path, { description: "during" }],
    ["DELETE", path, undefined],
    ["POST", "/ssh_certificate_authorities", {}],
    ["PUT", "/edges/https/edghts_1/mutual_tls", {}],
  ] as const) {
    const refused = await rest(server, method, at, body);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.body).toMatchObject({ error_code: "ERR_UNAVAILABLE", msg: MESSAGE });
  }
  await expect(
    graphql(server, "mutation { createIpPolicy(input: {}) { ipPolicy { id } } }"),
  ).rejects.toMatchObject({ code: "UNAVAILABLE", message: `UNAVAILABLE: ${MESSAGE}` });
  const forbidden = await rest(server, "DELETE", path, undefined, {
    Authorization: `Bearer ${server.readKey}`,
  });
  expect(forbidden.status).toBe(403);

  expect((await rest(server, "GET", path)).body.description).toBe("before");
  const { ipPolicy } = await graphql(
    server,
    "query($id: ID!) { ipPolicy(id: $id) { description } }",
    {
      id: policy.id,
    },
  );
  expect(ipPolicy.description).toBe("before");
  full = false;
  expect((await rest(server, "PATCH", path, { description: "after" })).status).toBe(200);
});
