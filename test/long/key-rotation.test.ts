import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FAULTS_KEY } from "../harness/faults.js";
import { installations, type Started, stop } from "../harness/installations.js";
import { runCommand } from "../harness/processes.js";

// The key of the embedded database is rotated while a server seals secrets with it.

const own = installations();
const edgeplane = (...args: string[]) => runCommand(args, { DATA_DIR: own.dataDir });
const keyFile = () => path.join(own.dataDir, "encryption.key");
const keys = async () => (await readFile(keyFile(), "utf8")).trim().split("\n");

async function seal({ url }: Started, secret: string): Promise<void> {
  const response = await fetch(`${url}/endpoint_configurations`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${FAULTS_KEY}`,
      "Service-Version": "2",
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ type: "https", webhook_validation: { provider: "zoom", secret } }),
  });
  expect(response.status).toBe(201);
}

/** Seals secrets until it is told to stop; returns them. */
function startSealing(server: Started) {
  const secrets: string[] = [];
  let isDone = false;
  const sealing = (async () => {
    while (!isDone) {
      const secret = `secret-${secrets.length}`;
      await seal(server, secret);
      secrets.push(secret);
      await sleep(5);
    }
  })();
  return async () => {
    isDone = true;
    await sealing;
    return secrets;
  };
}

async function exportedSecrets(): Promise<string[]> {
  const { code, stdout, stderr } = await edgeplane("export", "--with-secrets");
  expect([code, stderr]).toEqual([0, ""]);
  return [...stdout.matchAll(/"value":"(secret-\d+)"/g)].map(([, secret]) => secret ?? "").sort();
}

describe("edgeplane secrets rotate", { timeout: 120_000 }, () => {
  it("replaces the key of a server that goes on sealing, and loses no secret", async () => {
    const server = await own.start({ LOG_LEVEL: "info" });
    const [before] = await keys();
    const stopSealing = startSealing(server);
    const rotated = await edgeplane("secrets", "rotate");
    const secrets = await stopSealing();
    expect([rotated.code, rotated.stderr]).toEqual([0, ""]);
    expect(rotated.stdout).toMatch(/^sealed \d+ secrets anew/);

    const after = await keys();
    expect(after).toHaveLength(1);
    expect(after[0]).not.toBe(before);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect(secrets.length).toBeGreaterThan(10);
    expect(await exportedSecrets()).toEqual([...secrets].sort());

    await stop(server);
    const again = await own.start();
    await seal(again, `secret-${secrets.length}`);
    expect(await exportedSecrets()).toHaveLength(secrets.length + 1);
  });

  it("lets one of several have its turn after the other, and nobody import meanwhile", async () => {
    const server = await own.start();
    await seal(server, "secret-0");
    const exported = path.join(own.folder, "all.jsonl");
    expect((await edgeplane("export", exported, "--with-secrets")).code).toBe(0);
    const rotations = Promise.all([edgeplane("secrets", "rotate"), edgeplane("secrets", "rotate")]);
    await expect.poll(keys, { timeout: 30_000 }).toHaveLength(2);
    const imported = await edgeplane("import", exported);
    expect(imported.stderr).toContain("Another command rotates the key of this database");
    const ended = await rotations;
    const [rotated, refused] = ended.sort((one, other) => Number(one.code) - Number(other.code));
    expect([rotated?.code, refused?.code]).toEqual([0, 1]);
    expect(refused?.stderr).toContain("Another command rotates the key of this database");
    expect(await keys()).toHaveLength(1);
    await stop(server);
    await own.start();
    expect(await exportedSecrets()).toEqual(["secret-0"]);
  });

  it("changes nothing where the key that is there opens no secret", async () => {
    const server = await own.start();
    await seal(server, "secret-0");
    await stop(server);
    const right = await readFile(keyFile(), "utf8");
    await writeFile(keyFile(), `${Buffer.alloc(32, 7).toString("base64")}\n`);
    const { code, stderr } = await edgeplane("secrets", "rotate");
    expect(code).toBe(1);
    expect(stderr).toContain("need the encryption key");
    expect(await keys()).toEqual([Buffer.alloc(32, 7).toString("base64")]);
    await writeFile(keyFile(), right);
    expect(await exportedSecrets()).toEqual(["secret-0"]);
  });

  it("can be called again at once, and doctor refuses what a start would", async () => {
    await own.done(["migrate"]);
    const used = new Set(await keys());
    for (const _ of ["once", "twice"]) {
      await own.done(["secrets", "rotate"]);
      for (const key of await keys()) used.add(key);
    }
    expect(used.size).toBe(3);
    expect(await keys()).toHaveLength(1);
    const right = await readFile(keyFile(), "utf8");
    await writeFile(keyFile(), `${Buffer.alloc(32, 7).toString("base64")}\n`);
    const sick = await own.done(["doctor"], 1, { PORT: "0" });
    expect(sick).toMatch(/^problem {2}encryption key: .*No secret is encrypted with it yet/m);
    await writeFile(keyFile(), right);
    await own.start();
  });

  it("goes on from where it was interrupted, also without a server", async () => {
    const server = await own.start();
    const stopSealing = startSealing(server);
    const interrupted = own.runCommand("secrets", "rotate");
    await expect.poll(keys, { timeout: 30_000 }).toHaveLength(2);
    interrupted.child.kill("SIGKILL");
    await interrupted.exited;
    const secrets = await stopSealing();
    const [current] = await keys();
    await stop(server);

    const { code, stderr } = await edgeplane("secrets", "rotate");
    expect([code, stderr]).toEqual([0, ""]);
    expect(await keys()).toEqual([current]);
    expect(await exportedSecrets()).toEqual([...secrets].sort());
  });
});
