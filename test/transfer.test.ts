import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../src/config.js";
import {
  applyMigrations,
  type OpenDatabase,
  openDatabase,
  readMigrationStates,
} from "../src/database/index.js";
import { createKeyring } from "../src/domain/core/keyring.js";
import { wrongFacts } from "../src/domain/storage/kept-facts.js";
import { EXPORTED_TABLES, UNEXPORTED_TABLES } from "../src/domain/transfer/tables.js";
import { importExport } from "../src/installation/import.js";
import { withInstallation } from "../src/installation/installation.js";
import { createCommandLog } from "../src/log.js";
import { authorityPem } from "./harness/certificates.js";
import { fillWithDemo } from "./harness/demo.js";
import { httpsEdge, ipPolicy, resources } from "./harness/resources.js";
import { freshDatabase, startServer, type TestServer } from "./harness/server.js";
import {
  asynchronously,
  comparable,
  exportLines,
  importLines,
  type Side,
} from "./harness/transfer.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// What one database has is exported, and imported into another one.

const key = randomBytes(32);
const METADATA = 'ü \u2028 \\ " {"secret":"a","value":"b"}';
const CLIENT_SECRET = "canary-of-the-client-secret";

let source: TestServer;
let edgeId: string;
beforeAll(async () => {
  source = await startServer({ encryptionKeys: [key] });
  await fillWithDemo(source);
  edgeId = (await make("/edges/https", { hostports: ["Own.Example.com:443"], metadata: METADATA }))
    .id;
  await make(`/edges/https/${edgeId}/routes`, {
    match_type: "path_prefix",
    match: "/",
    request_headers: { add: { b: "1", "2": 'x \\ "', a: "3" } },
    oidc: { issuer: "https://id.example.com", client_id: "id", client_secret: CLIENT_SECRET },
    webhook_verification: { provider: "zoom", secret: CLIENT_SECRET },
  });
  const policy = await make("/ip_policies", {});
  const authority = await make("/certificate_authorities", { ca_pem: await authorityPem() });
  await make("/endpoint_configurations", {
    type: "https",
    ip_policy: { ip_policy_ids: [policy.id] },
    mutual_tls: { certificate_authority_ids: [authority.id] },
  });
  const gone = await make("/ip_policies", { description: "soon deleted" });
  await rest(source, "DELETE", `/ip_policies/${gone.id}`);
});
afterAll(() => source.stop());

async function make(path: string, fields: Fields): Promise<Fields> {
  const { status, body } = await rest(source, "POST", path, fields);
  expect([status, body.msg]).toEqual([201, undefined]);
  return body;
}

interface Target extends Side {
  readonly url: string;
}

/** Runs `work` on a database with tables alone. */
async function onEmpty<Result>(
  keys: readonly Buffer[],
  work: (target: Target, database: OpenDatabase) => Promise<Result>,
): Promise<Result> {
  const fresh = await freshDatabase();
  const connection = { connectionString: fresh.url, max: 2, connectionTimeoutMillis: 20_000 };
  const database = await openDatabase(connection, { onConnectionError: () => {} });
  try {
    return await database.withoutTimeLimits((db) =>
      work({ db, keyring: createKeyring(keys), url: fresh.url }, database),
    );
  } finally {
    await database.close();
    await fresh.stop();
  }
}

const sourceSide = (): Side => {
  const { db, keyring } = source.context;
  if (!("$transaction" in db)) throw new Error("A test has its own database.");
  return { db, keyring };
};

