import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createIpPolicy } from "../src/domain/ip-policies.js";
import { ipPolicy, staticBackend, type TestResource } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest, transports } from "./harness/transports.js";

// What PostgreSQL takes back for the sake of another transaction is tried again.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const sql = (statement: string) => server.context.db.$executeRawUnsafe(statement);

async function lastTry(): Promise<number> {
  const [row] = await server.context.db.$queryRaw<{ last_value: bigint; is_called: boolean }[]>`
    SELECT last_value, is_called FROM tries`;
  return row?.is_called ? Number(row.last_value) : 0;
}

/** Tables whose rows are refused, as many times as their description says, with the SQLSTATE that follows it. */
const TABLES = ["ip_policies", "backends"];

beforeAll(async () => {
  await sql("CREATE SEQUENCE tries");
  await sql(`CREATE FUNCTION refuse_some() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('tries') <= split_part(NEW.description, ' ', 1)::integer THEN
      RAISE EXCEPTION 'taken back' USING ERRCODE = split_part(NEW.description, ' ', 2);
    END IF;
    RETURN NEW;
  END $$`);
  for (const table of TABLES) {
    const on = `ON ${table} FOR EACH ROW WHEN (NEW.description LIKE`;
    await sql(
      `CREATE TRIGGER refuse_now BEFORE INSERT OR UPDATE ${on} '_ 4____ now') EXECUTE FUNCTION refuse_some()`,
    );
    await sql(`CREATE CONSTRAINT TRIGGER refuse_at_commit AFTER INSERT OR UPDATE ON ${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.description LIKE '_ 4____ at commit')
      EXECUTE FUNCTION refuse_some()`);
  }
});
beforeEach(() => sql("ALTER SEQUENCE tries RESTART"));

const CODES = ["40001", "40P01"].flatMap((code) => [`${code} now`, `${code} at commit`]);
const RESOURCES: readonly TestResource[] = [ipPolicy, staticBackend];

describe.each(transports)("over $name", (transport) => {
  const cases = CODES.flatMap((code) => RESOURCES.map((resource) => ({ code, resource })));

  it.each(cases)("a create of $resource.title that meets $code twice is done", async (each) => {
    const { code, resource } = each;
    const driver = transport.drive(server, resource);
    const required = await resource.required?.(async () => ({}));
    const { id } = await driver.create({ ...required, description: `2 ${code}` });
    expect(await lastTry()).toBe(3);
    const { changes } = await graphql(
      server,
      "query($id: ID!) { changes(ids: [$id]) { nodes { action } } }",
      { id },
    );
    expect(changes.nodes).toEqual([{ action: "CREATED" }]);
  });

  it.each(cases)(
    "a create of $resource.title that meets $code each time is refused after five tries",
    async ({ code, resource }) => {
      const driver = transport.drive(server, resource);
      const required = await resource.required?.(async () => ({}));
      const description = `9 ${code}`;
      await expect(driver.create({ ...required, description })).rejects.toMatchObject({
        code: "CONFLICT",
        message: expect.stringContaining("Try again"),
      });
      expect(await lastTry()).toBe(5);
    },
  );
});

describe.each(transports.map(({ name }) => name))(
  "over %s, a change with an Idempotency-Key",
  (name) => {
    const send = (description: string, key: string) =>
      name === "REST"
        ? rest(server, "POST", "/ip_policies", { description }, { "Idempotency-Key": key })
        : rest(
            server,
            "POST",
            "/graphql",
            { query: CREATE, variables: { description } },
            { "Idempotency-Key": key },
          );
    const CREATE = `mutation($description: String!) {
    createIpPolicy(input: { description: $description }) { ipPolicy { id } } }`;

    it("is done once when it meets others twice, and is answered the same afterwards", async () => {
      for (const code of CODES) {
        await sql("ALTER SEQUENCE tries RESTART");
        const description = `2 ${code}`;
        const key = `${name} ${code}`.replaceAll(" ", "-");
        const before = await server.context.db.ipPolicy.count({ where: { description } });
        const first = await send(description, key);
        expect(first.status).toBe(name === "REST" ? 201 : 200);
        expect(first.body.errors).toBeUndefined();
        expect(await lastTry()).toBe(3);
        const second = await send(description, key);
        expect(second.body).toEqual(first.body);
        expect(second.headers.get("idempotency-replayed")).toBe("true");
        expect(await server.context.db.ipPolicy.count({ where: { description } })).toBe(before + 1);
      }
    });

    it("is refused when it meets others each time, and done when it is sent again", async () => {
      const description = "5 40001 now";
      const key = `${name}-again`;
      const refused = await send(description, key);
      expect(await lastTry()).toBe(5);
      expect(JSON.stringify(refused.body)).toMatch(/CONFLICT.*Try again|Try again.*CONFLICT/);
      const done = await send(description, key);
      expect(done.status).toBe(name === "REST" ? 201 : 200);
      expect(done.body.errors).toBeUndefined();
      expect(done.headers.get("idempotency-replayed")).toBeNull();
    });
  },
);

