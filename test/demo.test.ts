import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDataDirectory } from "../src/database/disk/data-directory.js";
import { startServer, type TestServer } from "./harness/server.js";
import { rest } from "./harness/transports.js";

const DEMO = fileURLToPath(new URL("../scripts/demo.mjs", import.meta.url));
const NOT_MODULES = [
  "edge_id",
  "id",
  "uri",
  "created_at",
  "description",
  "metadata",
  "match_type",
  "match",
  "hostports",
  "routes",
];

/** How many of each kind one run makes, by the path and the list's key. */
const MADE = [
  ["/backends/static", "backends", 12],
  ["/backends/http_response", "backends", 3],
  ["/backends/tunnel_group", "backends", 4],
  ["/backends/weighted", "backends", 2],
  ["/backends/failover", "backends", 2],
  ["/ip_policies", "ip_policies", 3],
  ["/ip_policy_rules", "ip_policy_rules", 7],
  ["/ip_restrictions", "ip_restrictions", 2],
  ["/certificate_authorities", "certificate_authorities", 2],
  ["/tls_certificates", "tls_certificates", 2],
  ["/reserved_domains", "reserved_domains", 3],
  ["/reserved_addrs", "reserved_addrs", 3],
  ["/endpoint_configurations", "endpoint_configurations", 2],
  ["/agent_ingresses", "ingresses", 1],
  ["/edges/https", "https_edges", 4],
  ["/edges/tls", "tls_edges", 2],
  ["/edges/tcp", "tcp_edges", 2],
  ["/ssh_certificate_authorities", "ssh_certificate_authorities", 1],
  ["/ssh_user_certificates", "ssh_user_certificates", 3],
  ["/ssh_host_certificates", "ssh_host_certificates", 2],
  ["/ssh_credentials", "ssh_credentials", 2],
] as const;

type Json = Record<string, unknown>;

function spawnDemo(env: Record<string, string>): ChildProcess {
  const { PATH = "" } = process.env;
  return spawn(process.execPath, [DEMO], { env: { PATH, ...env } });
}

/** Runs the demo to its end. */
async function runDemo(env: Record<string, string>) {
  const { stdout, stderr, ...child } = withStreams(spawnDemo(env));
  const [output, errors, [exitCode]] = await Promise.all([text(stdout), text(stderr), child.ended]);
  return { exitCode, output, errors };
}

function withStreams(child: ChildProcess) {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("The demo has no streams.");
  return { stdout, stderr, ended: once(child, "close") };
}

/** The items of a list, newest first. */
async function list(url: string, key: string, path: string, listKey: string): Promise<Json[]> {
  const headers = { Authorization: `Bearer ${key}`, "Service-Version": "2" };
  const response = await fetch(url + path, { headers });
  expect(response.status).toBe(200);
  return (await response.json())[listKey];
}

/** The names of modules, and of those among them that some owner has set. */
function modulesOf(owners: readonly Json[]) {
  const names = Object.keys(owners[0] ?? {}).filter((name) => !NOT_MODULES.includes(name));
  return { names, set: names.filter((name) => owners.some((owner) => owner[name] !== null)) };
}

