import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import { type RestAnswer, rest } from "./harness/transports.js";

// What holds for every path of the REST transport.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const call = (...args: [string, string, unknown?, Record<string, string>?]) =>
  rest(server, ...args);

/** The envelope of every error: four members, `details` all texts, with the operation id of the header. */
function expectError({ status, headers, body }: RestAnswer, expected: number, code: string) {
  expect(status).toBe(expected);
  expect(headers.get("content-type")).toBe("application/json");
  expect(Object.keys(body)).toEqual(["error_code", "status_code", "msg", "details"]);
  expect(body).toMatchObject({ error_code: code, status_code: expected });
  expect(body.msg).toMatch(/\S/);
  for (const detail of Object.values(body.details)) expect(detail).toBeTypeOf("string");
  expect(body.details.operation_id).toMatch(/^op_[0-9A-Za-z]{27}$/);
  expect(headers.get("operation-id")).toBe(body.details.operation_id);
}

describe("the version header", () => {
  it.each(["Service-Version", "Ngrok-Version", "ngrok-version"])("may be %s", async (name) => {
    const answer = await fetch(`${server.url}/ip_policies`, {
      headers: { Authorization: `Bearer ${server.writeKey}`, [name]: "2" },
    });
    expect(answer.status).toBe(200);
  });

  it("is required", async () => {
    const answer = await fetch(`${server.url}/ip_policies`, {
      headers: { Authorization: `Bearer ${server.writeKey}` },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error_code: "ERR_INVALID_REQUEST",
      msg: expect.stringContaining("Service-Version"),
    });
  });

  it.each(["1", "3", "two", "2.0"])("must be 2, not %s", async (version) => {
    const answer = await call("GET", "/ip_policies", undefined, { "Service-Version": version });
    expectError(answer, 400, "ERR_INVALID_REQUEST");
    expect(answer.body.details["Service-Version"]).toContain("must be 2");
  });
});

describe("authentication", () => {
  const attempts: Record<string, string> = {
    missing: "",
    empty: "Bearer ",
    "of another scheme": "Basic dXNlcjpwYXNzd29yZA==",
    unknown: "Bearer 2abcdefghijklmnopqrstuvwxyz_0123456789",
    "with a NUL in it": "Bearer a%00b",
    "very long": `Bearer ${"k".repeat(4000)}`,
  };

  it.each(Object.entries(attempts))(
    "refuses a key that is %s, in the same words",
    async (_, value) => {
      const answer = await call("GET", "/ip_policies", undefined, { Authorization: value });
      expectError(answer, 401, "ERR_UNAUTHENTICATED");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.body.msg).toBe(
        "This needs a valid API key in the header: Authorization: Bearer <API key>.",
      );
    },
  );

  it("is not asked for by the health checks", async () => {
    for (const path of ["/livez", "/readyz"]) {
      const answer = await fetch(server.url + path);
      expect([answer.status, await answer.text()]).toEqual([200, "ok\n"]);
    }
  });
});

describe("routing", () => {
  it("comes before authentication: 404 for an unknown path", async () => {
    for (const path of ["//", "/nothing", "/ip_policies/", "/ip_policies/a/b", "/graphql/health"]) {
      const answer = await call("GET", path, undefined, { Authorization: "" });
      expectError(answer, 404, "ERR_NOT_FOUND");
    }
  });

  it("names the methods that a path takes: 405", async () => {
    const answer = await call("PUT", "/ip_policies/ipp_1", {}, { Authorization: "" });
    expectError(answer, 405, "ERR_METHOD_NOT_ALLOWED");
    expect(answer.headers.get("allow")).toBe("GET, PATCH, DELETE");
    expect((await call("DELETE", "/backends/failover")).headers.get("allow")).toBe("POST, GET");
  });

  it("sends no CORS headers", async () => {
    const headers = { Origin: "https://evil.example" };
    const answer = await call("GET", "/ip_policies", undefined, headers);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual(
      [],
    );
  });
});