describe("a change that meets others", () => {
  it.each(CODES)(
    "at a version that it expects is done once when it meets %s twice",
    async (code) => {
      const description = `2 ${code}`;
      const { body } = await rest(server, "POST", "/ip_policies", {});
      const path = `/ip_policies/${body.id}`;
      const condition = { "If-Match": '"1"' };
      const changed = await rest(server, "PATCH", path, { description }, condition);
      expect(changed).toMatchObject({ status: 200, body: { description } });
      expect(changed.headers.get("etag")).toBe('"2"');
      expect(await lastTry()).toBe(3);

      await sql("ALTER SEQUENCE tries RESTART");
      const other = (await rest(server, "POST", "/ip_policies", {})).body.id;
      const { updateIpPolicy } = await graphql(
        server,
        `mutation($id: ID!, $description: String!) {
        updateIpPolicy(id: $id, input: { description: $description }, expectedVersion: 1) {
          ipPolicy { version } changes { version } } }`,
        { id: other, description },
      );
      expect(updateIpPolicy).toEqual({ ipPolicy: { version: 2 }, changes: [{ version: 2 }] });
      expect(await lastTry()).toBe(3);
    },
  );

  it("is tried no more when nobody waits for it", async () => {
    const gone = new AbortController();
    const create = createIpPolicy(
      { ...server.context, signal: gone.signal },
      { description: "9 40001 now" },
    );
    const refused = expect(create).rejects.toThrow();
    while ((await lastTry()) === 0);
    gone.abort();
    await refused;
    expect(await lastTry()).toBeLessThan(5);
  });

  it("is tried again in a dry run too", async () => {
    const document = `mutation { createIpPolicy(input: { description: "2 40P01 now" }, dryRun: true) {
      changes { version } } }`;
    expect(await graphql(server, document)).toEqual({
      createIpPolicy: { changes: [{ version: 1 }] },
    });
    expect(await lastTry()).toBe(3);
  });

  it("is done once after a deadlock with a session that takes the same rows in another order", async () => {
    const { db } = server.context;
    if (!("$transaction" in db)) throw new Error("The tests have the whole database.");
    const path = "/edges/https";
    for (let isVictim = false; !isVictim; ) {
      const edge = (await rest(server, "POST", path, {})).body.id;
      const routes: string[] = [];
      for (const match of ["/a", "/b"]) {
        const route = { match_type: "path_prefix", match };
        routes.push((await rest(server, "POST", `${path}/${edge}/routes`, route)).body.id);
      }
      const [first, last] = routes;
      let deleting: Promise<Fields> | undefined;
      const other = db.$transaction(
        async (inside) => {
          await inside.$queryRaw`SELECT 1 FROM https_edge_routes WHERE id = ${last} FOR UPDATE`;
          deleting = rest(server, "DELETE", `${path}/${edge}`);
          while ((await waiting()) === 0);
          // Whoever waits for longer is taken back: that is us when we were slow.
          await inside.$queryRaw`SELECT 1 FROM https_edge_routes WHERE id = ${first} FOR UPDATE`;
        },
        { timeout: 30_000 },
      );
      isVictim = await other.then(
        () => true,
        () => false,
      );
      expect((await deleting)?.status).toBe(204);
      const entries = await db.change.findMany({
        where: { resourceId: { in: [edge, ...routes] } },
      });
      expect(entries.filter(({ action }) => action === "deleted")).toHaveLength(3);
    }
  });
});

/** Statements of this database that wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await server.context.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}
