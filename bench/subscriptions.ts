import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Cleanup, withCleanup } from "./cleanup.js";
import { ask, nextMessage, type Server, startServer } from "./processes.js";
import { createEmbedded, createOnServer } from "./storage.js";
import { clock, type Received, type SubscribersJob } from "./subscribers.js";

// How long a change takes from the sending of its request to each of many subscribers.

const EDGEPLANE = new URL("../../dist/edgeplane.js", import.meta.url);
const PROCESSES = 2;
/** Changes before those that are measured. */
const WARM_UP = 5;
/** Between the last receipt of a change and the next change. */
const PAUSE_MS = 50;
const QUERY = `subscription { changes(types: [IP_POLICY]) {
  id action type resourceId version at actorId differences { path before after } resource { id version description } } }`;

await withCleanup(run);

async function run(cleanup: Cleanup): Promise<void> {
  const { values } = parseArgs({
    options: {
      subscribers: { type: "string", default: "1000" },
      changes: { type: "string", default: "41" },
    },
  });
  const subscribers = countOf("subscribers", values.subscribers);
  const changes = countOf("changes", values.changes);
  const databaseUrl = process.env.DATABASE_URL;
  console.log(
    `${databaseUrl ? "PostgreSQL" : "Embedded database"}, ${subscribers} subscribers in ${PROCESSES} processes, ` +
      `${changes} changes, Node ${process.version}`,
  );
  const storage = await (databaseUrl ? createOnServer(databaseUrl) : createEmbedded());
  cleanup.push(() => storage.drop());
  const key = randomBytes(24).toString("base64url");
  const server = await startServer(EDGEPLANE, {
    API_KEY: key,
    // It makes the keys of all subscribers at once.
    RATE_LIMIT_REQUESTS: "0",
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ...storage.edgeplane,
  });
  cleanup.push(() => server.stop());
  const tokens: string[] = [];
  while (tokens.length < subscribers) {
    const { token } = await create(server, key, "/api_keys", { scope: "read" });
    if (token) tokens.push(token);
  }
  const clients = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) =>
      subscribed(cleanup, {
        url: server.url,
        tokens: tokens.filter((_, n) => n % PROCESSES === index),
        query: QUERY,
      }),
    ),
  );

  const change = async (description: string): Promise<number[]> => {
    const received = clients.map((client) => nextMessage<Received>(client));
    const sent = clock();
    await create(server, key, "/ip_policies", { description });
    const times = (await Promise.all(received)).flatMap((each) => each.times);
    await sleep(PAUSE_MS);
    return times.map((at) => at - sent);
  };
  for (let n = 0; n < WARM_UP; n++) await change("warm-up");
  const delays: number[] = [];
  const before = await server.usage();
  for (let n = 0; n < changes; n++) delays.push(...(await change(`change ${n}`)));
  const after = await server.usage();

  delays.sort((one, other) => one - other);
  const quantile = (share: number) => delays[Math.floor(share * (delays.length - 1))]?.toFixed(0);
  const cpu = ((after.cpu - before.cpu) / 1000 / changes).toFixed(0);
  const memory = (after.memory / 2 ** 20).toFixed(0);
  console.log(
    `${delays.length} receipts after p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, at most ${quantile(1)} ms; ` +
      `${cpu} ms of CPU for a change, ${memory} MB`,
  );
}

function countOf(name: string, given: string): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= PROCESSES) return count;
  throw new Error(`--${name} must be a whole number of at least ${PROCESSES}, and is "${given}".`);
}

/** Starts a process whose subscribers all follow when it resolves. */
async function subscribed(cleanup: Cleanup, job: SubscribersJob): Promise<ChildProcess> {
  const client = fork(fileURLToPath(new URL("./subscribers.js", import.meta.url)));
  cleanup.push(async () => void client.kill());
  await ask(client, job);
  return client;
}

interface Created {
  /** Of an API key. */
  readonly token?: string | null;
}

async function create(server: Server, key: string, path: string, body: object): Promise<Created> {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "service-version": "2",
    },
    body: JSON.stringify(body),
  });
  if (response.status === 201) return (await response.json()) as Created;
  throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
}
