import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFirstApiKey } from "../src/domain/api-keys.js";
import { apiKey } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, graphql, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("API keys over $name", (transport) => {
  let keys: Driver;
  beforeAll(() => {
    keys = transport.drive(server, apiKey);
  });

  it("creates a key that works at once and may write when unspecified", async () => {
    const created = await keys.create({ description: "ci", ownerId: "build team" });
    expect(created).toMatchObject({ description: "ci", ownerId: "build team", scope: "write" });
    expect(created.id).toMatch(/^ak_[0-9A-Za-z]{27}$/);
    const own = transport.drive(server, apiKey, created.token);
    expect((await own.get(created.id)).id).toBe(created.id);
    expect((await own.create()).token).toMatch(/^[0-9A-Za-z]{27}_[\w-]{32}$/);
  });

  it("shows the token once", async () => {
    const { token, ...created } = await keys.create();
    expect(token).toEqual(expect.any(String));
    expect(await keys.get(created.id)).toEqual({ ...created, token: null });
    const { items } = await keys.page(1);
    expect(items).toEqual([{ ...created, token: null }]);
    expect(await keys.update(created.id, { metadata: "m" })).toMatchObject({ token: null });
  });

  it("stores no token", async () => {
    const { id, token } = await keys.create();
    const row = await server.context.db.apiKey.findUniqueOrThrow({ where: { id } });
    const secret = String(token).split("_").slice(1).join("_");
    const stored = Buffer.from(row.tokenHash);
    expect(stored).toHaveLength(32);
    expect(stored.includes(secret) || JSON.stringify(row).includes(secret)).toBe(false);
  });

  it("revokes a key at once when it is deleted", async () => {
    const { id, token } = await keys.create();
    const own = transport.drive(server, apiKey, token);
    await own.remove(id);
    await expect(own.get(id)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(keys.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("lets a key with the scope read read and nothing else", async () => {
    const { id, token } = await keys.create({ scope: "read" });
    const reader = transport.drive(server, apiKey, token);
    expect(await reader.get(id)).toMatchObject({ scope: "read", token: null });
    await expect(reader.create({ scope: "write" })).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(reader.update(id, {})).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(reader.remove(id)).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it("keeps owner and scope, and changes only what an update names", async () => {
    const { id } = await keys.create({ description: "a", metadata: "b", scope: "read" });
    expect(await keys.update(id, { description: "" })).toMatchObject({
      description: "",
      metadata: "b",
      scope: "read",
    });
  });

  it("reports every problem at once", async () => {
    await expect(
      keys.create({ description: "x".repeat(256), ownerId: "x".repeat(256) }),
    ).rejects.toMatchObject({ code: "INVALID_REQUEST", paths: ["description", "ownerId"] });
  });
});

describe("API keys", () => {
  it("takes an empty scope over REST as unspecified and refuses an unknown one", async () => {
    const { body } = await rest(server, "POST", "/api_keys", { scope: "" });
    expect(body.scope).toBe("write");
    const refused = await rest(server, "POST", "/api_keys", { scope: "admin" });
    expect(refused).toMatchObject({
      status: 400,
      body: { details: { scope: 'must be one of "read", "write"' } },
    });
  });

  it("answers every unusable credential alike", async () => {
    const revoked = (await rest(server, "POST", "/api_keys")).body;
    await rest(server, "DELETE", `/api_keys/${revoked.id}`);
    const unusable = [
      "",
      "Bearer",
      "Bearer ",
      "Basic dXNlcjpwYXNz",
      "Bearer two words",
      `Bearer ${"x".repeat(600)}`,
      "Bearer unknown",
      `Bearer ${revoked.token}`,
      `Bearer ${server.writeKey.slice(0, -1)}`,
    ];
    for (const authorization of unusable) {
      const { status, headers, body } = await rest(server, "GET", "/api_keys", undefined, {
        Authorization: authorization,
      });
      expect({ status, challenge: headers.get("www-authenticate"), body }).toEqual({
        status: 401,
        challenge: "Bearer",
        body: {
          error_code: "ERR_UNAUTHENTICATED",
          status_code: 401,
          msg: "This needs a valid API key in the header: Authorization: Bearer <API key>.",
          details: { operation_id: headers.get("operation-id") },
        },
      });
      const response = await fetch(`${server.url}/graphql`, {
        method: "POST",
        headers: { Authorization: authorization, "Content-Type": "application/json" },
        body: JSON.stringify({ query: "{ apiKeys { totalCount } }" }),
      });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(await response.json()).toMatchObject({
        errors: [
          {
            message: "This needs a valid API key in the header: Authorization: Bearer <API key>.",
            extensions: { code: "UNAUTHENTICATED" },
          },
        ],
      });
    }
  });

  it("counts all keys", async () => {
    const count = await server.context.db.apiKey.count();
    expect(await graphql(server, "{ apiKeys(first: 1) { totalCount } }")).toEqual({
      apiKeys: { totalCount: count },
    });
  });

  it("has one first key, also when several processes make it at once", async () => {
    const fresh = await startServer();
    await fresh.context.db.apiKey.deleteMany();
    const made = await Promise.all(
      Array.from({ length: 6 }, () => createFirstApiKey(fresh.context)),
    );
    const [first, ...others] = made.filter((key) => key !== null);
    expect(first).toMatchObject({ scope: "write", token: expect.stringMatching(/_/) });
    expect(others).toEqual([]);
    expect(await fresh.context.db.apiKey.count()).toBe(1);
    expect(await createFirstApiKey(fresh.context)).toBeNull();
    await fresh.stop();
  });
});
