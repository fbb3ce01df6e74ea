import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpResponseBackend } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("HTTP response backends over $name", (transport) => {
  let responses: Driver;
  beforeAll(() => {
    responses = transport.drive(server, httpResponseBackend);
  });

  it("answers 200 without headers and body when unspecified", async () => {
    const unset = { statusCode: 0, headers: {}, body: "" };
    const shown = { statusCode: 200, headers: {}, body: "" };
    expect(await responses.create()).toMatchObject(shown);
    expect(await responses.create(unset)).toMatchObject(shown);
  });

  it("keeps headers as given, in the order given", async () => {
    const headers = { "X-B": "2", "x-a": "1", "10": "", ETag: '"é"'.replace("é", "e") };
    const { id } = await responses.create({ headers, statusCode: 404, body: "Höhle\n" });
    const shown = await responses.get(id);
    expect(shown).toMatchObject({ headers, statusCode: 404, body: "Höhle\n" });
  });

  it("leaves the status as it is with 0 in an update", async () => {
    const { id } = await responses.create({ statusCode: 503 });
    expect((await responses.update(id, { statusCode: 0 })).statusCode).toBe(503);
  });

  it.each([199, 600, 1, -1])("refuses the status %d", async (statusCode) => {
    await expect(responses.create({ statusCode })).rejects.toMatchObject({
      paths: ["statusCode"],
    });
  });

  it("refuses headers that are none", async () => {
    const headers = { "a b": "1", ok: "line\r\nbreak", Same: "1", same: "2" };
    const { issues } = await responses.create({ headers }).catch((error) => error);
    expect(Object.keys(issues)).toHaveLength(3);
  });
});
