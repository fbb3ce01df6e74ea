import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FAULTS_KEY } from "../harness/faults.js";
import { hostsCanBeMade, makeHost, type OtherHost } from "../harness/network-namespace.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";
import { freshDatabase } from "../harness/server.js";

// Subscribers whose network goes away: nothing tells the server that they are gone.

const ROUNDS = Number(process.env.ROUNDS ?? 1);
const SUBSCRIBERS = Number(process.env.SUBSCRIBERS ?? 500);
const SCRIPT = fileURLToPath(new URL("../harness/subscribers.mjs", import.meta.url));
/**
 * What the process may grow by in all rounds. The heap varies by half of that; ten thousand subscribers would be 800 MiB,
 * if they stayed: ROUNDS=10 SUBSCRIBERS=1000.
 */
const MOST_MIB = 150;

describe.runIf(await hostsCanBeMade("Vanished subscribers"))("subscribers that vanish", () => {
  it("take no descriptor, no memory and no place from others for long", {
    timeout: 60_000 + ROUNDS * 120_000,
  }, async () => {
    const database = await freshDatabase();
    const host = await makeHost();
    const server = runServer({
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
      API_KEY: FAULTS_KEY,
      HOST: "0.0.0.0",
      METRICS_HOST: "127.0.0.1",
      METRICS_PORT: "0",
    });
    try {
      const { port } = new URL(await urlOf(server));
      const [, metrics = ""] = /Metrics are at (\S+)/.exec(server.output()) ?? [];
      const followers = async () =>
        Number(/^edgeplane_followers (\d+)$/m.exec(await (await fetch(metrics)).text())?.[1]);
      const vanish = async (isSilent: boolean) => {
        const clients = await subscribe(host, `http://${host.here}:${port}`);
        expect(await followers()).toBe(SUBSCRIBERS);
        if (isSilent) await host.silence(true);
        clients.kill("SIGKILL");
        await once(clients, "exit");
        await expect.poll(followers, { timeout: 90_000, interval: 200 }).toBe(0);
        if (isSilent) await host.silence(false);
      };
      // What takes memory once.
      await vanish(false);
      const before = used(server);
      for (let round = 0; round < ROUNDS; round++) await vanish(true);
      await expect.poll(() => used(server).descriptors).toBeLessThanOrEqual(before.descriptors);
      expect(used(server).mebibytes).toBeLessThan(before.mebibytes + MOST_MIB);
      if (ROUNDS > 1) console.log(before, used(server));
    } finally {
      server.child.kill("SIGKILL");
      await server.exited;
      await host.remove();
      await database.stop();
    }
  });
});

async function subscribe(host: OtherHost, url: string) {
  const clients = host.spawn(process.execPath, [SCRIPT, url, FAULTS_KEY, String(SUBSCRIBERS)]);
  if (!clients.stdout) throw new Error("The subscribers have no output.");
  const [line] = await once(createInterface(clients.stdout), "line");
  expect(line).toBe("open");
  return clients;
}

function used({ child: { pid } }: ServerProcess) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    mebibytes: Math.round(kibibytes / 1024),
  };
}
