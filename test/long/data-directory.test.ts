import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, cp, mkdir, readdir, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { countPolicies, createPolicies, installations, stop } from "../harness/installations.js";

// Who may read the data directory, and what is in it.

const own = installations();

describe("the data directory", { timeout: 120_000 }, () => {
  it.each([0o755, 0o750, 0o770, 0o704])(
    "is refused with mode %o, and left as it is",
    async (mode) => {
      await mkdir(own.dataDir);
      await chmod(own.dataDir, mode);
      const server = own.run();
      expect(await server.exited).toBe(1);
      expect(server.output()).toBe(
        `Other users may read or change the data directory ${own.dataDir} (mode ${mode.toString(8)}). Make it private with chmod go-rw ${own.dataDir}, or name a folder inside of it.\n`,
      );
      expect((await stat(own.dataDir)).mode & 0o777).toBe(mode);
      expect(await readdir(own.dataDir)).toEqual([]);
    },
  );

  it("gets no new key beside a database whose key is lost", async () => {
    await stop(await own.start());
    await rename(path.join(own.dataDir, "encryption.key"), path.join(own.folder, "backup"));
    const without = own.run();
    expect(await without.exited).toBe(1);
    expect(without.output()).toContain("Restore this file from your backup, or set ENCRYPTION_KEY");
    expect(await readdir(own.dataDir)).not.toContain("encryption.key");
    const given = readFileSync(path.join(own.folder, "backup"), "utf8").trim();
    await stop(await own.start({ ENCRYPTION_KEY: given }));
    await rename(path.join(own.folder, "backup"), path.join(own.dataDir, "encryption.key"));
    await own.start();
  });

  it("is reached through a link as well, under the same lock", async () => {
    const server = await own.start();
    const link = path.join(own.folder, "link");
    await symlink(own.dataDir, link);
    const second = own.run({ DATA_DIR: link });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain("is in use");
    await stop(server);
  });

  it("is refused where files of something else are, which stay", async () => {
    await mkdir(own.dataDir, { mode: 0o700 });
    const foreign = ["PG_VERSION", "a", "b", "c", "d", "e", "lost+found"];
    for (const name of foreign) await writeFile(path.join(own.dataDir, name), name);
    const server = own.run();
    expect(await server.exited).toBe(1);
    expect(server.output()).toBe(
      `${own.dataDir} has no database of Edgeplane, but files of something else (PG_VERSION, a, b, c, d and 1 more). Set DATA_DIR to a directory that is empty or not there yet.\n`,
    );
    expect((await readdir(own.dataDir)).sort()).toEqual(foreign);
    for (const name of foreign.slice(0, 6)) await rm(path.join(own.dataDir, name));
    await stop(await own.start());
  });

  it("is refused where a file is", async () => {
    await writeFile(own.dataDir, "");
    expect(await own.done([], 1)).toBe(`DATA_DIR ${own.dataDir} is no directory.\n`);
  });

  it("gets no new database beside backups of one that is lost", async () => {
    await stop(await own.start());
    const backups = path.join(own.dataDir, "backups");
    await mkdir(path.join(backups, "20260101T000000Z"), { recursive: true, mode: 0o700 });
    const database = path.join(own.dataDir, "postgresql");
    await rename(database, path.join(own.folder, "aside"));
    for (const command of [[], ["migrate"]]) {
      expect(await own.done(command, 1)).toContain(
        `Restore the newest with edgeplane restore ${backups}/20260101T000000Z;`,
      );
    }
    expect(await readdir(own.dataDir)).not.toContain("postgresql");
    await rename(path.join(own.folder, "aside"), database);
    await stop(await own.start());
  });
});

/** What goes wrong with the directory of a database, and how it is put right again. */
interface Fault {
  readonly name: string;
  readonly said: RegExp;
  /** What executes the server. */
  readonly through?: readonly string[];
  readonly isPossible?: boolean;
  harm(): Promise<void>;
  mend(): Promise<void>;
}

const NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"];
const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
const OTHER = 12_345;
const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

const isRoot = process.geteuid?.() === 0;
const succeeds = ([file = "", ...args]: readonly string[]) => spawnSync(file, args).status === 0;

const inDatabase = (name: string) => path.join(own.dataDir, "postgresql", name);
const aside = (name: string) => path.join(own.folder, `aside-${name}`);

