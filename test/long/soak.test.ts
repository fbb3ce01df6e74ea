import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endOfLog, openEvents } from "../harness/event-streams.js";
import { FAULTS_KEY } from "../harness/faults.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";
import { freshDatabase } from "../harness/server.js";
import { graphql, rest } from "../harness/transports.js";

// One server process for many minutes, under all that clients do: MINUTES=20 npm run test:soak

const MINUTES = Number(process.env.MINUTES ?? 20);
const CLIENTS = 8;
const SUBSCRIBERS = 20;
const QUIET_MS = 2_000;
/** Until caches are full. */
const WARM_UP = 0.25;
/** How much more of the heap may be in use at the end than after the warm-up. */
const MOST_GROWTH = 1.1;

let database: Awaited<ReturnType<typeof freshDatabase>>;
let server: ServerProcess;
let target: { url: string; writeKey: string };
let metrics: string;
beforeAll(async () => {
  database = await freshDatabase();
  server = runServer({
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    API_KEY: FAULTS_KEY,
    METRICS_PORT: "0",
  });
  target = { url: await urlOf(server), writeKey: FAULTS_KEY };
  await changeAndRead("first");
  metrics = /Metrics are at (\S+)/.exec(server.output())?.[1] ?? "";
});
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.exited;
  await database.stop();
});

it("uses no more memory after many minutes than after few", {
  timeout: (MINUTES + 2) * 60_000,
}, async () => {
  const end = performance.now() + MINUTES * 60_000;
  const isOver = () => performance.now() >= end;
  let requests = 0;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let round = 0; !isOver(); round++) {
      await changeAndRead(`${client}.${round}`);
      requests += 7;
      await sleep(20);
    }
  });
  const subscribers = Array.from({ length: SUBSCRIBERS }, async (_, subscriber) => {
    while (!isOver()) await followForAWhile(20 + subscriber * 10, isOver);
  });
  const samples: { heap: number; resident: number }[] = [];
  while (!isOver()) {
    await sleep(1_000);
    samples.push(await sample());
  }
  await Promise.all([...clients, ...subscribers]);

  // The least of a minute is what is left when the heap has been swept.
  const minutes = Array.from({ length: MINUTES }, (_, minute) =>
    samples.slice(minute * 60, (minute + 1) * 60),
  ).filter((minute) => minute.length > 30);
  const least = minutes.map((minute) => ({
    heap: Math.min(...minute.map(({ heap }) => heap)),
    resident: Math.min(...minute.map(({ resident }) => resident)),
  }));
  console.log(`${requests} requests; MiB by minute:`);
  console.table(least);
  const warm = least[Math.floor(least.length * WARM_UP)];
  expect(least.at(-1)?.heap).toBeLessThan((warm?.heap ?? 0) * MOST_GROWTH);
});

/** One edge from its creation to its end, over both transports; each document is another one. */
async function changeAndRead(name: string): Promise<void> {
  const hostports = [`h${name.replace(".", "-")}.example.com:443`];
  const edge = await rest(target, "POST", "/edges/https", { hostports, description: name });
  const route = await rest(target, "POST", `/edges/https/${edge.body.id}/routes`, {
    match: "/",
    match_type: "path_prefix",
    compression: { enabled: true },
  });
  expect(route.status).toBe(201);
  const alias = `a${name.replace(".", "_")}`;
  const data = await graphql(
    target,
    `query { ${alias}: httpsEdge(id: "${edge.body.id}") { hostports routes { nodes { match compression { enabled } } } } }`,
  );
  expect(data[alias].routes.nodes).toHaveLength(1);
  await rest(target, "PATCH", `/edges/https/${edge.body.id}`, { metadata: name });
  await rest(target, "GET", "/edges/https?limit=10");
  const refused = await rest(target, "POST", "/edges/https", { hostports: [name] });
  expect(refused.status).toBe(400);
  await rest(target, "DELETE", `/edges/https/${edge.body.id}`);
}

/** Some events, or until the server has no more of them. */
async function followForAWhile(events: number, isOver: () => boolean): Promise<void> {
  const query = "subscription { changes { id resource { id } } }";
  const reader = await openEvents(target, FAULTS_KEY, { query }, await endOfLog(target));
  for (let event = 0; event < events && !isOver(); event++) {
    await Promise.race([reader.next(), sleep(QUIET_MS)]);
  }
  reader.close();
}

async function sample() {
  const text = await (await fetch(metrics)).text();
  const mebibytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]) / 1024 ** 2);
  return {
    heap: mebibytes("nodejs_heap_size_used_bytes"),
    resident: mebibytes("process_resident_memory_bytes"),
  };
}
