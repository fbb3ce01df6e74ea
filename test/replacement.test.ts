import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDataDirectory } from "../src/database/disk/data-directory.js";
import { replaceDatabase } from "../src/database/disk/replacement.js";

// A restored database takes the place of another one, whatever interrupts it.

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Writes files with these contents, by their paths. */
async function write(files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content);
  }
}

/** The contents of all files, by their paths. */
async function files(): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const all = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file), await readFile(file, "utf8")] as const;
    });
  return Object.fromEntries(await Promise.all(all));
}

const OLD = { "postgresql/data": "old", "encryption.key": "old key" };
const STAGED = { "new/postgresql/data": "new", "new/encryption.key": "new key" };
const NEW = { "postgresql/data": "new", "encryption.key": "new key" };
const TIME = "20260101T000000Z";

const below = (name: string, given: Record<string, string>) =>
  Object.fromEntries(Object.entries(given).map(([file, text]) => [`${name}/${file}`, text]));

const move = (from: string, to: string) => rename(path.join(folder, from), path.join(folder, to));

/** Opens the directory and closes it, as any start does. */
async function open(): Promise<void> {
  const directory = await openDataDirectory(folder, (error) => {
    throw error;
  });
  expect(directory.engine).toBe("postgresql");
  await directory.release();
}

describe("a database that takes the place of another one", () => {
  it("leaves that one under another name, with its key", async () => {
    await write({ ...OLD, ...STAGED, "backups/one": "kept" });
    const replaced = await replaceDatabase(folder, path.join(folder, "new"));
    expect(replaced).toMatch(/replaced-\d{8}T\d{6}Z$/);
    const name = path.basename(replaced ?? "");
    expect(await files()).toEqual({ ...NEW, ...below(name, OLD), "backups/one": "kept" });
  });

  it("leaves nothing else where there was none", async () => {
    await write(STAGED);
    expect(await replaceDatabase(folder, path.join(folder, "new"))).toBeNull();
    expect(await files()).toEqual(NEW);
  });

  it("comes without the key of the one before", async () => {
    await write({ ...OLD, "new/postgresql/data": "new" });
    const replaced = await replaceDatabase(folder, path.join(folder, "new"));
    const kept = below(path.basename(replaced ?? ""), OLD);
    expect(await files()).toEqual({ "postgresql/data": "new", ...kept });
  });

  it("replaces one of the WebAssembly engine too", async () => {
    await write({ "database/data": "old", ...STAGED });
    const replaced = await replaceDatabase(folder, path.join(folder, "new"));
    const kept = below(path.basename(replaced ?? ""), { "database/data": "old" });
    expect(await files()).toEqual({ ...NEW, ...kept });
  });

  const interruptions: Record<string, () => Promise<void>> = {
    "before anything was moved": async () => {},
    "when the database was moved away": async () => {
      await mkdir(path.join(folder, `replaced-${TIME}`));
      await move("postgresql", `replaced-${TIME}/postgresql`);
    },
    "when all was moved away": async () => {
      await mkdir(path.join(folder, `replaced-${TIME}`));
      for (const name of ["postgresql", "encryption.key"]) {
        await move(name, `replaced-${TIME}/${name}`);
      }
    },
    "when all was moved away, and that was noted": async () => {
      await interruptions["when all was moved away"]?.();
      await move(`replacing-${TIME}`, `placing-${TIME}`);
    },
    "when the key was in its place": async () => {
      await interruptions["when all was moved away, and that was noted"]?.();
      await move(`placing-${TIME}/encryption.key`, "encryption.key");
    },
    "when all was in its place": async () => {
      await interruptions["when the key was in its place"]?.();
      await move(`placing-${TIME}/postgresql`, "postgresql");
    },
  };

  it.each(Object.keys(interruptions))(
    "is completed by the next start when interrupted %s",
    async (when) => {
      await write({ ...OLD, ...below(`replacing-${TIME}`, NEW) });
      await interruptions[when]?.();
      await open();
      expect(await files()).toEqual({ ...NEW, ...below(`replaced-${TIME}`, OLD) });
      expect(await readdir(folder)).toHaveLength(3);
      await open();
      expect(await files()).toEqual({ ...NEW, ...below(`replaced-${TIME}`, OLD) });
    },
  );
});