describe("bodies", () => {
  it("may be absent, empty or have any Content-Type when there is none", async () => {
    expect((await call("POST", "/ip_policies")).status).toBe(201);
    expect((await call("POST", "/ip_policies", "")).status).toBe(201);
    const type = { "Content-Type": "text/plain" };
    expect((await call("GET", "/ip_policies", undefined, type)).status).toBe(200);
    expect((await call("POST", "/ip_policies", undefined, type)).status).toBe(201);
  });

  it.each(["{", "nonsense", '{"a":1}x', '{"description":"\\ud800"}', "[]", "null", '"text"', "1"])(
    "must be a JSON object, not %s",
    async (body) => {
      const answer = await call("POST", "/ip_policies", body);
      expectError(answer, 400, "ERR_INVALID_REQUEST");
    },
  );

  it("must be valid UTF-8", async () => {
    const response = await fetch(`${server.url}/ip_policies`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server.writeKey}`,
        "Service-Version": "2",
        "Content-Type": "application/json",
      },
      body: Buffer.concat([
        Buffer.from('{"description":"'),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]),
    });
    expect(response.status).toBe(400);
  });

  it("must be declared as JSON: 415", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
      const answer = await call("POST", "/ip_policies", "{}", { "Content-Type": type });
      expectError(answer, 415, "ERR_UNSUPPORTED_MEDIA_TYPE");
    }
    const charset = { "Content-Type": "application/json; charset=utf-8" };
    expect((await call("POST", "/ip_policies", "{}", charset)).status).toBe(201);
  });

  it("must have at most 128 KiB, declared or not: 413", async () => {
    const large = JSON.stringify({ description: "x".repeat(128 * 1024) });
    expectError(await call("POST", "/ip_policies", large), 413, "ERR_BODY_TOO_LARGE");
    expect(await statusOfChunked(large)).toBe(413);
  });

  it("must not be nested too deeply", async () => {
    const answer = await call(
      "POST",
      "/ip_policies",
      `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
    );
    expectError(answer, 400, "ERR_INVALID_REQUEST");
  });

  it("name every unknown field as it was given, and those that are supported", async () => {
    const answer = await call("POST", "/backends/static", {
      address: "a:1",
      descripton: "a",
      tlsEnabled: true,
      "?odd": null,
      tls: { enabled: true, Enabled: true },
    });
    expectError(answer, 400, "ERR_INVALID_REQUEST");
    const { operation_id: _, ...details } = answer.body.details;
    const supported =
      "is not a supported field; supported are `description`, `metadata`, `address`, `tls`";
    expect(details).toEqual({
      descripton: supported,
      tlsEnabled: supported,
      "?odd": supported,
      "tls.Enabled": "is not a supported field; supported are `enabled`",
    });
  });

  it("do not let another spelling of a field through", async () => {
    const answer = await call("POST", "/backends/http_response", { statusCode: 404 });
    expect(answer.body.details.statusCode).toContain("`status_code`");
  });

  it("may repeat the id of the path, and no other", async () => {
    const { body } = await call("POST", "/ip_policies", {});
    const path = `/ip_policies/${body.id}`;
    expect((await call("PATCH", path, { id: body.id, description: "a" })).status).toBe(200);
    const other = await call("PATCH", path, { id: "ipp_other" });
    expectError(other, 400, "ERR_INVALID_REQUEST");
    expect(other.body.details.id).toBe("must be the same as in the path, or absent");
  });

  it("leave fields as they are with null in a PATCH, and clear texts with an empty one", async () => {
    const { body } = await call("POST", "/ip_policies", { description: "a", metadata: "b" });
    const path = `/ip_policies/${body.id}`;
    const nulls = await call("PATCH", path, { description: null, metadata: null });
    expect(nulls.body).toEqual(body);
    const cleared = await call("PATCH", path, { description: "" });
    expect(cleared.body).toMatchObject({ description: "", metadata: "b" });
  });
});

