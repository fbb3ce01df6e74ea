import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, runCommand } from "../harness/processes.js";
import { freshDatabase, startServer, type TestServer } from "../harness/server.js";
import { graphql, rest } from "../harness/transports.js";

// The command of operators, beside a server on the same database.

const key = randomBytes(32);
let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startServer({ encryptionKeys: [key] });
  folder = await mkdtemp(path.join(tmpdir(), "edgeplane-commands-"));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const environment = (url: string, ...keys: Buffer[]) => ({
  DATABASE_URL: url,
  ENCRYPTION_KEY: keys.map((each) => each.toString("base64")).join(),
});
const edgeplane = (...args: string[]): Promise<Ended> =>
  runCommand(args, environment(server.databaseUrl, key));
const done = async (ended: Promise<Ended>): Promise<string> => {
  const { code, stdout, stderr } = await ended;
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
};

/** Runs `work` on a database without tables. */
async function onBare(work: (url: string) => Promise<void>): Promise<void> {
  const bare = await freshDatabase();
  await bare.administer("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  try {
    await work(bare.url);
  } finally {
    await bare.stop();
  }
}

describe("edgeplane", () => {
  it("explains itself, each command too", async () => {
    const help = await done(edgeplane("--help"));
    const names = [...help.matchAll(/^ {2}(\w+)/gm)]
      .map(([, name]) => name ?? "")
      .filter((name) => name !== "help");
    expect(names).toEqual(
      expect.arrayContaining(["serve", "migrate", "keys", "secrets", "export", "import", "doctor"]),
    );
    for (const name of names) {
      expect(await done(edgeplane("help", name))).toContain("Usage: edgeplane");
    }
  });

  it.each([
    [["nonsense"], "unknown command 'nonsense'"],
    [["keys", "create", "--scope", "all"], "Allowed choices are read, write"],
    [["keys", "revoke"], "missing required argument 'id'"],
    [["migrate", "--status", "--dry-run"], "cannot be used with option"],
    [["migrate", "--nonsense"], "unknown option '--nonsense'"],
  ])("ends with 2 when its arguments are wrong: %s", async (args, words) => {
    const { code, stderr } = await edgeplane(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  it("ends with 1 and every problem of its configuration", async () => {
    const { code, stderr } = await runCommand(["keys", "list"], { PORT: "x", LOG_LEVEL: "y" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/PORT must be .*\n.*LOG_LEVEL must be/);
  });
});

describe("edgeplane keys", () => {
  it("creates, lists and revokes keys, which the server knows at once", async () => {
    const token = (await done(edgeplane("keys", "create", "--scope", "read"))).trim();
    const authorization = { Authorization: `Bearer ${token}` };
    expect((await rest(server, "GET", "/ip_policies", undefined, authorization)).status).toBe(200);
    const refused = await rest(server, "POST", "/ip_policies", {}, authorization);
    expect(refused.status).toBe(403);

    const created = JSON.parse(
      await done(edgeplane("keys", "create", "--description", "for CI\n\u001b[2J", "--json")),
    );
    expect(created).toMatchObject({ scope: "write", description: "for CI\n\u001b[2J" });
    const { keys } = JSON.parse(await done(edgeplane("keys", "list", "--json")));
    expect(keys).toHaveLength(4);
    expect(keys[0]).toMatchObject({ id: created.id, description: "for CI\n\u001b[2J" });
    expect(JSON.stringify(keys)).not.toContain(created.token);
    const listed = await done(edgeplane("keys", "list"));
    expect(listed).toContain(`${created.id}  write`);
    expect(listed).toContain("  for CI\\u000a\\u001b[2J\n");

    await done(edgeplane("keys", "revoke", created.id, keys[1].id, created.id));
    expect((await rest(server, "GET", "/ip_policies", undefined, authorization)).status).toBe(401);
    const { changes } = await graphql(
      server,
      "{ changes(last: 2) { nodes { action resourceId } } }",
    );
    expect(changes.nodes).toEqual([
      { action: "DELETED", resourceId: created.id },
      { action: "DELETED", resourceId: keys[1].id },
    ]);
  });

  it("lists more keys than a page has, and revokes all or none", async () => {
    await server.context.db.$executeRaw`
      INSERT INTO api_keys (id, created_at, updated_at, description, metadata, owner_id, scope, token_hash)
      SELECT 'ak_' || lpad(i::text, 27, '0'), now(), now(), '', '', '', 'read', decode(md5(i::text), 'hex')
      FROM generate_series(1, 250) AS i`;
    const { keys } = JSON.parse(await done(edgeplane("keys", "list", "--json")));
    expect(keys).toHaveLength(252);
    const first = `ak_${"1".padStart(27, "0")}`;
    const { code, stderr } = await edgeplane("keys", "revoke", first, "ak_nothing");
    expect([code, stderr]).toEqual([1, 'There is no API key "ak_nothing".\n']);
    expect(await server.context.db.apiKey.count()).toBe(252);
  });

  it("says every problem of what it is to create", async () => {
    const { code, stderr } = await edgeplane(
      ...["keys", "create", "--description", "d".repeat(300), "--metadata", "m".repeat(5000)],
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/--description must .*\n--metadata must /);
  });
});

describe("edgeplane migrate", () => {
  it("shows what it would do, does it, and then has nothing to do", () =>
    onBare(async (url) => {
      const migrate = (...args: string[]) =>
        runCommand(["migrate", ...args], environment(url, key));
      const before = await migrate("--status");
      expect(before.code).toBe(1);
      expect(before.stdout).toMatch(/^pending {2}\d+_init\n/);
      const sql = await done(migrate("--dry-run"));
      expect(sql).toContain('CREATE TABLE "https_edges"');
      expect((await migrate("--status")).stdout).toBe(before.stdout);

      const refused = await runCommand(["keys", "list"], environment(url, key));
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
      expect(refused.stderr).toMatch(/_init \(pending\).* See edgeplane migrate --status\.\n$/);

      const { applied } = JSON.parse(await done(migrate("--json")));
      expect(applied).toHaveLength(before.stdout.trim().split("\n").length);
      expect(JSON.parse(await done(migrate("--json")))).toEqual({
        applied: [],
        isContinued: false,
      });
      expect(await done(migrate("--status"))).not.toContain("pending");
      expect(await done(migrate("--dry-run"))).toBe("");
    }));
});

describe("a database that", () => {
  const COMMANDS = [["doctor"], ["migrate", "--status"], ["migrate"], ["serve"]];

  /** What each command ends with, all run at once. */
  async function ends(url: string, env: Record<string, string> = {}): Promise<string[]> {
    const ended = await Promise.all(
      COMMANDS.map((args) => runCommand(args, { ...environment(url, key), PORT: "0", ...env })),
    );
    expect(ended.map(({ code }) => code)).toEqual(COMMANDS.map(() => 1));
    return ended.map(({ stdout, stderr }) => stdout + stderr);
  }

  it("takes connections and does not answer ends each command, with its address", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const words = `The database at ${address} did not answer within 5 seconds.`;
    for (const output of await ends(`postgresql://nobody@${address}/none`)) {
      expect(output).toContain(words);
    }
    silent.close();
  });

  it("is another one than that of DATABASE_DIRECT_URL ends each command, and stays as it is", () =>
    onBare(async (url) => {
      for (const output of await ends(server.databaseUrl, { DATABASE_DIRECT_URL: url })) {
        expect(output).toContain(
          "DATABASE_URL and DATABASE_DIRECT_URL lead to different databases",
        );
      }
      const { stdout } = await runCommand(["migrate", "--status"], environment(url, key));
      expect(stdout).not.toMatch(/^applied/m);
      const { DATABASE_URL } = environment(url, key);
      const same = { ...environment(url, key), DATABASE_DIRECT_URL: DATABASE_URL };
      expect(await done(runCommand(["migrate"], same))).toContain("migrations applied");
    }));

  it("refuses the user ends each command in the words of PostgreSQL", async () => {
    const url = new URL(server.databaseUrl);
    url.username = "nobody_of_that_name";
    for (const output of await ends(url.href)) {
      expect(output).toContain('role "nobody_of_that_name" does not exist');
    }
  });
});

describe("edgeplane export and import", () => {
  const ipPolicy = { description: "\u2028 moves along" };

  it("move everything into a database without tables, through a file that only its owner reads", async () => {
    const { body } = await rest(server, "POST", "/ip_policies", ipPolicy);
    const file = path.join(folder, "all.jsonl");
    expect(await done(edgeplane("export", file))).toMatch(/^exported \d+ rows to /);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const twice = path.join(folder, "twice.jsonl");
    const both = await Promise.all([edgeplane("export", twice), edgeplane("export", twice)]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(both.map(({ stderr }) => stderr)).toContain(`${twice} is there already.\n`);
    expect((await readdir(folder)).sort()).toEqual(["all.jsonl", "twice.jsonl"]);
    const again = await edgeplane("export", file);
    expect([again.code, again.stderr]).toEqual([1, `${file} is there already.\n`]);
    const printed = (await done(edgeplane("export"))).split("\n");
    const written = (await readFile(file, "utf8")).split("\n");
    // The header has the time, and the end a digest of it.
    expect(printed.slice(1, -2)).toEqual(written.slice(1, -2));

    await onBare(async (url) => {
      const target = environment(url, key);
      const imported = JSON.parse(await done(runCommand(["import", file, "--json"], target)));
      expect(imported).toEqual({ added: printed.length - 3, same: 0 });
      await done(runCommand(["migrate", "--status"], target));
      const moved = await done(runCommand(["export"], target));
      expect(moved).toContain(`"id":"${body.id}"`);
      expect(await done(runCommand(["import", file], target))).toMatch(
        /^imported 0 rows; \d+ were there already\n$/,
      );
    });
  });

  it("say what is no export, and where there is none", async () => {
    const file = path.join(folder, "wrong.jsonl");
    await writeFile(file, "{}\n");
    const wrong = await edgeplane("import", file);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      "This is not an export of Edgeplane: its first line is no header.\n",
    ]);
    const missing = await edgeplane("import", path.join(folder, "nothing"));
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("ENOENT");
    const directory = await edgeplane("import", folder);
    expect([directory.code, directory.stderr]).toEqual([
      1,
      `${folder} is a directory: name a file that edgeplane export wrote.\n`,
    ]);
    const nowhere = await edgeplane("export", path.join(folder, "no", "folder"));
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toMatch(/^ENOENT: .*\n$/);
  });
});

describe("edgeplane secrets rotate", () => {
  it("seals everything with the new key, so that the old one can be thrown away", async () => {
    const made = await rest(server, "POST", "/ssh_certificate_authorities", {});
    expect(made.status).toBe(201);
    const edge = await rest(server, "POST", "/edges/https", {});
    const route = await rest(server, "POST", `/edges/https/${edge.body.id}/routes`, {
      match_type: "path_prefix",
      match: "/",
      webhook_verification: { provider: "zoom", secret: "canary-of-the-webhook" },
    });
    expect(route.status).toBe(201);
    const other = randomBytes(32);
    const both = environment(server.databaseUrl, other, key);
    const rotated = JSON.parse(await done(runCommand(["secrets", "rotate", "--json"], both)));
    expect(rotated.resealed).toBe(2);
    expect(JSON.parse(await done(runCommand(["secrets", "rotate", "--json"], both)))).toEqual({
      ...rotated,
      resealed: 0,
    });
    const alone = environment(server.databaseUrl, other);
    const exported = await done(runCommand(["export", "--with-secrets"], alone));
    expect(exported).toContain("canary-of-the-webhook");
  });
});

describe("edgeplane doctor", () => {
  it("finds nothing wrong where nothing is", async () => {
    const fresh = await freshDatabase();
    const { findings } = JSON.parse(
      await done(runCommand(["doctor", "--json"], { ...environment(fresh.url, key), PORT: "0" })),
    );
    expect(findings.filter(({ state }: { state: string }) => state !== "ok")).toEqual([]);
    await fresh.stop();
  });

  it("finds counts that are wrong, and makes them anew", async () => {
    const fresh = await freshDatabase();
    const doctor = (...args: string[]) =>
      runCommand(["doctor", ...args], { ...environment(fresh.url, key), PORT: "0" });
    await fresh.administer(
      "INSERT INTO counts VALUES ('ipPolicy', 3, 7); INSERT INTO possibly_used VALUES ('gone')",
    );
    const sick = await doctor();
    expect(sick.code).toBe(1);
    expect(sick.stdout).toContain(
      "problem  counts: 2 of what is kept besides the rows is wrong: The count ipPolicy is 7, and there are 0. gone is gone and marked.\n         Run edgeplane doctor --repair.",
    );
    expect((await doctor("--repair")).code).toBe(0);
    expect((await doctor()).stdout).toContain("ok       counts");
    await fresh.stop();
  });

  it.each([
    [
      "a database that is away",
      { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" },
      "database",
    ],
    ["tables that are missing", {}, "migrations"],
  ])("finds %s, and says what to do", (_, env, check) =>
    onBare(async (url) => {
      const { code, stdout } = await runCommand(["doctor", "--json"], {
        ...environment(url, key),
        PORT: "0",
        ...env,
      });
      const { findings } = JSON.parse(stdout);
      expect(code).toBe(1);
      expect(findings).toContainEqual({
        check,
        state: "problem",
        message: expect.any(String),
        advice: expect.any(String),
      });
    }),
  );

  it("finds every problem of the configuration, also as JSON", async () => {
    const { code, stdout, stderr } = await runCommand(["doctor", "--json"], {
      PORT: "x",
      LOG_LEVEL: "y",
    });
    expect([code, stderr]).toEqual([1, ""]);
    const wrong = (start: string) => ({
      check: "configuration",
      state: "problem",
      message: expect.stringContaining(`${start} must be`),
      advice: null,
    });
    expect(JSON.parse(stdout)).toEqual({ findings: [wrong("PORT"), wrong("LOG_LEVEL")] });
  });

  it("says of a directory without a database what a start says, and no more", async () => {
    const data = path.join(folder, "without");
    await mkdir(path.join(data, "backups"), { recursive: true, mode: 0o700 });
    await chmod(data, 0o700);
    const doctor = async () =>
      (await runCommand(["doctor"], { DATA_DIR: data, PORT: "0" })).stdout
        .split("\n")
        .filter((line) => line.startsWith("problem"));
    expect(await doctor()).toEqual([expect.stringContaining("make one with edgeplane migrate")]);
    await mkdir(path.join(data, "backups", "20260101T000000Z"));
    const { stderr } = await runCommand(["serve"], { DATA_DIR: data, PORT: "0" });
    expect(stderr).toContain("Restore the newest with edgeplane restore");
    expect(await doctor()).toEqual([`problem  database: ${stderr.trim()}`]);
  });

  it("finds a metrics port that is taken, and persisted operations that cannot be read", async () => {
    const taken = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { code, stdout } = await runCommand(["doctor"], {
      ...environment(server.databaseUrl, key),
      ...{ PORT: "0", METRICS_PORT: String((taken.address() as AddressInfo).port) },
      PERSISTED_OPERATIONS: path.join(folder, "nothing.json"),
    });
    taken.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem {2}metrics port: nothing can listen at .*EADDRINUSE/m);
    expect(stdout).toMatch(
      /^problem {2}persisted operations: PERSISTED_OPERATIONS cannot be read/m,
    );
  });

  it("finds a missing key, and a port that is taken", async () => {
    const { port } = new URL(server.url);
    const sick = await runCommand(["doctor"], {
      ...environment(server.databaseUrl, randomBytes(32)),
      PORT: port,
    });
    expect(sick.code).toBe(1);
    expect(sick.stdout).toMatch(/^problem {2}encryption key: .*Restore the file/m);
    expect(sick.stdout).toContain(`ok       port: an Edgeplane answers at 127.0.0.1:${port}`);
  });
});