const FAULTS: readonly Fault[] = [
  {
    name: "on a file system that is read-only",
    said: /is on a file system that is read-only \(EROFS: /,
    isPossible: succeeds([...NAMESPACE, "sh", "-c", READ_ONLY, "/tmp", "true"]),
    get through() {
      return [...NAMESPACE, "sh", "-c", READ_ONLY, own.dataDir];
    },
    harm: async () => {},
    mend: async () => {},
  },
  {
    name: "of another user",
    said: /by the user 65534 of this process; it belongs to the user 12345 \(EACCES: .* chown -R/,
    isPossible: isRoot && succeeds([...NOBODY, "true"]),
    through: NOBODY,
    async harm() {
      await chmod(own.folder, 0o755);
      spawnSync("chown", ["-R", `${OTHER}:${OTHER}`, own.dataDir]);
    },
    async mend() {
      spawnSync("chown", ["-R", "0:0", own.dataDir]);
    },
  },
  {
    name: "of a later PostgreSQL",
    said: /was made by PostgreSQL 19\. .* has PostgreSQL 18, .*; nothing was changed\. Use the version of Edgeplane that it was last started with, or a later one\. What was there before is kept in .*replaced-20260101T000000Z: .* set DATA_DIR to that folder/,
    async harm() {
      const kept = path.join(own.dataDir, "replaced-20260101T000000Z", "postgresql");
      await mkdir(kept, { recursive: true });
      await writeFile(path.join(kept, "PG_VERSION"), "18\n");
      await writeFile(inDatabase("PG_VERSION"), "19\n");
    },
    async mend() {
      await rm(path.join(own.dataDir, "replaced-20260101T000000Z"), { recursive: true });
      await writeFile(inDatabase("PG_VERSION"), "18\n");
    },
  },
  {
    name: "of an earlier PostgreSQL whose programs are not kept",
    said: /was made by PostgreSQL 17\. .* has PostgreSQL 18, .*; nothing was changed\. .* edgeplane export .* edgeplane import/,
    harm: () => writeFile(inDatabase("PG_VERSION"), "17\n"),
    mend: () => writeFile(inDatabase("PG_VERSION"), "18\n"),
  },
  {
    name: "without its version",
    said: /is no database, or it is damaged: ENOENT.* edgeplane restore --replace/,
    harm: () => rename(inDatabase("PG_VERSION"), aside("version")),
    mend: () => rename(aside("version"), inDatabase("PG_VERSION")),
  },
  {
    name: "without its write-ahead log",
    said: /does not start: .*checkpoint record.* edgeplane restore --replace/,
    async harm() {
      await rename(inDatabase("pg_wal"), aside("wal"));
      for (const name of ["pg_wal", "pg_wal/archive_status", "pg_wal/summaries"]) {
        await mkdir(inDatabase(name), { mode: 0o700 });
      }
    },
    async mend() {
      await rm(inDatabase("pg_wal"), { recursive: true });
      await rename(aside("wal"), inDatabase("pg_wal"));
    },
  },
  {
    name: "whose control file is damaged",
    said: /does not start: .*control file.* edgeplane restore --replace/,
    async harm() {
      await cp(inDatabase("global/pg_control"), aside("control"));
      const content = readFileSync(aside("control"));
      await writeFile(inDatabase("global/pg_control"), content.fill(1, 40, 60));
    },
    mend: () => cp(aside("control"), inDatabase("global/pg_control")),
  },
];

describe("a data directory", { timeout: 120_000 }, () => {
  it("that is damaged or belongs to others is refused in clear words, and nothing is lost when it is mended", async () => {
    const before = await own.start();
    await createPolicies(before, 2);
    await stop(before);
    for (const { name, said, through, isPossible = true, harm, mend } of FAULTS) {
      if (!isPossible) {
        console.warn(`NOT RUN: a data directory ${name}, which cannot be made here.`);
        continue;
      }
      await harm();
      expect(await own.done([], 1, {}, through), name).toMatch(said);
      expect(await own.done(["keys", "list"], 1, {}, through), name).toMatch(said);
      await mend();
    }
    const after = await own.start();
    expect(await countPolicies(after)).toBe(2);
    await stop(after);
  });
});
