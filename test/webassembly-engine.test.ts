import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DataDirectory, openDataDirectory } from "../src/database/data-directory.js";
import { type EmbeddedServer, startEmbedded } from "../src/database/index.js";
import { resources, type TestResource } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest, transports } from "./harness/transports.js";

// What a platform gets that PostgreSQL does not run on: here one that no setting of its own lets it start on.

let folder: string;
let directory: DataDirectory;
let embedded: EmbeddedServer;
let server: TestServer;
const warnings: string[] = [];

async function startEngine(settings: Record<string, string>): Promise<void> {
  directory = await openDataDirectory(path.join(folder, "data"), () => {});
  embedded = await startEmbedded(directory, {
    log: { debug: () => {}, warn: (message) => warnings.push(message), error: console.error },
    settings,
  });
  server = await startServer({ connection: embedded.connection });
}

async function stopEngine(): Promise<void> {
  await server.stop();
  await embedded.stop();
  await directory.release();
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
  await startEngine({ shared_buffers: "nothing" });
});
afterAll(async () => {
  await stopEngine();
  await rm(folder, { recursive: true });
});

it("is chosen with a warning that names why, and what it lacks", () => {
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('invalid value for parameter "shared_buffers": "nothing"');
  expect(warnings[0]).toContain("It writes without fsync");
});

describe.each(transports)("over $name", ({ drive }) => {
  it.each(resources)("$title are created, listed, changed and deleted", async (resource) => {
    const create = async (of: TestResource): Promise<Fields> =>
      drive(server, of).create({ ...(await of.required?.(create)) });
    const driver = drive(server, resource);
    const made = await create(resource);
    expect((await driver.page(1)).items).toMatchObject([{ id: made.id }]);
    expect(await driver.update(made.id, { description: "changed" })).toMatchObject({
      description: "changed",
    });
    await driver.remove(made.id);
    await expect(driver.get(made.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

it("serves many at once, one after the other, and logs all changes in order", async () => {
  const made = await Promise.all(
    Array.from({ length: 40 }, () => rest(server, "POST", "/ip_policies", {})),
  );
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  const { changes } = await graphql(server, "{ changes(last: 40) { nodes { resourceId } } }");
  expect(changes.nodes.map(({ resourceId }: Fields) => resourceId).sort()).toEqual(
    made.map(({ body }) => body.id).sort(),
  );
});

it("goes on with its data where PostgreSQL could run by now", async () => {
  const before = (await rest(server, "GET", "/ip_policies?limit=100")).body.ip_policies.length;
  await stopEngine();
  warnings.length = 0;
  await startEngine({});
  expect(warnings).toEqual([expect.stringContaining("was made by the WebAssembly engine")]);
  const after = (await rest(server, "GET", "/ip_policies?limit=100")).body.ip_policies.length;
  expect(after).toBe(before);
});
