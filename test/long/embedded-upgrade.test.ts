import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeManifest } from "../../src/database/backup/manifest.js";
import { createKeyring } from "../../src/domain/core/keyring.js";
import { fill } from "../harness/bulk.js";
import { authorityPem } from "../harness/certificates.js";
import { fillWithDemo } from "../harness/demo.js";
import {
  EARLIER,
  everythingIn,
  keepEarlier,
  onDatabase,
  useTransactions,
  withClient,
} from "../harness/earlier-postgres.js";
import { namesWith } from "../harness/embedded.js";
import { cursorsOf, openEvents } from "../harness/event-streams.js";
import { installations, kill, stop } from "../harness/installations.js";
import { everyRouteModule } from "../harness/modules.js";
import { resources, routesOf } from "../harness/resources.js";
import { startServer, type TestServer } from "../harness/server.js";
import { exportLines } from "../harness/transfer.js";
import { type Fields, graphql, rest, type Target, transports } from "../harness/transports.js";

// A data directory whose database was made by an earlier major version of PostgreSQL.

if (EARLIER === null) {
  console.warn(
    "NOT RUN: upgrades of the embedded database, because no earlier PostgreSQL is here.",
  );
}

const IN_NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"];
const canMount =
  spawnSync("unshare", [...IN_NAMESPACE.slice(1), "mount", "-t", "tmpfs", "none", "/mnt"])
    .status === 0;
if (!canMount) console.warn("NOT RUN: an upgrade without room, since nothing can be mounted here.");

/** What the earlier version left, and what its last server answered. */
interface Earlier {
  readonly dataDir: string;
  readonly writeKey: string;
  readonly everything: Record<string, readonly string[]>;
  /** The lines of an export, with readable secrets. */
  readonly exported: readonly string[];
  readonly answers: readonly Fields[];
}

const CLIENT_SECRET = "canary-of-the-client-secret";
const own = installations();
let folder = "";
let earlier: Earlier;

const TABLES = ["agent_ingresses", "https_edges", "ip_policies", "ip_policy_rules"];

