import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FAULTS_KEY } from "../harness/faults.js";
import { type Collector, startCollector } from "../harness/otlp.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";
import { freshDatabase } from "../harness/server.js";

// What a server process shows of itself where its environment asks for it.

const SECRETS = {
  API_KEY: "canary-api-key-0123456789",
  ENCRYPTION_KEY: Buffer.from("canary-encryption-key-0123456789").toString("base64"),
  password: "canary-password",
};

let database: Awaited<ReturnType<typeof freshDatabase>>;
let server: ServerProcess | undefined;
let collector: Collector;
beforeEach(async () => {
  database = await freshDatabase();
  collector = await startCollector();
});
afterEach(async () => {
  server?.child.kill("SIGKILL");
  await server?.exited;
  await collector.stop();
  await database.stop();
});

async function start(env: Record<string, string> = {}): Promise<{ url: string; metrics: string }> {
  const url = new URL(database.url);
  url.username ||= "postgres";
  url.password = SECRETS.password;
  const { API_KEY, ENCRYPTION_KEY } = SECRETS;
  server = runServer({
    DATABASE_URL: url.href,
    API_KEY,
    ENCRYPTION_KEY,
    LOG_LEVEL: "trace",
    ...env,
  });
  const listening = await urlOf(server);
  const [, metrics = ""] = /Metrics are at (\S+)/.exec(server.output()) ?? [];
  return { url: listening, metrics };
}

async function stop(): Promise<void> {
  server?.child.kill("SIGTERM");
  expect(await server?.exited).toBe(0);
}

const asWriter = { Authorization: `Bearer ${SECRETS.API_KEY}`, "Service-Version": "2" };