describe("The demo against a running server", () => {
  let server: TestServer;
  let env: Record<string, string>;
  let first: Awaited<ReturnType<typeof runDemo>>;
  beforeAll(async () => {
    server = await startServer();
    env = { EDGEPLANE_URL: `${server.url}/`, API_KEY: server.writeKey };
    first = await runDemo(env);
  });
  afterAll(() => server.stop());

  const read = (path: string, listKey: string) => list(server.url, server.writeKey, path, listKey);
  const counts = async () => {
    const found = MADE.map(async ([path, listKey]) => [path, (await read(path, listKey)).length]);
    return Object.fromEntries(await Promise.all(found));
  };
  const expected = Object.fromEntries(MADE.map(([path, , count]) => [path, count]));
  const changes = () => server.context.db.change.count();

  it("says what it made", async () => {
    expect(first).toMatchObject({ exitCode: 0, errors: "" });
    expect(await counts()).toEqual(expected);
    for (const [path, , count] of MADE) {
      const line = new RegExp(`^ +${count}  ${path.slice(1)} +[a-z]+_\\w{27}  `, "m");
      expect(first.output).toMatch(line);
    }
    expect(first.output).not.toContain(server.writeKey);
  });

  it("adds and changes nothing when it runs again", async () => {
    const before = await changes();
    expect(before).toBeGreaterThan(0);
    expect(await runDemo(env)).toMatchObject({
      exitCode: 0,
      errors: "",
      output: `Everything is at ${server.url} already. Nothing changed.\n`,
    });
    expect(await counts()).toEqual(expected);
    expect(await changes()).toBe(before);
  });

  it("leaves what others made under the same description", async () => {
    const { body } = await rest(server, "POST", "/reserved_addrs", {
      description: "SSH bastion",
      region: "us",
    });
    const before = await changes();
    expect(await runDemo(env)).toMatchObject({ exitCode: 0, errors: "" });
    expect(await changes()).toBe(before);
    await rest(server, "DELETE", `/reserved_addrs/${body.id}`);
  });

  it("brings back what was deleted and changed", async () => {
    const [edge] = await read("/edges/tls", "tls_edges");
    const [policy] = await read("/ip_policies", "ip_policies");
    await rest(server, "DELETE", `/edges/tls/${edge?.id}`);
    await rest(server, "PATCH", `/ip_policies/${policy?.id}`, { description: "Changed" });
    const { exitCode, output } = await runDemo(env);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^ +1 {2}edges\/tls /m);
    expect(output).toContain("Resources brought back to the state of the demo: 1.");
    expect(await counts()).toEqual(expected);
    expect((await read("/ip_policies", "ip_policies"))[0]?.description).toBe(policy?.description);
  });

  it("tells a wrong key, a key that may only read and a missing one apart, and makes nothing", async () => {
    const before = await counts();
    const wrong = await runDemo({ ...env, API_KEY: "wrong-key-0123456789" });
    expect(wrong.exitCode).toBe(1);
    expect(wrong.errors).toContain(`${server.url} refuses the key in API_KEY`);
    expect(wrong.errors).not.toContain("wrong-key-0123456789");

    const reading = await runDemo({ ...env, API_KEY: server.readKey });
    expect(reading.exitCode).toBe(1);
    expect(reading.errors).toContain("applyBackend was refused with FORBIDDEN: ");

    const none = await runDemo({ ...env, API_KEY: "" });
    expect(none.exitCode).toBe(1);
    expect(none.errors).toContain(`A server runs at ${server.url}: set API_KEY`);
    expect(await counts()).toEqual(before);
  });

  it("has set every module of HTTPS edges, routes, TLS edges and TCP edges somewhere", async () => {
    const httpsEdges = await read("/edges/https", "https_edges");
    const edgeModules = modulesOf(httpsEdges);
    expect(edgeModules.names).toHaveLength(2);
    expect(edgeModules.set).toEqual(edgeModules.names);

    const routeModules = modulesOf(httpsEdges.flatMap(({ routes }) => routes as Json[]));
    expect(routeModules.names).toHaveLength(13);
    expect(routeModules.set).toEqual(routeModules.names);

    const [mqtt] = (await read("/edges/tls", "tls_edges")).filter(({ description }) =>
      String(description).startsWith("MQTT"),
    );
    const tlsModules = modulesOf(mqtt ? [mqtt] : []);
    expect(tlsModules.names).toHaveLength(5);
    expect(tlsModules.set).toEqual(tlsModules.names);

    const tcpModules = modulesOf(await read("/edges/tcp", "tcp_edges"));
    expect(tcpModules.names).toHaveLength(3);
    expect(tcpModules.set).toEqual(tcpModules.names);
  });

  it("has nested backends of every other kind in failovers", async () => {
    const failovers = await read("/backends/failover", "backends");
    const children = failovers.flatMap(({ backends }) => backends as string[]);
    const kinds = new Set(children.map((id) => id.split("_")[0]));
    expect([...kinds].sort()).toEqual(["bkdhr", "bkdsc", "bkdtg", "bkdwd"]);
  });

  it("has reserved addresses in three regions, one with an endpoint configuration", async () => {
    const addrs = (await read("/reserved_addrs", "reserved_addrs")).slice(0, 3);
    expect(addrs.map(({ region }) => region).sort()).toEqual(["eu", "jp", "us"]);
    expect(addrs.filter((addr) => addr.endpoint_configuration !== null)).toHaveLength(1);
  });

  it("has signed certificates for keys of two types, one bound to a command and a source", async () => {
    const found = await read("/ssh_user_certificates", "ssh_user_certificates");
    const certificates = found.slice(0, 3);
    expect(certificates.map((each) => each.key_type).sort()).toEqual([
      "ecdsa",
      "ed25519",
      "ed25519",
    ]);
    expect(certificates.map((each) => Object.keys(each.critical_options as Json))).toContainEqual([
      "force-command",
      "source-address",
    ]);
  });
});

