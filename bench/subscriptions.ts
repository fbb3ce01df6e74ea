import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startServer } from "./processes.js";
import { createEmbedded, createOnServer } from "./storage.js";
import { clock, type Received, type SubscribersJob } from "./subscribers.js";

// How long a change takes from the sending of its request to each of many subscribers.

const EDGEPLANE = new URL("../../dist/server.js", import.meta.url);
const PROCESSES = 2;
/** Between the last receipt of a change and the next change. */
const PAUSE_MS = 50;
/** Changes before those that are measured. */
const WARM_UP = 5;
const QUERY = `subscription { changes(types: [IP_POLICY]) {
  id action type resourceId version at actorId differences { path before after } node { id version description } } }`;

type Cleanup = () => Promise<unknown>;
const cleanup: Cleanup[] = [];
try {
  await run();
} finally {
  for (const undo of cleanup.reverse()) await undo().catch(console.error);
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      subscribers: { type: "string", default: "1000" },
      changes: { type: "string", default: "41" },
    },
  });
  const [subscribers, changes] = [Number(values.subscribers), Number(values.changes)];
  const databaseUrl = process.env.DATABASE_URL;
  const storage = await (databaseUrl ? createOnServer(databaseUrl) : createEmbedded());
  cleanup.push(storage.drop);
  const key = randomBytes(24).toString("base64url");
  const server = await startServer(EDGEPLANE, {
    API_KEY: key,
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ...storage.edgeplane,
  });
  cleanup.push(server.stop);
  const post = async (path: string, body: object): Promise<{ readonly token?: string }> => {
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "service-version": "2",
      },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${path} was answered with ${response.status}.`);
    return (await response.json()) as { readonly token?: string };
  };
  const tokens: string[] = [];
  for (let n = 0; n < subscribers; n++) {
    const { token } = await post("/api_keys", { scope: "read" });
    if (token) tokens.push(token);
  }
  const clients = Array.from({ length: PROCESSES }, () =>
    fork(fileURLToPath(new URL("./subscribers.js", import.meta.url))),
  );
  cleanup.push(async () => {
    for (const client of clients) client.kill();
  });
  clients.forEach((client, index) => {
    const job: SubscribersJob = {
      url: server.url,
      tokens: tokens.filter((_, n) => n % PROCESSES === index),
      query: QUERY,
    };
    client.send(job);
  });
  await Promise.all(clients.map(answer));
  const delays: number[] = [];
  const change = async (description: string) => {
    const received = clients.map((client) => answer(client) as Promise<Received>);
    const sent = clock();
    await post("/ip_policies", { description });
    for (const { times } of await Promise.all(received)) {
      delays.push(...times.map((at) => at - sent));
    }
    await sleep(PAUSE_MS);
  };
  for (let n = 0; n < WARM_UP; n++) await change("warm-up");
  delays.length = 0;
  const before = await server.usage();
  for (let n = 0; n < changes; n++) await change(`change ${n}`);
  const after = await server.usage();
  delays.sort((one, other) => one - other);
  const quantile = (share: number) => delays[Math.floor(share * (delays.length - 1))]?.toFixed(0);
  console.log(
    `${databaseUrl ? "PostgreSQL" : "Embedded database"}, ${subscribers} subscribers, ${changes} changes, Node ${process.version}\n` +
      `${delays.length} receipts after p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, at most ${quantile(1)} ms; ` +
      `${((after.cpu - before.cpu) / 1000 / changes).toFixed(0)} ms of CPU for a change, ${(after.memory / 2 ** 20).toFixed(0)} MB`,
  );
}

/** The next message of `client`. Throws when it ends instead. */
async function answer(client: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const onExit = () => ended.abort(new Error("Subscribers ended."));
  client.once("exit", onExit);
  try {
    const [message] = await once(client, "message", { signal: ended.signal });
    return message;
  } finally {
    client.off("exit", onExit);
  }
}