describe("the metrics of a process", () => {
  it("are at a port of their own, and nothing else is", async () => {
    const { url, metrics } = await start({ METRICS_PORT: "0", METRICS_HOST: "127.0.0.1" });
    expect(new URL(metrics).port).not.toBe(new URL(url).port);
    expect((await fetch(`${url}/ip_policies`, { method: "POST", headers: asWriter })).status).toBe(
      201,
    );
    const answer = await fetch(metrics);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await answer.text();
    expect(text).toContain('edgeplane_changes_total{kind="ipPolicy",action="created"} 1');
    expect(text).toMatch(/^edgeplane_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
    expect(text).toMatch(/^edgeplane_ready 1$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
    expect((await fetch(metrics, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(metrics, { method: "POST" })).status).toBe(405);
    expect((await fetch(new URL("/", metrics))).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { headers: asWriter })).status).toBe(404);
    await stop();
    await expect(fetch(metrics)).rejects.toThrow();
  });

  it("keep a server from starting whose port is taken, with the reason", async () => {
    const { url } = await start();
    const { port } = new URL(url);
    const second = runServer({
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: SECRETS.ENCRYPTION_KEY,
      API_KEY: FAULTS_KEY,
      METRICS_PORT: port,
    });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain(`address already in use 127.0.0.1:${port}`);
    await stop();
  });
});

const asJson = {
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_BSP_SCHEDULE_DELAY: "50",
};
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

function send(url: string, headers: Record<string, string> = {}) {
  return {
    rest: (method: string, path: string) =>
      fetch(url + path, { method, headers: { ...asWriter, ...headers } }),
    graphql: (query: string) =>
      fetch(`${url}/graphql`, {
        method: "POST",
        headers: { ...asWriter, "Content-Type": "application/json", ...headers },
        body: JSON.stringify({ query }),
      }),
  };
}

describe("the traces of a process", () => {
  it("have a span of each request below that of its caller, and spans of its statements below", async () => {
    const { url } = await start({
      ...asJson,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    });
    const traced = send(url, { traceparent: `00-${TRACE}-${CALLER}-01` });
    const created = await traced.rest("POST", "/ip_policies");
    expect(created.status).toBe(201);
    await traced.graphql("query Named { ipPolicies { totalCount } }");
    await traced.rest("GET", "/ip_policies/ipp_x");
    await fetch(`${url}/livez`);
    await stop();
    const requests = collector.spans.filter(({ kind }) => kind === 2);
    expect(requests.map(({ name }) => name)).toEqual([
      "POST /ip_policies",
      "query",
      "GET /ip_policies/{id}",
    ]);
    for (const { traceId, parentSpanId, resource } of requests) {
      expect([traceId, parentSpanId]).toEqual([TRACE, CALLER]);
      expect(resource).toMatchObject({
        "service.name": "edgeplane",
        "service.version": expect.stringMatching(/^\d/),
        "deployment.environment.name": "test",
      });
    }
    const [post, query, missing] = requests;
    expect(post?.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/ip_policies",
      "http.response.status_code": 201,
      "url.path": "/ip_policies",
      "edgeplane.operation_id": created.headers.get("operation-id"),
    });
    expect(query?.attributes).toMatchObject({
      "graphql.operation.type": "query",
      "graphql.operation.name": "Named",
    });
    expect(missing?.attributes).toMatchObject({ "error.type": "NOT_FOUND" });
    for (const { spanId } of requests) {
      const parts = collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId);
      const statements = parts.filter(({ kind }) => kind === 3);
      expect(statements.length).toBeGreaterThan(0);
      for (const { traceId, name, attributes } of statements) {
        expect(traceId).toBe(TRACE);
        expect(attributes).toEqual({ "db.system.name": "postgresql", "db.operation.name": name });
      }
    }
    expect(server?.output()).toContain(`"traceId":"${TRACE}"`);
  });

  it("say which statement failed, and that the request did", async () => {
    const { url } = await start({ ...asJson, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await database.administer("ALTER TABLE ip_policies RENAME TO gone");
    expect((await send(url).rest("GET", "/ip_policies")).status).toBe(500);
    await stop();
    const failed = collector.spans.filter(({ isError }) => isError);
    expect(failed.map(({ kind, attributes }) => [kind, attributes["error.type"]])).toEqual([
      [3, "42P01"],
      [2, "INTERNAL"],
    ]);
  });

  it("leave out what the caller does not sample", async () => {
    const { url } = await start({ ...asJson, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await send(url, { traceparent: `00-${TRACE}-${CALLER}-00` }).rest("GET", "/self");
    await send(url, { traceparent: "nonsense" }).rest("GET", "/self");
    await stop();
    const requests = collector.spans.filter(({ kind }) => kind === 2);
    expect(requests.map(({ traceId, parentSpanId }) => [traceId === TRACE, parentSpanId])).toEqual([
      [false, undefined],
    ]);
  });

  it("are sent as protobuf by default, and when the process stops", async () => {
    const { url } = await start({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      OTEL_BSP_SCHEDULE_DELAY: "600000",
    });
    await send(url).rest("GET", "/self");
    expect(collector.bodies).toEqual([]);
    await stop();
    expect(collector.contentTypes).toEqual(["application/x-protobuf"]);
    expect(collector.bodies.join()).toContain("GET /self");
  });

  it.each([{ OTEL_TRACES_EXPORTER: "none" }, { OTEL_SDK_DISABLED: "true" }])(
    "are not made with %o",
    async (env) => {
      const { url } = await start({
        ...asJson,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        ...env,
      });
      await send(url).rest("GET", "/self");
      await stop();
      expect(collector.bodies).toEqual([]);
      expect(server?.output()).not.toContain("traceId");
    },
  );
});

describe("a collector that is gone", () => {
  it("disturbs neither requests nor the stop, and is reported", async () => {
    await collector.stop();
    const { url } = await start({
      ...asJson,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: "100",
    });
    for (let i = 0; i < 20; i++) expect((await send(url).rest("GET", "/self")).status).toBe(200);
    await expect
      .poll(() => server?.output(), { timeout: 20_000 })
      .toContain("spans cannot be sent");
    await stop();
    expect(server?.output().match(/spans cannot be sent/g)).toHaveLength(1);
  });

  it("does not keep the process when it never answers", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { url } = await start({
      ...asJson,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    });
    expect((await send(url).rest("GET", "/self")).status).toBe(200);
    await stop();
    silent.closeAllConnections();
    silent.close();
  });
});
