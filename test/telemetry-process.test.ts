import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FAULTS_KEY } from "./harness/faults.js";
import { runServer, type ServerProcess, urlOf } from "./harness/processes.js";
import { freshDatabase } from "./harness/server.js";

// What a server process shows of itself where its environment asks for it.

const SECRETS = {
  API_KEY: "canary-api-key-0123456789",
  ENCRYPTION_KEY: Buffer.from("canary-encryption-key-0123456789").toString("base64"),
  password: "canary-password",
};

let database: Awaited<ReturnType<typeof freshDatabase>>;
let server: ServerProcess | undefined;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  server?.child.kill("SIGKILL");
  await server?.exited;
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

  it("are nowhere without a port", async () => {
    const { metrics } = await start();
    expect(metrics).toBe("");
    await stop();
    expect(server?.output()).not.toContain("Metrics");
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
