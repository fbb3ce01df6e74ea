import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FAULTS_KEY } from "../harness/faults.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";
import { freshDatabase } from "../harness/server.js";

// Connections that mean harm, many at a time, beside an honest client: it is served, and the memory of the process
// stays bounded.

/** What the process may grow by meanwhile; what this guards against took more than a gigabyte. */
const MOST_MIB = 250;
/** What an honest request may wait for at most, on a slow machine. */
const MOST_MS = 10_000;

let database: Awaited<ReturnType<typeof freshDatabase>>;
let server: ServerProcess;
let url: URL;
const sockets = new Set<Socket>();
beforeAll(async () => {
  database = await freshDatabase();
  server = runServer({
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    API_KEY: FAULTS_KEY,
  });
  url = new URL(await urlOf(server));
  // What takes memory once.
  await Promise.all(Array.from({ length: 200 }, askHonestly));
});
afterEach(() => {
  for (const socket of sockets) socket.resetAndDestroy();
  sockets.clear();
});
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.exited;
  await database.stop();
});

const HONEST = {
  Authorization: `Bearer ${FAULTS_KEY}`,
  "Service-Version": "2",
  "Content-Type": "application/json",
};

async function askHonestly(): Promise<void> {
  const body = JSON.stringify({ query: "{ ipPolicies { totalCount } }" });
  const answers = await Promise.all([
    fetch(new URL("/ip_policies", url), { headers: HONEST }),
    fetch(new URL("/graphql", url), { method: "POST", headers: HONEST, body }),
    fetch(new URL("/livez", url)),
  ]);
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  }
}

function memory(): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** Connections that send `bytes` and read nothing. */
function open(count: number, bytes: string): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connect(Number(url.port), url.hostname);
    sockets.add(socket);
    socket.on("error", () => {});
    socket.pause();
    socket.write(bytes);
    return socket;
  });
}

const head = (method: string, path: string, ...lines: readonly string[]) =>
  `${[`${method} ${path} HTTP/1.1`, "Host: a", ...lines].join("\r\n")}\r\n\r\n`;
const AUTHORIZED = Object.entries(HONEST).map(([name, value]) => `${name}: ${value}`);

let isOver: boolean;
let before: number;
let longest: number;
let largest: number;
let honest: Promise<void>;
beforeEach(() => {
  isOver = false;
  before = memory();
  longest = 0;
  largest = 0;
  honest = (async () => {
    do {
      const start = performance.now();
      await askHonestly();
      longest = Math.max(longest, performance.now() - start);
      largest = Math.max(largest, memory());
      await sleep(10);
    } while (!isOver);
  })();
});

/** Ends the honest client, which was served until now, and says how. */
async function expectUnharmed(name: string): Promise<void> {
  isOver = true;
  await honest;
  console.log(
    `${name}: an honest client waited ${longest.toFixed(0)} ms at most, ${(largest - before).toFixed(0)} MiB more`,
  );
  expect(longest).toBeLessThan(MOST_MS);
  expect(largest - before).toBeLessThan(MOST_MIB);
  expect(server.child.exitCode).toBeNull();
  expect(server.output().match(/.*(request failed|unhandled).*/g)).toBeNull();
}

/** Resolves when the server has answered all that these connections wait for, as far as it can. */
async function whileServed(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await askHonestly();
}

describe("an honest client is served beside connections that", { timeout: 120_000 }, () => {
  const UNREAD: Readonly<Record<string, string>> = {
    "the OpenAPI document": head("GET", "/openapi.json"),
    "the OpenAPI document, compressed": head("GET", "/openapi.json", "Accept-Encoding: gzip"),
    "the API reference": head("GET", "/docs", "Accept: text/html"),
    "the root of REST": head("GET", "/", ...AUTHORIZED),
  };
  it.each(Object.entries(UNREAD))(
    "ask for %s ten times and do not read it",
    async (name, bytes) => {
      open(200, bytes.repeat(10));
      await whileServed(20);
      await expectUnharmed(name);
    },
  );

  it("are opened and left alone", async () => {
    open(2_000, "");
    await whileServed(20);
    await expectUnharmed("idle connections");
  });

  it("go as soon as they have sent a request", async () => {
    const create = head("POST", "/ip_policies", ...AUTHORIZED, "Content-Length: 2");
    const mutation = JSON.stringify({
      query: "mutation { createIpPolicy(input: {}) { ipPolicy { id } } }",
    });
    const mutate = head("POST", "/graphql", ...AUTHORIZED, `Content-Length: ${mutation.length}`);
    for (let round = 0; round < 20; round++) {
      const opened = [...open(25, `${create}{}`), ...open(25, mutate + mutation)];
      await sleep(Math.random() * 20);
      for (const socket of opened) socket.resetAndDestroy();
    }
    await expectUnharmed("early goers");
  });

  it.each(["/ip_policies", "/graphql"])("send a body to %s that does not end", async (path) => {
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
    const bytes = head("POST", path, ...AUTHORIZED, "Transfer-Encoding: chunked");
    const sent = open(50, bytes).map(async (socket) => {
      for (let count = 0; count < 1_000 && !socket.destroyed; count++) {
        // What is not taken by then is refused.
        const isTaken = socket.write(chunk);
        if (!isTaken) await Promise.race([untilDrained(socket), sleep(1_000)]);
        if (socket.writableLength > 10 * chunk.length) return socket.bytesWritten;
      }
      return socket.bytesWritten;
    });
    const counts = await Promise.all(sent);
    // As much as buffers on the way hold, of the 64 MiB that each had to send.
    expect(Math.max(...counts)).toBeLessThan(16 * 1024 * 1024);
    await expectUnharmed(`endless bodies for ${path}`);
  });

  it("send their heads a byte at a time, and are ended in time", async () => {
    const bytes = head("GET", "/ip_policies", ...AUTHORIZED);
    const opened = open(500, bytes.slice(0, 1));
    for (const socket of opened) socket.resume();
    // The limit is 10 seconds, and looked at every 5.
    for (let sent = 1; opened.some((socket) => !socket.destroyed); sent++) {
      for (const socket of opened) if (!socket.destroyed) socket.write(bytes.slice(sent, sent + 1));
      await sleep(500);
    }
    await expectUnharmed("slow heads");
  });
});

function untilDrained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("drain", resolve).once("close", resolve);
  });
}