describe("lists", () => {
  it("have an absolute uri, and the next page's, which keeps the limit", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++)
      ids.push((await call("POST", "/backends/tunnel_group", {})).body.id);
    const first = await call("GET", "/backends/tunnel_group?limit=2");
    expect(first.body).toMatchObject({
      backends: [{ id: ids[2] }, { id: ids[1] }],
      uri: `${server.url}/backends/tunnel_group`,
      next_page_uri: `${server.url}/backends/tunnel_group?limit=2&before_id=${ids[1]}`,
    });
    const second = await call("GET", first.body.next_page_uri);
    expect(second.body.backends.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
    expect(second.body).toMatchObject({
      uri: `${server.url}/backends/tunnel_group`,
      next_page_uri: null,
    });
  });

  it("take empty parameters as absent, and beforeId for before_id", async () => {
    const { body: older } = await call("POST", "/backends/weighted", {});
    const { body: newer } = await call("POST", "/backends/weighted", {});
    expect((await call("GET", "/backends/weighted?limit=&before_id=")).body.backends).toHaveLength(
      2,
    );
    const page = await call("GET", `/backends/weighted?beforeId=${newer.id}&limit=100`);
    expect(page.body.backends).toEqual([older]);
  });

  it.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=ten", "limit"],
    ["limit=-1", "limit"],
    ["before_id=nonsense", "before_id"],
    ["before_id=ipr_1", "before_id"],
    ["before_id=ipp_%00", "before_id"],
    ["limit=1&limit=2", "limit"],
    ["before_id=ipp_1&beforeId=ipp_1", "before_id"],
    ["cursor=1", "cursor"],
  ])("refuse ?%s", async (query, name) => {
    const answer = await call("GET", `/ip_policies?${query}`);
    expectError(answer, 400, "ERR_INVALID_REQUEST");
    expect(Object.keys(answer.body.details)).toContain(name);
  });

  it("name the supported parameters, also where there are none", async () => {
    const list = await call("GET", "/ip_policies?page=2");
    expect(list.body.details.page).toContain("limit, before_id");
    const one = await call("GET", "/ip_policies/ipp_1?expand=true");
    expect(one.body.details.expand).toContain("supported are: none");
  });
});

describe("absolute URLs", () => {
  it("use the host that the client used", async () => {
    expect(await uriFrom(server, { Host: "api.example.com" })).toBe(
      "http://api.example.com/ip_policies",
    );
  });

  it("believe forwarded headers only of a trusted proxy", async () => {
    const forwarded = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "edge.example.com" };
    expect(await uriFrom(server, forwarded)).toBe(`${server.url}/ip_policies`);
    const behind = await startServer({ trustProxy: true });
    expect(await uriFrom(behind, forwarded)).toBe("https://edge.example.com/ip_policies");
    await behind.stop();
  });

  it("are of nothing but a scheme and a host, whatever a proxy forwards", async () => {
    const behind = await startServer({ trustProxy: true });
    const good = [
      [{ "X-Forwarded-Host": "a.example:8443" }, "http://a.example:8443"],
      [{ "X-Forwarded-Host": "[::1]:8443, b" }, "http://[::1]:8443"],
      [{ "X-Forwarded-Proto": "HTTPS,http", "X-Forwarded-Host": "a" }, "https://a"],
      [{ "X-Forwarded-Proto": "", "X-Forwarded-Host": "" }, behind.url],
    ] as const;
    for (const [headers, url] of good) {
      expect(await uriFrom(behind, headers)).toBe(`${url}/ip_policies`);
    }
    const bad = [
      "a/b",
      "a b",
      "u:p@a",
      "a?b",
      "a#b",
      '"',
      "<x>",
      "a:b",
      "a:99999",
      "http://a",
      "a\\b",
    ];
    for (const host of bad) {
      const { status, body } = await rest(behind, "GET", "/ip_policies", undefined, {
        "X-Forwarded-Host": host,
        "X-Forwarded-Proto": "javascript",
      });
      expect([status, body.details]).toEqual([
        400,
        {
          "X-Forwarded-Host": "must be host[:port]",
          "X-Forwarded-Proto": "must be http or https",
          operation_id: expect.any(String),
        },
      ]);
      const published = await fetch(`${behind.url}/graphql?query={__typename}`, {
        headers: { Authorization: `Bearer ${behind.writeKey}`, "X-Forwarded-Host": host },
      });
      expect(published.status).toBe(200);
    }
    await behind.stop();
  });

  it("are those of PUBLIC_URL when it is set", async () => {
    const published = await startServer({ publicUrl: "https://api.example.com/edge" });
    expect(await uriFrom(published, {})).toBe("https://api.example.com/edge/ip_policies");
    await published.stop();
  });
});

/** `uri` of a list, asked for with headers that fetch does not let through. */
async function uriFrom(of: TestServer, headers: Record<string, string>): Promise<string> {
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(`${of.url}/ip_policies`, {
      headers: { Authorization: `Bearer ${of.writeKey}`, "Service-Version": "2", ...headers },
    });
    sent.on("response", async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve(Buffer.concat(chunks).toString());
    });
    sent.on("error", reject).end();
  });
  return JSON.parse(text).uri;
}

async function statusOfChunked(body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}/ip_policies`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server.writeKey}`,
        "Service-Version": "2",
        "Content-Type": "application/json",
        "Transfer-Encoding": "chunked",
      },
    });
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