describe("every table", () => {
  it("is exported, or says why not", async () => {
    const rows = await source.context.db.$queryRaw<{ name: string }[]>`
      SELECT relname AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`;
    expect(rows.map(({ name }) => name).sort()).toEqual(
      [...EXPORTED_TABLES, ...UNEXPORTED_TABLES].sort(),
    );
  });

  it("has rows in this export", async () => {
    const lines = await exportLines(sourceSide());
    const filled = new Set(lines.map((line) => /^\{"table":"(\w+)"/.exec(line)?.[1]));
    expect(EXPORTED_TABLES.filter((name) => !filled.has(name))).toEqual([]);
  });
});

describe("an export", () => {
  it.each([false, true])(
    "makes an empty database the same (readable secrets: %s)",
    async (readable) => {
      const lines = await exportLines(sourceSide(), readable);
      await onEmpty([key], async (target) => {
        const imported = await importLines(target, lines);
        expect(imported).toEqual({ added: lines.length - 2, same: 0 });
        expect(comparable(await exportLines(target, true))).toEqual(
          comparable(await exportLines(sourceSide(), true)),
        );
        expect(await wrongFacts(target.db)).toEqual([]);
      });
    },
  );

  it("is served as before, with the same keys, over both transports", async () => {
    const lines = await exportLines(sourceSide(), true);
    const other = randomBytes(32);
    await onEmpty([other], async (target) => {
      await importLines(target, lines);
      const served = await startServer({
        connection: { connectionString: target.url, max: 4, connectionTimeoutMillis: 20_000 },
        encryptionKeys: [other],
      });
      try {
        const asBefore = { ...served, writeKey: source.writeKey };
        for (const { path } of resources.filter(({ path }) => path !== "/api_keys")) {
          const [before, after] = await Promise.all(
            [source, asBefore].map(({ url, writeKey }) =>
              fetch(url + path, {
                headers: { Authorization: `Bearer ${writeKey}`, "Service-Version": "2" },
              }).then((response) => response.text()),
            ),
          );
          expect(after?.replaceAll(served.url, source.url)).toBe(before);
        }
        const { httpsEdge } = await graphql(
          asBefore,
          `query ($id: ID!) { httpsEdge(id: $id) { routes { nodes { oidc { clientSecret } } } } }`,
          { id: edgeId },
        );
        expect(httpsEdge.routes.nodes[0].oidc.clientSecret).toBe(CLIENT_SECRET);
      } finally {
        await served.stop();
      }
    });
  });

  it("has the log in its order, which goes on behind it", async () => {
    const lines = await exportLines(sourceSide(), true);
    const query = `{ changes(last: 100) { nodes { at operationId type resourceId action version } } }`;
    const before = (await graphql(source, query)).changes.nodes;
    await onEmpty([key], async (target) => {
      await importLines(target, lines);
      const served = await startServer({
        connection: { connectionString: target.url, max: 4, connectionTimeoutMillis: 20_000 },
        encryptionKeys: [key],
      });
      try {
        const after = (await graphql(served, query)).changes.nodes;
        // The server has made two keys of its own.
        expect(after.slice(0, -2)).toEqual(before);
        const { body } = await rest(served, "POST", "/ip_policies", {});
        const { changes } = await graphql(served, `{ changes(last: 1) { nodes { resourceId } } }`);
        expect(changes.nodes).toEqual([{ resourceId: body.id }]);
      } finally {
        await served.stop();
      }
    });
  });

  it("has no secret unless it is asked for, and then needs no key", async () => {
    const sealed = await exportLines(sourceSide());
    expect(sealed.join("\n")).not.toContain(CLIENT_SECRET);
    expect(sealed.join("\n")).not.toContain("PRIVATE KEY");
    const other = randomBytes(32);
    await onEmpty([other], async (target) => {
      await expect(importLines(target, sealed)).rejects.toThrow(
        /sealed with \w{8}.* --with-secrets/,
      );
      await importLines(target, await exportLines(sourceSide(), true));
    });
    await onEmpty([other, key], async (target) => {
      await importLines(target, sealed);
      const known = await target.db.encryptionKey.findMany();
      expect(known.map(({ fingerprint }) => fingerprint)).toContain(
        source.context.keyring.fingerprints[0],
      );
    });
  });

  it("is refused, and leaves nothing, when it is cut off or changed", async () => {
    const lines = await exportLines(sourceSide(), true);
    const changed = lines.map((line) => line.replace("soon deleted", "never deleted"));
    await onEmpty([key], async (target) => {
      for (const [wrong, problem] of [
        [[], "its first line is no header"],
        [["{}"], "its first line is no header"],
        [lines.slice(0, -1), "cut off"],
        [[...lines.slice(0, 50), ...lines.slice(51)], "digest"],
        [changed, "digest"],
        [[...lines, ...lines], "Something follows the last line"],
        [[...lines.slice(0, 3), "nonsense", ...lines.slice(3)], "Line 4"],
      ] as const) {
        await expect(importLines(target, wrong)).rejects.toThrow(problem);
        expect(await target.db.apiKey.count()).toBe(0);
        expect(await target.db.change.count()).toBe(0);
      }
    });
  });
});

describe("a database with other resources", () => {
  let target: TestServer;
  beforeAll(async () => {
    target = await startServer({ encryptionKeys: [key] });
    await rest(target, "POST", "/edges/https", { hostports: ["own.example.com:443"] });
  });
  afterAll(() => target.stop());
  const side = (): Side => ({ ...sourceSide(), db: target.context.db as Side["db"] });

  it("gets all that it does not have, with counts, marks and the log", async () => {
    const { changes } = await graphql(target, "{ changes(last: 1) { position } }");
    const lines = await exportLines(sourceSide());
    await importLines(side(), lines);
    expect(await wrongFacts(target.context.db)).toEqual([]);
    const { hostportConflicts } = await graphql(
      target,
      "{ hostportConflicts { nodes { hostport } } }",
    );
    expect(hostportConflicts.nodes).toContainEqual({ hostport: "own.example.com:443" });
    const log = await graphql(
      target,
      "query ($after: String) { changes(first: 1, after: $after) { nodes { resourceId } } }",
      { after: changes.position },
    );
    const first = lines.find((line) => line.startsWith('{"table":"changes"')) ?? "";
    expect(first).toContain(log.changes.nodes[0].resourceId);
    const unlogged = await target.context.db.$queryRaw`
      SELECT id FROM https_edges WHERE id NOT IN (SELECT resource_id FROM changes)`;
    expect(unlogged).toEqual([]);
  });

  it("gets nothing twice", async () => {
    const before = await exportLines(side(), true);
    const imported = await importLines(side(), await exportLines(sourceSide(), true));
    expect(imported.added).toBe(0);
    expect(comparable(await exportLines(side(), true))).toEqual(comparable(before));
    expect(await wrongFacts(target.context.db)).toEqual([]);
  });

  it("logs what the export had forgotten to log", async () => {
    const policy = await rest(source, "POST", ipPolicy.path, { description: "older than its log" });
    const { id } = policy.body;
    await source.context.db.change.deleteMany({ where: { resourceId: id } });
    await importLines(side(), await exportLines(sourceSide()));
    const log = await target.context.db.change.findMany({ where: { resourceId: id } });
    expect(log).toMatchObject([{ action: "created", kind: "ipPolicy", version: 1 }]);
  });

  it("stays as it is when something there is another one, and says what", async () => {
    await rest(target, "PATCH", `${httpsEdge.path}/${edgeId}`, { description: "changed here" });
    await rest(source, "POST", ipPolicy.path, {});
    const before = await exportLines(side(), true);
    await expect(importLines(side(), await exportLines(sourceSide()))).rejects.toThrow(
      `Nothing was imported, since the database has something else already:\n  https_edges ${edgeId} is there with other values`,
    );
    expect(comparable(await exportLines(side(), true))).toEqual(comparable(before));
  });
});

describe("an export of an older version", () => {
  // The tables as they were before `outcomes` and `rate_limits` came.
  const LAST = "20261122070706_add_ssh_credentials";
  const bare = async () => {
    const database = await freshDatabase();
    await database.administer("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    return database;
  };
  const configOf = (url: string) =>
    readConfig({ DATABASE_URL: url, ENCRYPTION_KEY: key.toString("base64") });

  it("goes into a database without tables, which is then brought up to date", async () => {
    const [old, target] = await Promise.all([bare(), bare()]);
    await applyMigrations({ connectionString: old.url }, LAST);
    await old.administer(`INSERT INTO api_keys (id, created_at, updated_at, description, metadata, owner_id, scope, token_hash)
      VALUES ('ak_old', now(), now(), 'from before', '', '', 'read', 'abc'); INSERT INTO counts VALUES ('apiKey', 0, 1);
      INSERT INTO changes (horizon, at, operation_id, kind, resource_id, action, version, differences)
      VALUES (7, now(), 'op_old', 'apiKey', 'ak_old', 'created', 1, '[]')`);
    const options = { pending: "leave", onConnectionError: () => {} } as const;
    const database = await openDatabase({ connectionString: old.url }, options);
    const lines = await exportLines({ db: database.client, keyring: createKeyring([key]) });
    await database.close();

    const log = createCommandLog();
    await importExport(configOf(target.url), log, asynchronously(lines), () => {});
    const states = await readMigrationStates({ connectionString: target.url });
    expect(states.filter(({ state }) => state !== "applied")).toEqual([]);
    await withInstallation(configOf(target.url), log, async ({ db }) => {
      expect(await db.apiKey.findMany()).toMatchObject([
        { id: "ak_old", description: "from before" },
      ]);
      expect(await db.change.findMany()).toMatchObject([
        { operationId: "op_old", resourceId: "ak_old" },
      ]);
      expect(await wrongFacts(db)).toEqual([]);
    });

    const own = await startServer();
    await expect(
      importExport(configOf(own.databaseUrl), log, asynchronously(lines), () => {}),
    ).rejects.toThrow(/is not the last one of this database/);
    await own.stop();
    await Promise.all([old.stop(), target.stop()]);
  });
});

describe("while changes go on", () => {
  it("an export is of one moment", async () => {
    let isDone = false;
    const writers = Array.from({ length: 4 }, async () => {
      while (!isDone) {
        const { body } = await rest(source, "POST", "/edges/https", {});
        for (const match of ["/a", "/b"]) {
          await rest(source, "POST", `/edges/https/${body.id}/routes`, {
            match_type: "exact_path",
            match,
          });
        }
      }
    });
    const lines = await exportLines(sourceSide());
    isDone = true;
    await Promise.all(writers);
    await onEmpty([key], async (target) => {
      await importLines(target, lines);
      expect(await wrongFacts(target.db)).toEqual([]);
      const behind = await target.db.$queryRaw`
        SELECT id FROM https_edge_routes AS route
        WHERE version <> (SELECT max(version) FROM changes WHERE resource_id = route.id)`;
      expect(behind).toEqual([]);
    });
  });
});
