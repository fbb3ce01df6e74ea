import { existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packageFolder, packageVersion } from "../src/database/embedded/binaries.js";
import { findPrograms, keepPrograms } from "../src/database/embedded/programs.js";

// The programs of the embedded PostgreSQL that a data directory keeps for a later version.

const SHARED_MEMORY = "/dev/shm";
const NEVER = new AbortController().signal;

const own = packageFolder() ?? "";
const version = await packageVersion(own);
const isElsewhere = existsSync(SHARED_MEMORY) && statSync(SHARED_MEMORY).dev !== statSync(own).dev;
if (!isElsewhere) console.warn("NOT RUN: copies of programs, without another file system here.");

let directory: string;
const inDirectory = (...names: string[]) => path.join(directory, ...names);
/** A data directory with a database, as far as it matters here. */
async function makeDirectory(parent: string): Promise<void> {
  directory = await mkdtemp(path.join(parent, "edgeplane-test-"));
  await mkdir(inDirectory("postgresql"));
}
beforeEach(() => makeDirectory(tmpdir()));
afterEach(() => rm(directory, { recursive: true }));

/** All files with their contents, by their paths. */
async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const file = path.join(parentPath, name);
    return [path.relative(folder, file), await readFile(file, "latin1")] as const;
  });
  return new Map(await Promise.all(read));
}

describe("the programs of a data directory", () => {
  it("are all of those of the package", async () => {
    await keepPrograms(directory, NEVER);
    const kept = await findPrograms(directory, Number.parseInt(version, 10));
    expect(kept).toBe(inDirectory("programs", version));
    expect(await filesIn(inDirectory("programs", version))).toEqual(await filesIn(own));
    const { ino, mode } = await stat(kept ?? "");
    expect(mode & 0o777).toBe(0o755);
    await keepPrograms(directory, NEVER);
    expect((await stat(kept ?? "")).ino).toBe(ino);
  });

  it.runIf(isElsewhere)(
    "are copies on another file system, which others cannot change",
    async () => {
      await rm(directory, { recursive: true });
      await makeDirectory(SHARED_MEMORY);
      await keepPrograms(directory, NEVER);
      const program = inDirectory("programs", version, "native", "bin", "postgres");
      const { mode, nlink } = await stat(program);
      expect([mode & 0o777, nlink]).toEqual([0o755, 1]);
      expect(await filesIn(inDirectory("programs", version))).toEqual(await filesIn(own));
    },
  );

  it("take the place of those of the same major version alone, and of what was interrupted", async () => {
    const others = ["15.4.0", "18.0.0", "18.0.0-beta.1", "new-0123", "new-18.0.1"];
    for (const name of others) {
      await mkdir(inDirectory("programs", name), { recursive: true });
      await writeFile(inDirectory("programs", name, "package.json"), "{}");
    }
    expect(await findPrograms(directory, 15)).toBe(inDirectory("programs", "15.4.0"));
    expect(await findPrograms(directory, 18)).toBe(inDirectory("programs", "18.0.0-beta.1"));
    expect(await findPrograms(directory, 17)).toBe(null);
    await keepPrograms(directory, NEVER);
    expect((await readdir(inDirectory("programs"))).sort()).toEqual(["15.4.0", version]);
  });

  it("are there whole or not at all", async () => {
    await expect(keepPrograms(directory, AbortSignal.abort())).rejects.toThrow("aborted");
    expect(await readdir(inDirectory("programs"))).toEqual([]);
    await rm(inDirectory("programs"), { recursive: true });
    await writeFile(inDirectory("programs"), "");
    await expect(keepPrograms(directory, NEVER)).rejects.toThrow("ENOTDIR");
  });
});
