import { readFileSync } from "node:fs";
import { chmod, mkdir, readdir, rename, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { installations, stop } from "../harness/installations.js";

// Who may read the data directory, and what is in it.

const own = installations();

describe("the data directory", { timeout: 60_000 }, () => {
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
});