describe.skipIf(EARLIER === null)(
  "a database of an earlier PostgreSQL",
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
      earlier = await makeEarlier(path.join(folder, "data"));
    }, 120_000);
    afterAll(() => rm(folder, { recursive: true, force: true }));

    const takeEarlier = () =>
      cp(earlier.dataDir, own.dataDir, { recursive: true, verbatimSymlinks: true });
    const aside = (name: string) => path.join(own.folder, name);
    const database = () => path.join(own.dataDir, "postgresql");
    const everything = () => onDatabase(own.dataDir, "present", everythingIn);
    /** What is in the directory, without what is made anew with each start. */
    const names = async () => {
      const passing = ["libraries", "lock", "run"];
      return (await readdir(own.dataDir)).filter((name) => !passing.includes(name)).sort();
    };

    it("is taken along with all that it has, answers as before, and its log goes on for who follows it", async () => {
      await takeEarlier();
      const migrated = await own.done(["migrate"]);
      expect(await everything()).toEqual(earlier.everything);
      const [replaced = ""] = await namesWith(own.dataDir, "replaced-");
      const kept = path.join(own.dataDir, replaced);
      expect(migrated).toContain(
        `the database was made by PostgreSQL ${EARLIER}: its data is copied to one of PostgreSQL 18`,
      );
      expect(migrated).toContain(`the old one is kept in ${kept}:`);
      expect(await names()).toEqual(["encryption.key", "postgresql", "programs", replaced]);

      const server = await own.start({ BASE_DOMAIN: "edgeplane.test" });
      const target = { url: server.url, writeKey: earlier.writeKey };
      expect(await answersOf(target)).toEqual(earlier.answers);
      const exported = await own.done(["export", "--with-secrets"]);
      expect(exported.split("\n").slice(1, -2)).toEqual(earlier.exported);
      expect(exported).toContain(CLIENT_SECRET);
      expect(await own.done(["doctor"], 0, { PORT: "0" })).toMatch(
        /database version: PostgreSQL 18.*opens all secrets.*agree with/s,
      );

      const before = await cursorsOf(target);
      const from = before.length - 50;
      const query = "subscription { changes { id resourceId } }";
      const events = await openEvents(target, target.writeKey, { query }, before[from - 1] ?? "");
      for (const cursor of before.slice(from)) expect((await events.next())?.id).toBe(cursor);
      const later = [];
      for (let i = 0; i < 3; i++) {
        const { id } = (await rest(target, "POST", "/ip_policies", {})).body;
        const event = await events.next();
        expect(event?.result).toMatchObject({ data: { changes: { resourceId: id } } });
        later.push(event?.id);
      }
      events.close();
      expect(await cursorsOf(target)).toEqual([...before, ...later]);
      await stop(server);
      expect(server.output()).not.toMatch(/made by PostgreSQL|is kept in/);

      // What is kept can be gone back to.
      const programs = path.join(kept, "programs");
      await rename(path.join(own.dataDir, "programs"), programs);
      expect(await onDatabase(kept, "earlier", everythingIn)).toEqual(earlier.everything);
    });

    it("is there whole whenever a process is killed, first the earlier version and then each start", async () => {
      await takeEarlier();
      const rows = await onDatabase(own.dataDir, "earlier", (connection) =>
        withClient(connection, async (client) => {
          await client.query("UPDATE ip_policies SET description = 'killed'");
          await cp(database(), aside("killed"), { recursive: true });
          return everythingIn(connection);
        }),
      );
      await rm(database(), { recursive: true });
      await rename(aside("killed"), database());

      const unfinished = async (...inside: string[]) => {
        const [name] = await namesWith(own.dataDir, "upgrade.new-");
        return name !== undefined && existsSync(path.join(own.dataDir, name, ...inside));
      };
      const moments = [
        () => unfinished(),
        () => unfinished("postgresql", "PG_VERSION"),
        () => unfinished("postgresql", "postmaster.pid"),
        () => unfinished("encryption.key"),
        async () => (await namesWith(own.dataDir, "replaced-")).length > 0,
      ];
      for (const isReached of moments) {
        const server = own.run();
        while (!(await isReached()) && server.child.exitCode === null) await sleep(1);
        expect(server.child.exitCode, server.output()).toBe(null);
        await kill(server);
        // Of nobody: the next start would wait until it is stale.
        await rm(path.join(own.dataDir, "lock"), { recursive: true, force: true });
      }
      expect(await own.done(["migrate"])).toContain("0 migrations applied");
      expect(await everything()).toEqual(rows);
      expect(rows.ip_policies?.[0]).toContain('"description":"killed"');
      expect(await namesWith(own.dataDir, "replaced-")).toHaveLength(1);
      expect(await namesWith(own.dataDir, "upgrade.new-")).toEqual([]);
    });

    it("is left alone by commands that only read, and where it cannot be taken along", async () => {
      await takeEarlier();
      const programs = path.join(own.dataDir, "programs", `${EARLIER}.99.0`);
      const before = await names();
      const says = async (args: readonly string[], words: RegExp) => {
        expect(await own.done(args, 1)).toMatch(words);
        expect(await names()).toEqual(before);
      };
      const waits = /made by PostgreSQL 1\d\. .*nothing was changed\. Start Edgeplane once, or run/;
      await says(["export"], waits);
      await says(["doctor"], waits);
      await says(["migrate", "--status"], waits);

      await rename(programs, aside("programs"));
      await says(
        [],
        /nothing was changed\. .* programs of PostgreSQL 1\d, which are not in .*programs/,
      );
      await rename(aside("programs"), programs);

      const bin = path.join(programs, "native", "bin");
      await rename(bin, aside("bin"));
      await mkdir(bin);
      await writeFile(path.join(bin, "postgres"), "no program", { mode: 0o755 });
      await says([], /could not be taken along .*postgres does not run: .*\. Nothing was changed/);
      await rm(bin, { recursive: true });
      await rename(aside("bin"), bin);

      const inEarlier = (...statements: readonly string[]) =>
        onDatabase(own.dataDir, "earlier", async (connection) => {
          await withClient(connection, (client) => client.query(statements.join(";")));
          return everythingIn(connection);
        });
      await inEarlier(
        "CREATE TABLE mine (id integer)",
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
           VALUES ('later', '', '99_later', now())`,
      );
      await says([], /not those of a version that is known here: 99_later \(unknown\)\. Nothing/);
      await inEarlier("DELETE FROM _prisma_migrations WHERE id = 'later'");
      await says([], /it has what no version of Edgeplane made: the table public\.mine\. Nothing/);
      expect(await inEarlier("DROP TABLE mine")).toEqual(earlier.everything);
    });

    it.runIf(process.geteuid?.() === 0)(
      "of another user stays that user's when root takes it along",
      async () => {
        await takeEarlier();
        await chmod(own.folder, 0o755);
        await chmod(own.dataDir, 0o711);
        spawnSync("chown", ["-R", "nobody", database()]);
        const { uid } = await stat(database());
        expect(uid).not.toBe(0);
        await own.done(["migrate"]);
        const ownerOf = async (...names: string[]) =>
          (await stat(path.join(own.dataDir, ...names))).uid;
        const [replaced = ""] = await namesWith(own.dataDir, "replaced-");
        expect(await ownerOf("postgresql", "base")).toBe(uid);
        expect(await ownerOf("encryption.key")).toBe(0);
        expect(await ownerOf(replaced, "postgresql")).toBe(uid);
        await stop(await own.start());
      },
    );

    it.skipIf(!canMount)("is left alone on a disk without room for another one", async () => {
      await mkdir(own.dataDir);
      const onSmallDisk = `mount -t tmpfs -o size=220m,mode=700 tmpfs "$0" && cp -a "${earlier.dataDir}/." "$0" && exec "$@"`;
      const through = [...IN_NAMESPACE, "sh", "-c", onSmallDisk, own.dataDir];
      expect(await own.done([], 1, {}, through)).toMatch(
        /could not be taken along .* has too little room: .*\. Nothing was changed: /,
      );
    });

    it("is restored from a backup, and then taken along", async () => {
      await takeEarlier();
      const backup = path.join(own.folder, "backup");
      await mkdir(backup);
      for (const name of ["postgresql", "encryption.key"]) {
        await cp(path.join(own.dataDir, name), path.join(backup, name), { recursive: true });
      }
      await writeManifest(backup, {
        format: 1,
        madeAt: new Date().toISOString(),
        postgresql: EARLIER ?? 0,
        systemIdentifier: "1",
        bytes: 1,
        encryptionKeys: [],
      });
      for (const name of ["postgresql", "encryption.key"]) {
        await rm(path.join(own.dataDir, name), { recursive: true });
      }
      const restored = await own.done(["restore", backup]);
      expect(restored).toContain(`the next start takes its data along to another PostgreSQL`);
      await own.done(["migrate"]);
      expect(await everything()).toEqual(earlier.everything);
      const elsewhere = path.join(own.folder, "elsewhere");
      expect(await own.done(["restore", backup], 1, { DATA_DIR: elsewhere })).toMatch(
        /backup was made by PostgreSQL 1\d\. .* which are not in .*elsewhere\/programs/,
      );
    });
  },
);

/** A data directory with rows in every table, and with secrets. */
async function makeEarlier(dataDir: string): Promise<Earlier> {
  const key = randomBytes(32);
  await mkdir(dataDir, { mode: 0o700 });
  const keyFile = path.join(dataDir, "encryption.key");
  await writeFile(keyFile, `${key.toString("base64")}\n`, { mode: 0o600 });
  await keepEarlier(dataDir);
  return onDatabase(dataDir, "earlier", async (connection) => {
    const { host = "", user } = connection;
    await useTransactions(connection);
    const connectionString = `postgresql://${user}@${encodeURIComponent(host)}/postgres`;
    const server = await startServer({ connection: { connectionString }, encryptionKeys: [key] });
    try {
      await makeHistory(server);
      const { db } = server.context;
      if (!("$transaction" in db)) throw new Error("A test has its own database.");
      const exported = await exportLines({ db, keyring: createKeyring([key]) }, true);
      return {
        dataDir,
        writeKey: server.writeKey,
        everything: await everythingIn(connection),
        exported: exported.slice(1, -1),
        answers: await answersOf(server),
      };
    } finally {
      await server.stop();
    }
  });
}

