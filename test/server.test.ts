import { randomBytes } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FAULTS_KEY as API_KEY } from "./harness/faults.js";
import { installations } from "./harness/installations.js";
import { urlOf } from "./harness/processes.js";

// The server as a process, on the embedded database, as an operator starts it.

const own = installations();

const headers = (key = API_KEY) => ({
  Authorization: `Bearer ${key}`,
  "Service-Version": "2",
  "Content-Type": "application/json",
});

async function createPolicy(url: string, key?: string): Promise<number> {
  const body = JSON.stringify({ description: "kept" });
  return (await fetch(`${url}/ip_policies`, { method: "POST", headers: headers(key), body }))
    .status;
}

// Each starts a server of its own, some of them two.
describe("the server", { timeout: 90_000 }, () => {
  it("makes a key at its first start, shows it once, and keeps its data private", async () => {
    const first = await own.start({ API_KEY: "" });
    const key = /first API key, shown this once: (\S+)/.exec(first.output())?.[1] ?? "";
    expect(await createPolicy(first.url, key)).toBe(201);
    expect((await stat(own.dataDir)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(own.dataDir, "encryption.key"))).mode & 0o777).toBe(0o600);
    first.child.kill("SIGTERM");
    expect(await first.exited).toBe(0);

    const second = await own.start({ API_KEY: "" });
    expect(second.output()).not.toContain("API key");
    expect(await createPolicy(second.url, key)).toBe(201);
  });

  it("has nothing but its log on the standard output", async () => {
    const server = own.run({ API_KEY: "", LOG_LEVEL: "trace", METRICS_PORT: "0" });
    let log = "";
    server.child.stdout?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
    const url = await urlOf(server);
    await fetch(url);
    server.child.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    expect(server.output()).toMatch(/first API key, shown this once.*Metrics are at /s);
    const lines = log.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) });
  });

  it("keeps every acknowledged write when it is killed", async () => {
    const first = await own.start();
    for (let i = 0; i < 20; i++) expect(await createPolicy(first.url)).toBe(201);
    first.child.kill("SIGKILL");
    await first.exited;
    const second = await own.start();
    const list = await fetch(`${second.url}/ip_policies`, { headers: headers() });
    expect(((await list.json()) as { ip_policies: unknown[] }).ip_policies).toHaveLength(20);
  });

  it("refuses another encryption key than its data was sealed with, and says what to restore", async () => {
    const first = await own.start();
    first.child.kill("SIGTERM");
    await first.exited;
    const file = path.join(own.dataDir, "encryption.key");
    const key = await readFile(file, "utf8");
    await writeFile(file, randomBytes(32).toString("base64"));
    const second = own.run();
    expect(await second.exited).toBe(1);
    expect(second.output()).toMatch(
      /^The database has secrets that need the encryption key \w{8}, .* Restore the file encryption\.key/,
    );
    await writeFile(file, key);
    await own.start();
  });

  it("refuses a data directory that another process has open", async () => {
    await own.start();
    const second = own.run();
    expect(await second.exited).toBe(1);
    expect(second.output()).toBe(
      `The data directory ${own.dataDir} is in use by another Edgeplane process. Stop it, or set DATA_DIR to another directory.\n`,
    );
  });

  it("ends requests in flight before it exits with 0 on SIGTERM", async () => {
    const server = await own.start();
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${server.url}/ip_policies`, { method: "POST", headers: headers() });
      sent.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject);
      sent.write('{"description":');
      setTimeout(() => {
        server.child.kill("SIGTERM");
        setTimeout(() => sent.end('"late"}'), 300);
      }, 200);
    });
    expect(await answered).toBe(201);
    expect(await server.exited).toBe(0);
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it("names every problem of its configuration at once, and starts nothing", async () => {
    const server = own.run({
      PORT: "http",
      LOG_LEVEL: "loud",
      DATABASE_URL: "mysql://a/b",
      HOST: "",
    });
    expect(await server.exited).toBe(1);
    expect(server.output()).toBe(`The configuration has problems:
  PORT must be a whole number from 0 to 65535
  DATABASE_URL must be a URL that starts with postgresql://, in which the password has no characters such as / and @ but as %2F and %40
  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent
  ENCRYPTION_KEY is required with DATABASE_URL: 32 bytes in base64, the same for every process
`);
    await expect(stat(own.dataDir)).rejects.toThrow();
  });

  it("starts nothing with a manifest of persisted operations that has problems", async () => {
    const manifest = path.join(own.folder, "operations.json");
    await writeFile(manifest, '{"abc": "{ nothing }"}');
    const server = own.run({ PERSISTED_OPERATIONS: manifest });
    expect(await server.exited).toBe(1);
    expect(server.output()).toContain("abc: is not the SHA-256 of its document");
    expect(server.output()).toContain('abc: Cannot query field "nothing"');
  });

  it("says so when its port is taken", async () => {
    const first = await own.start();
    const second = own.run({
      PORT: new URL(first.url).port,
      DATA_DIR: path.join(own.folder, "other"),
    });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain("EADDRINUSE");
  });
});
