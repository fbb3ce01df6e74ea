import { chmod, mkdir, readdir, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  countPolicies,
  createPolicies,
  installations,
  says,
  stop,
} from "../harness/installations.js";

// As whom the embedded database server runs, which refuses to run as root.

const own = installations();

const isRoot = process.geteuid?.() === 0;
if (!isRoot)
  console.warn("NOT RUN: the embedded database of a root process, because this one is not root.");

describe.skipIf(!isRoot)("a root process", { timeout: 120_000 }, () => {
  const ownerOf = async (name: string) => (await stat(path.join(own.dataDir, name))).uid;

  /** The programs of the machine without `unshare`, as in a container that forbids it. */
  async function withoutNamespaces(): Promise<Record<string, string>> {
    const bin = path.join(own.folder, "bin");
    await mkdir(bin, { recursive: true });
    for (const program of ["id", "sh"]) {
      await symlink(`/usr/bin/${program}`, path.join(bin, program)).catch(() => {});
    }
    return { PATH: bin };
  }

  it("keeps the files its own, in a folder that only root may enter as well", async () => {
    await chmod(own.folder, 0o700);
    const server = await own.start();
    expect(await ownerOf("postgresql")).toBe(0);
    expect(server.output()).not.toContain("WebAssembly");
    await createPolicies(server, 1);
    await stop(server);
  });

  it("runs the server as nobody where it may not make a user namespace, and goes on so", async () => {
    await chmod(own.folder, 0o755);
    const first = await own.start(await withoutNamespaces());
    const nobody = await ownerOf("postgresql");
    expect(nobody).not.toBe(0);
    expect((await stat(own.dataDir)).mode & 0o777).toBe(0o711);
    expect(first.output()).not.toContain("WebAssembly");
    await createPolicies(first, 3);
    await stop(first);
    const second = await own.start();
    expect(await ownerOf("postgresql")).toBe(nobody);
    expect(await countPolicies(second)).toBe(3);
    await stop(second);
  });

  it("says what is in the way where neither is open, and uses the WebAssembly engine", async () => {
    await chmod(own.folder, 0o700);
    const first = await own.start(await withoutNamespaces());
    await says(first, "spawn unshare ENOENT");
    await says(first, `the user that PostgreSQL is to run as may not pass through ${own.folder})`);
    await says(first, "The new database uses the WebAssembly engine. It writes without fsync");
    await createPolicies(first, 3);
    await stop(first);
    expect((await readdir(own.dataDir)).sort()).toEqual(["database", "encryption.key"]);
    // Now PostgreSQL could run; the directory goes on with what made it.
    const second = await own.start();
    await says(second, "was made by the WebAssembly engine and goes on with it");
    expect(await countPolicies(second)).toBe(3);
    await stop(second);
  });

  it("starts no other engine beside a database that it cannot run", async () => {
    await chmod(own.folder, 0o755);
    await stop(await own.start());
    const server = own.run(await withoutNamespaces());
    expect(await server.exited).toBe(1);
    expect(server.output()).toContain("unshare");
    expect(await readdir(own.dataDir)).not.toContain("database");
  });
});
