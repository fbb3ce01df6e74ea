import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FAULTS_KEY, startWorkload, storedPolicies } from "../harness/faults.js";
import { followChanges } from "../harness/followers.js";
import { freePort, haproxyIsInstalled, startHaproxy } from "../harness/haproxy.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";
import { freshDatabase } from "../harness/server.js";

// Two servers behind a load balancer are restarted in turn, while clients read and write.

const RESTARTS = Number(process.env.ROUNDS ?? 4);
const DRAIN_SECONDS = 1;

describe.runIf(haproxyIsInstalled("Rolling restarts"))("restarts of servers in turn", () => {
  it("fail no request, and end streams so that followers miss nothing", {
    timeout: 60_000 + RESTARTS * 30_000,
  }, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "edgeplane-rolling-"));
    const database = await freshDatabase();
    const ports = [await freePort(), await freePort()];
    const key = randomBytes(32).toString("base64");
    const start = async (port: number): Promise<ServerProcess> => {
      const server = runServer({
        DATABASE_URL: database.url,
        ENCRYPTION_KEY: key,
        API_KEY: FAULTS_KEY,
        PORT: String(port),
        DRAIN_SECONDS: String(DRAIN_SECONDS),
      });
      await urlOf(server);
      return server;
    };
    const servers = await Promise.all(ports.map(start));
    const balancer = await startHaproxy(folder, ports);
    try {
      await expect.poll(() => isReady(balancer.url), { timeout: 20_000 }).toBe(true);
      const follower = await followChanges(balancer.url);
      const workload = startWorkload(balancer.url);
      await workload.nextAnswers();
      for (let round = 0; round < RESTARTS; round++) {
        const index = round % servers.length;
        const [server, port] = [servers[index], ports[index]];
        if (!server || port === undefined) throw new Error("There are two servers.");
        server.child.kill("SIGTERM");
        await expect.poll(() => isReady(`http://127.0.0.1:${port}`), { interval: 20 }).toBe(false);
        expect(await server.exited).toBe(0);
        servers[index] = await start(port);
        await expect.poll(() => isReady(`http://127.0.0.1:${port}`)).toBe(true);
        await workload.nextAnswers();
      }
      await workload.stop();
      expect([...workload.answers.keys()].sort()).toEqual(["200", "201"]);
      expect(await storedPolicies(balancer.url)).toEqual(new Set(workload.acknowledged));
      await expect
        .poll(() => new Set(follower.seen), { timeout: 20_000 })
        .toEqual(new Set(workload.acknowledged));
      expect(follower.seen).toHaveLength(workload.acknowledged.length);
      expect(follower.ends).toEqual(new Set(["completed"]));
      follower.stop();
    } finally {
      await balancer.stop();
      for (const { child, exited } of servers) {
        child.kill("SIGKILL");
        await exited;
      }
      await database.stop();
      await rm(folder, { recursive: true });
    }
  });
});

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