describe("The demo without a running server", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "edgeplane-demo-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("says that nothing answers where it is told to look", async () => {
    const { exitCode, errors } = await runDemo({ EDGEPLANE_URL: "http://127.0.0.1:1" });
    expect(exitCode).toBe(1);
    expect(errors).toContain("Nothing answers at http://127.0.0.1:1 (");
  });

  it("fails with the server's own words when that does not start", async () => {
    const { exitCode, errors } = await runDemo({
      PORT: "0",
      DATA_DIR: directory,
      API_KEY: "short",
    });
    expect(exitCode).toBe(1);
    expect(errors).toContain("API_KEY must be 16 to 512 printable ASCII characters");
    expect(errors).toContain("The server did not start.");
  });

  it("says in one sentence that another server has the data and is not where it looks", async () => {
    const data = path.join(directory, "in-use");
    const other = await openDataDirectory(data, () => {});
    try {
      const { exitCode, errors, output } = await runDemo({ PORT: "1", DATA_DIR: data });
      expect([exitCode, output]).toEqual([1, ""]);
      expect(errors).toBe(
        `The data directory ${data} is in use by a server that does not answer at http://127.0.0.1:1: set PORT to the port on which it listens, or stop it, or set DATA_DIR to another directory.\n`,
      );
    } finally {
      await other.release();
    }
  }, 60_000);

  it("finds a server at PORT, with API_KEY", async () => {
    const running = await startServer();
    try {
      const { port } = new URL(running.url);
      const run = await runDemo({ PORT: port, API_KEY: running.writeKey });
      expect(run).toMatchObject({ exitCode: 0, errors: "" });
      expect(run.output).toContain(`Made at http://127.0.0.1:${port}, `);
    } finally {
      await running.stop();
    }
  });

  it("starts one, fills it, shows a key that works, and stops it on Ctrl-C", async () => {
    const child = spawnDemo({ PORT: "0", DATA_DIR: path.join(directory, "data") });
    const { stdout, stderr, ended } = withStreams(child);
    const errors = text(stderr);
    let output = "";
    let url = "";
    try {
      for await (const chunk of stdout) {
        output += chunk;
        if (url !== "" || !output.includes("Ctrl-C stops the server.")) continue;
        const command = /^curl (\S+)\/edges\/https -H 'Authorization: Bearer (\S+)'/m.exec(output);
        url = command?.[1] ?? "";
        expect(await list(url, command?.[2] ?? "", "/edges/https", "https_edges")).toHaveLength(4);
        child.kill("SIGINT");
      }
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended).toEqual([0, null]);
    expect(await errors).toBe("");
    await expect(fetch(`${url}/livez`)).rejects.toThrow("fetch failed");
  }, 120_000);
});
