import { randomBytes } from "node:crypto";
import { createKeyring } from "../src/domain/core/keyring.js";
import type { Cleanup } from "./cleanup.js";
import type { LoadRequest } from "./load.js";
import type { Options } from "./options.js";
import { prepareOthers } from "./others.js";
import { asEdgeplaneAnswers } from "./postgraphile-answers.js";
import { type Server, startServer } from "./processes.js";
import { graphqlRequest } from "./queries.js";
import { PUBLIC_URL, type Row } from "./rows.js";
import { seed } from "./seed.js";
import { createEmbedded, createOnServer, type Storage } from "./storage.js";

const EDGEPLANE = new URL("../../dist/edgeplane.js", import.meta.url);
const FLOOR = new URL("./floor.js", import.meta.url);
const SAMPLE = 100;
/** The session settings that Edgeplane asks for itself, so that all others have them as well. */
const SESSION = "-c jit=off -c random_page_cost=1.1";

/** More requests than any load sends, so that each is counted; the environment may say otherwise. */
const RATE_LIMIT = {
  RATE_LIMIT_REQUESTS: process.env.RATE_LIMIT_REQUESTS ?? "1000000",
  RATE_LIMIT_STORE: process.env.RATE_LIMIT_STORE ?? "memory",
};

/** A server under load, on tables that it shares at most with those it is compared with. */
export interface Contender extends Manner {
  readonly name: string;
  readonly server: Server;
  readonly storage: Storage;
  /** Ids of edges all over the table. */
  readonly edgeIds: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** How a contender is asked, and how its answers are compared. */
interface Manner {
  /** The requests of a row for some ids of edges; null for a row that it cannot answer. */
  requests(row: Row, edgeIds: readonly string[]): readonly LoadRequest[] | null;
  /**
   * Makes of its answer the data in Edgeplane's names, in any order of the members of objects and of headers; absent
   * for those who answer the very same bytes.
   */
  readonly translate?: (json: string) => unknown;
}

interface Site extends Pick<Contender, "storage" | "edgeIds" | "headers"> {
  readonly environment: Readonly<Record<string, string>>;
}

export interface LineUp {
  /** In the order in which they are measured. */
  readonly contenders: readonly Contender[];
  /** Who is not measured and why, a sentence each. */
  readonly leftOut: readonly string[];
}

const ALL_ROWS: Manner = { requests: (row, ids) => row.requests(ids) };
const MANNERS: Readonly<Record<"typical" | "PostGraphile", Manner>> = {
  typical: {
    requests: (row, ids) => (row.query ? row.requests(ids) : null),
    // Prisma's joins go through jsonb, which orders the names of headers.
    translate: (json) => JSON.parse(json),
  },
  PostGraphile: {
    requests: ({ query }, ids) =>
      query ? ids.map((id) => graphqlRequest(query, query.postgraphile, id)) : null,
    translate: asEdgeplaneAnswers,
  },
};

/** Who is measured with these options. */
export function lineUp(options: Options, cleanup: Cleanup): Promise<LineUp> {
  if (options.growth > 0) return ofTwoSizes(options, cleanup);
  if (options.processes > 0) return ofProcesses(options, cleanup);
  return againstOthers(options, cleanup);
}

/** The floor, Edgeplane and, when asked for, what else there is to compare with, on the same rows. */
async function againstOthers(options: Options, cleanup: Cleanup): Promise<LineUp> {
  const others = options.contenders
    ? await prepareOthers()
    : {
        ready: [],
        leftOut: ["typical and PostGraphile are left out: --contenders measures them as well."],
      };
  const site = await seeded(options, options.edges, cleanup);
  const { floor, edgeplane } = site.storage;
  const contenders = [
    await started(site, "floor", ALL_ROWS, () => ours(FLOOR, site, floor), cleanup),
    await started(site, "Edgeplane", ALL_ROWS, () => ours(EDGEPLANE, site, edgeplane), cleanup),
  ];
  if (others.ready.length === 0) return { contenders, leftOut: others.leftOut };

  const url = await site.storage.urlForOthers();
  if (url === null) {
    const reason =
      "the database runs inside Edgeplane's process, where no PostgreSQL server can run";
    return { contenders, leftOut: [`typical and PostGraphile are left out: ${reason}.`] };
  }
  for (const { name, script, execPath } of others.ready) {
    const environment = { ...site.environment, DATABASE_URL: url, GRAPHILE_ENV: "production" };
    const start = () => startServer(script, environment, execPath);
    contenders.push(await started(site, name, MANNERS[name], start, cleanup));
  }
  return { contenders, leftOut: others.leftOut };
}

/** Edgeplane on tables of two sizes. */
async function ofTwoSizes(options: Options, cleanup: Cleanup): Promise<LineUp> {
  const contenders: Contender[] = [];
  for (const edges of [options.edges, Math.round(options.edges * options.growth)]) {
    const site = await seeded(options, edges, cleanup);
    const start = () => ours(EDGEPLANE, site, site.storage.edgeplane);
    contenders.push(await started(site, `${edges} edges`, ALL_ROWS, start, cleanup));
  }
  return { contenders, leftOut: [] };
}

/** Edgeplane with one process, and with several. */
async function ofProcesses(options: Options, cleanup: Cleanup): Promise<LineUp> {
  const contenders: Contender[] = [];
  const site = await seeded(options, options.edges, cleanup);
  for (const processes of [1, options.processes]) {
    const name = processes === 1 ? "1 process" : `${processes} processes`;
    const database = { ...site.storage.edgeplane, WORKERS: String(processes) };
    const start = () => ours(EDGEPLANE, site, database);
    contenders.push(await started(site, name, ALL_ROWS, start, cleanup));
  }
  return { contenders, leftOut: [] };
}

function ours(script: URL, { environment }: Site, database: Readonly<Record<string, string>>) {
  return startServer(script, { ...environment, ...database });
}

async function seeded(options: Options, edges: number, cleanup: Cleanup): Promise<Site> {
  const storage = await (options.databaseUrl
    ? createOnServer(options.databaseUrl)
    : createEmbedded());
  cleanup.push(() => storage.drop());
  const encryptionKey = randomBytes(32);
  const environment = {
    PUBLIC_URL,
    PGOPTIONS: SESSION,
    ENCRYPTION_KEY: encryptionKey.toString("base64"),
    ...RATE_LIMIT,
    // What the largest row asks for is more than the default allows.
    GRAPHQL_MAX_COST: "1000000",
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
  { storage, edgeIds, headers }: Site,
  name: string,
  manner: Manner,
  start: () => Promise<Server>,
  cleanup: Cleanup,
): Promise<Contender> {
  const server = await start();
  cleanup.push(() => server.stop());
  return { ...manner, name, server, storage, edgeIds, headers };
}
