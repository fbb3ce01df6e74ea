import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DataDirectory, openDataDirectory } from "../src/database/disk/data-directory.js";
import { startWebAssembly } from "../src/database/embedded/webassembly.js";
import { type EmbeddedServer, startEmbedded } from "../src/database/index.js";
import { resources, type TestResource } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest, transports } from "./harness/transports.js";

// What a platform has that PostgreSQL does not run on.

let folder: string;
let directory: DataDirectory;
let embedded: EmbeddedServer;
let server: TestServer;
const warnings: string[] = [];

async function start(): Promise<void> {
  directory = await openDataDirectory(path.join(folder, "data"), () => {});
  embedded = await startEmbedded(directory, {
    log: { debug: () => {}, warn: (message) => warnings.push(message), error: console.error },
  });
  server = await startServer({ connection: embedded.connection });
}

async function stop(): Promise<void> {
  await server.stop();
  await embedded.stop();
  await directory.release();
}

/** As an earlier version, or this one where PostgreSQL cannot run, leaves it. */
async function makeDatabase(): Promise<void> {
  const { databases, release } = await openDataDirectory(path.join(folder, "data"), () => {});
  const engine = await startWebAssembly(databases.webassembly, folder);
  await engine.stop();
  await release();
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
  await makeDatabase();
  await start();
});
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true });
});

it("goes on with what it made, with a warning that says what it lacks", () => {
  expect(warnings).toEqual([expect.stringContaining("was made by the WebAssembly engine")]);
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

it("keeps its data", async () => {
  const before = (await rest(server, "GET", "/ip_policies?limit=100")).body.ip_policies.length;
  await stop();
  await start();
  const after = (await rest(server, "GET", "/ip_policies?limit=100")).body.ip_policies.length;
  expect(after).toBe(before);
});
