import {
  chmod,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packageFolder, packageVersion } from "../src/database/embedded/binaries.js";
import { findPrograms, keepPrograms } from "../src/database/embedded/programs.js";

// The programs of the embedded PostgreSQL that a data directory keeps for a later version.

const NEVER = new AbortController().signal;

const own = packageFolder() ?? "";
const version = await packageVersion(own);
const major = Number.parseInt(version, 10);

let directory: string;
const inDirectory = (...names: string[]) => path.join(directory, ...names);
/** A data directory with a database, as far as it matters here. */
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "edgeplane-test-"));
  await mkdir(inDirectory("postgresql"));
});
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
  it("are all of those of the package, and copies whose rights are their own", async () => {
    await keepPrograms(directory, NEVER);
    const kept = await findPrograms(directory, major);
    expect(kept).toBe(inDirectory("programs", version));
    expect(await filesIn(inDirectory("programs", version))).toEqual(await filesIn(own));
    const { ino, mode } = await stat(kept ?? "");
    expect(mode & 0o777).toBe(0o755);
    const program = await stat(inDirectory("programs", version, "native", "bin", "postgres"));
    expect([program.mode & 0o777, program.nlink]).toEqual([0o755, 1]);
    await keepPrograms(directory, NEVER);
    expect((await stat(kept ?? "")).ino).toBe(ino);
  });

  async function putPrograms(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      await mkdir(inDirectory("programs", name), { recursive: true });
      await writeFile(
        inDirectory("programs", name, "package.json"),
        JSON.stringify({ version: name }),
      );
    }
  }

  it("take the place of those of the same major version alone, and of what was interrupted", async () => {
    const others = ["18-old", "new-photos", "notes"];
    await putPrograms("15.4.0", "18.0.0", "18.0.0-beta.1", "new-0123456789ab", ...others);
    await mkdir(inDirectory("programs", "18.0.1"));
    expect(await findPrograms(directory, 15)).toBe(inDirectory("programs", "15.4.0"));
    expect(await findPrograms(directory, 18)).toBe(inDirectory("programs", "18.0.0-beta.1"));
    expect(await findPrograms(directory, 17)).toBe(null);
    await keepPrograms(directory, NEVER);
    const left = ["15.4.0", "18.0.1", version, ...others];
    expect((await readdir(inDirectory("programs"))).sort()).toEqual(left.sort());
  });

  it("are not run when others can write them", async () => {
    await putPrograms("15.4.0");
    await mkdir(inDirectory("programs", "15.4.0", "native"));
    const places = [
      inDirectory("programs"),
      inDirectory("programs", "15.4.0"),
      inDirectory("programs", "15.4.0", "native"),
      inDirectory("programs", "15.4.0", "package.json"),
    ];
    for (const place of places) {
      const { mode } = await stat(place);
      await chmod(place, 0o777);
      await expect(findPrograms(directory, 15)).rejects.toThrow(`${place}, which others can write`);
      await chmod(place, mode & 0o777);
    }
    expect(await findPrograms(directory, 15)).toBe(inDirectory("programs", "15.4.0"));
  });

  it.runIf(process.geteuid?.() === 0)(
    "are not run as root, nor written by root, where another user can change them",
    async () => {
      await putPrograms("15.4.0");
      const places = [
        directory,
        inDirectory("programs"),
        inDirectory("programs", "15.4.0"),
        inDirectory("programs", "15.4.0", "package.json"),
      ];
      for (const place of places) {
        await lchown(place, 12_345, 12_345);
        await expect(findPrograms(directory, 15)).rejects.toThrow("belongs to the user 12345");
        await lchown(place, 0, 0);
      }
      // As the database's own user they may well be.
      await lchown(inDirectory("postgresql"), 12_345, 12_345);
      await lchown(inDirectory("programs", "15.4.0"), 12_345, 12_345);
      expect(await findPrograms(directory, 15)).toBe(inDirectory("programs", "15.4.0"));
      await lchown(directory, 12_345, 12_345);
      await expect(keepPrograms(directory, NEVER)).rejects.toThrow("belongs to the user 12345");
      expect(await readdir(inDirectory("programs"))).toEqual(["15.4.0"]);
    },
  );

  it("are not kept where a link leads elsewhere, and nothing is removed there", async () => {
    const elsewhere = inDirectory("elsewhere");
    for (const name of ["new-0123456789ab", "18.0.0"]) {
      await mkdir(path.join(elsewhere, name), { recursive: true });
      await writeFile(
        path.join(elsewhere, name, "package.json"),
        JSON.stringify({ version: name }),
      );
    }
    await symlink(elsewhere, inDirectory("programs"));
    await expect(keepPrograms(directory, NEVER)).rejects.toThrow("is no folder");
    expect((await readdir(elsewhere)).sort()).toEqual(["18.0.0", "new-0123456789ab"]);
  });

  it("are there whole or not at all", async () => {
    await expect(keepPrograms(directory, AbortSignal.abort())).rejects.toThrow("aborted");
    expect(await readdir(inDirectory("programs"))).toEqual([]);
    await rm(inDirectory("programs"), { recursive: true });
    await writeFile(inDirectory("programs"), "");
    await expect(keepPrograms(directory, NEVER)).rejects.toThrow("is no folder");
  });
});