async function makeHistory(server: TestServer): Promise<void> {
  await fill(server, { rows: 2_000, tables: TABLES });
  await fillWithDemo(server);
  const make = async (place: string, fields: Fields, headers = {}) => {
    const { status, body } = await rest(server, "POST", place, fields, headers);
    expect([status, body.msg]).toEqual([201, undefined]);
    return body.id;
  };
  const edge = await make("/edges/https", { hostports: ["Own.Example.com:443"], metadata: "ü \\" });
  const backend = await make("/backends/static", { address: "upstream.internal:80" });
  await make(`/edges/https/${edge}/routes`, {
    match_type: "path_prefix",
    match: "/",
    oidc: { issuer: "https://id.example.com", client_id: "id", client_secret: CLIENT_SECRET },
  });
  const policy = await make("/ip_policies", {}, { "Idempotency-Key": "one" });
  await transports[0]
    ?.drive(server, routesOf(edge))
    .create({ matchType: "exact_path", match: "/all", ...everyRouteModule(backend, policy) });
  const authority = await make("/certificate_authorities", { ca_pem: await authorityPem() });
  await make("/endpoint_configurations", {
    type: "https",
    ip_policy: { ip_policy_ids: [policy] },
    mutual_tls: { certificate_authority_ids: [authority] },
  });
}

/** What the server says of everything over both transports, in whatever place it is. */
async function answersOf(target: Target): Promise<Fields[]> {
  const pages = await Promise.all(
    resources.map(async ({ path: place }) => (await rest(target, "GET", place)).body),
  );
  const read = await graphql(
    target,
    `{ httpsEdges(first: 50) { totalCount nodes { id version metadata hostports
         routes { nodes { id match updatedAt oidc { issuer clientSecret } } } } }
       ipPolicies(filter: { search: "needle" }) { totalCount }
       changes(last: 100) { nodes { id resourceId action version at } } }`,
  );
  return JSON.parse(JSON.stringify([...pages, read]).replaceAll(target.url, ""));
}
