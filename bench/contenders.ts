import { randomBytes } from "node:crypto";
import { createKeyring } from "../src/domain/keyring.js";
import type { Options } from "./options.js";
import { type Server, startServer } from "./processes.js";
import { PUBLIC_URL } from "./rows.js";
import { seed } from "./seed.js";
import { createEmbedded, createOnServer, type Storage } from "./storage.js";

const EDGEPLANE = new URL("../../dist/server.js", import.meta.url);
const FLOOR = new URL("./floor.js", import.meta.url);
const SAMPLE = 100;

/** A server under load, on tables that it shares at most with those it is compared with. */
export interface Contender {
  readonly name: string;
  readonly server: Server;
  readonly storage: Storage;
  /** Ids of edges all over the table. */
  readonly edgeIds: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

interface Site extends Pick<Contender, "storage" | "edgeIds" | "headers"> {
  readonly environment: Readonly<Record<string, string>>;
}

/** What undoes the steps taken so far, the last first. */
export type Cleanup = (() => Promise<void>)[];

/** The floor and Edgeplane, on the same rows. */
export async function againstFloor(options: Options, cleanup: Cleanup): Promise<Contender[]> {
  const site = await seeded(options, options.edges, cleanup);
  return [
    await started(site, "floor", FLOOR, site.storage.floor, cleanup),
    await started(site, "Edgeplane", EDGEPLANE, site.storage.edgeplane, cleanup),
  ];
}

/** Edgeplane on tables of two sizes. */
export async function againstItself(options: Options, cleanup: Cleanup): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const edges of [options.edges, Math.round(options.edges * options.growth)]) {
    const site = await seeded(options, edges, cleanup);
    const name = `${edges} edges`;
    contenders.push(await started(site, name, EDGEPLANE, site.storage.edgeplane, cleanup));
  }
  return contenders;
}

async function seeded(options: Options, edges: number, cleanup: Cleanup): Promise<Site> {
  const storage = await (options.databaseUrl
    ? createOnServer(options.databaseUrl)
    : createEmbedded());
  cleanup.push(() => storage.drop());
  const encryptionKey = randomBytes(32);
  const environment = {
    PUBLIC_URL,
    ENCRYPTION_KEY: encryptionKey.toString("base64"),
    // What the largest row asks for is more than the default allows.
    GRAPHQL_MAX_COST: "100000",
  };
  // Its start makes the tables.
  await (await startServer(EDGEPLANE, { ...environment, ...storage.edgeplane })).stop();
  const { token, edgeIds } = await storage.whileClosed(async (client) => {
    const token = await seed(client, createKeyring([encryptionKey]), edges);
    const { rows } = await client.query<{ id: string }>("SELECT id FROM https_edges ORDER BY id");
    const step = Math.max(1, Math.floor(rows.length / SAMPLE));
    return { token, edgeIds: rows.filter((_, n) => n % step === step - 1).map(({ id }) => id) };
  });
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "service-version": "2",
  };
  return { storage, edgeIds, headers, environment };
}

async function started(
  { environment, ...site }: Site,
  name: string,
  script: URL,
  database: Readonly<Record<string, string>>,
  cleanup: Cleanup,
): Promise<Contender> {
  const server = await startServer(script, { ...environment, ...database });
  cleanup.push(() => server.stop());
  return { ...site, name, server };
}
