import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RESOURCE_KINDS, RESOURCES } from "../src/domain/core/ids.js";
import { snakeCase } from "../src/domain/core/names.js";
import { MODULE_OWNERS, moduleNamesOf } from "../src/domain/modules/index.js";
import { countOf } from "../src/domain/storage/counts.js";
import { type Counts, counted, overview } from "./harness/counts.js";
import { markAgain, wrongMarks } from "./harness/marks.js";
import { everyRouteModule } from "./harness/modules.js";
import {
  certificateAuthority,
  httpsEdge,
  ipPolicy,
  resources,
  routesOf,
  sshHostCertificate,
  sshUserCertificate,
  staticBackend,
  type TestResource,
  tcpEdge,
  tlsCertificate,
  tlsEdge,
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, transports } from "./harness/transports.js";

// Counts for a dashboard: always what counting the rows would give.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const drivers = (resource: TestResource) =>
  transports.map((transport) => transport.drive(server, resource));
const driver = (resource: TestResource, turn = 0) => {
  const [one, other] = drivers(resource);
  if (!one || !other) throw new Error("There are two transports.");
  return turn % 2 === 0 ? one : other;
};

async function create(resource: TestResource, input: Fields = {}, turn = 0): Promise<Fields> {
  const required = (await resource.required?.((needed) => create(needed))) ?? {};
  return driver(resource, turn).create({ ...required, ...input });
}

const enumName = (name: string) => snakeCase(name).toUpperCase();

describe("the overview", () => {
  it("has every kind of resource, and every module of every owner, also of what there is none", async () => {
    const { resources, modules } = (
      await graphql(
        server,
        "{ overview { resources { type count } modules { owner kind enabled disabled } } }",
      )
    ).overview;
    expect(resources.map(({ type }: Fields) => type)).toEqual(RESOURCE_KINDS.map(enumName));
    expect(resources).toContainEqual({ type: "WEIGHTED_BACKEND", count: 0 });
    const listed = MODULE_OWNERS.flatMap((owner) =>
      moduleNamesOf(owner).map((name) => [enumName(owner), enumName(name)]),
    );
    expect(listed).toHaveLength(2 + 13 + 5 + 3 + 12);
    expect(modules.map(({ owner, kind }: Fields) => [owner, kind])).toEqual(listed);
    expect(modules).toContainEqual({
      owner: "HTTPS_EDGE_ROUTE",
      kind: "WEBSOCKET_TCP_CONVERTER",
      enabled: 0,
      disabled: 0,
    });
  });

  it("counts every kind of resource, and every module as enabled or not", async () => {
    for (const [turn, resource] of resources.entries()) await create(resource, {}, turn);
    const backend = await create(staticBackend);
    const policy = await create(ipPolicy);
    const edge = await create(httpsEdge, { tlsTermination: { enabled: false } });
    const modules = everyRouteModule(backend.id, policy.id);
    const route = { matchType: "exact_path", match: "/", ...modules };
    await driver(routesOf(edge.id)).create(route);
    const counts = await overview(server);
    expect(counts).toEqual(await counted(server));
    expect(counts).toMatchObject({
      HTTPS_EDGE_ROUTE: 1,
      "HTTPS_EDGE TLS_TERMINATION disabled": 1,
      "HTTPS_EDGE_ROUTE OAUTH enabled": 1,
      "HTTPS_EDGE_ROUTE SAML disabled": 1,
    });
  });

  it("stays true through any changes, dry runs and refused ones too", async () => {
    const owners: { resource: TestResource; id: string; edges: boolean }[] = [];
    const backend = await create(staticBackend);
    const run = async ({ action, pick, turn, modules }: Step) => {
      const at = owners.length > 0 ? pick % owners.length : 0;
      const owner = owners[at];
      const input = inputFor(owner?.resource, modules, backend.id);
      if (action === "create" || !owner) {
        const resource = resources[pick % resources.length] ?? httpsEdge;
        const { id } = await create(resource, {}, turn);
        if (resource !== httpsEdge && resource !== tlsEdge && resource !== tcpEdge) return;
        owners.push({ resource, id, edges: resource === httpsEdge });
        if (resource !== httpsEdge) return;
        const matched = { edgeId: id, matchType: "exact_path", match: "/" };
        const route = { ...matched, ...forRoute(modules, backend.id) };
        const made = await driver(routesOf(id), turn).create(route);
        owners.push({ resource: routesOf(id), id: made.id, edges: false });
      } else if (action === "delete") {
        await driver(owner.resource, turn).remove(owner.id);
        const gone = owner.edges ? routesOf(owner.id).path : "";
        const kept = owners.filter(
          (each) => each !== owner && (gone === "" || each.resource.path !== gone),
        );
        owners.splice(0, owners.length, ...kept);
      } else if (action === "update") {
        const wanted =
          owner.resource.one === "httpsEdgeRoute" ? forRoute(modules, backend.id) : input;
        const own = owner.edges ? { tlsTermination: modules.tlsTermination } : wanted;
        await driver(owner.resource, 1).update(owner.id, own);
      } else if (action === "dry run") {
        await graphql(
          server,
          "mutation { createTlsEdge(input: { tlsTermination: {} }, dryRun: true) { tlsEdge { id } } }",
        );
      } else {
        const refused = driver(tlsEdge, turn).create({ backend: { backendId: "bkdsc_none" } });
        await expect(refused).rejects.toThrow();
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
        for (const each of steps) await run(each);
        expect(await overview(server)).toEqual(await counted(server));
        expect(await wrongMarks(server)).toEqual([]);
      }),
      { numRuns: 10 },
    );
  }, 120_000);

  it("is true of what was there before counts were kept", async () => {
    const { db } = server.context;
    expect(countStatements()).toHaveLength(2);
    expect(await overview(server)).toEqual(await counted(server));
    for (const statement of countStatements()) {
      await db.$executeRawUnsafe("DELETE FROM counts");
      expect(await overview(server)).toEqual({});
      await db.$executeRawUnsafe(statement);
      expect(await overview(server)).toEqual(knownTo(statement, await counted(server)));
      await create(httpsEdge);
      expect(await overview(server)).toEqual(knownTo(statement, await counted(server)));
    }
    await markAgain(server);
  });

  it("takes one statement, however much there is", async () => {
    const sent = await server.statements(() => overview(server));
    // The key, all counts.
    expect(sent).toHaveLength(2);
    expect(sent[1]).toMatch(/FROM .*\bcounts\b/);
  });
});

describe("certificates that expire", () => {
  const HOUR = 3_600_000;
  const expiring = async (within?: string) => {
    const { overview } = await graphql(
      server,
      `query($within: String) { overview { expiringCertificates(within: $within) {
        sshHostCertificates { expiring { count atLeast } expired { count atLeast } }
        sshUserCertificates { expiring { count atLeast } expired { count atLeast } }
        certificateAuthorities { expiring { count atLeast } expired { count atLeast } }
        tlsCertificates { expiring { count atLeast } expired { count atLeast } } } } }`,
      within === undefined ? {} : { within },
    );
    const { sshHostCertificates, sshUserCertificates, certificateAuthorities, tlsCertificates } =
      overview.expiringCertificates;
    return {
      host: sshHostCertificates,
      user: sshUserCertificates,
      ca: certificateAuthorities,
      tls: tlsCertificates,
    };
  };
  const exactly = (count: number) => ({ count, atLeast: false });

  it("are those that expire within the duration, and expired ones apart", async () => {
    const { db } = server.context;
    await db.sshHostCertificate.deleteMany();
    await db.sshUserCertificate.deleteMany();
    await db.httpsEdge.deleteMany();
    await db.tlsEdge.deleteMany();
    await db.certificateAuthority.deleteMany();
    await db.tlsCertificate.deleteMany();
    const hours = [-1, 1, 30, 24 * 29, 24 * 31];
    for (const hour of hours) {
      const end = new Date(Date.now() + hour * HOUR);
      const data = { validAfter: new Date(0), validUntil: end };
      const host = await create(sshHostCertificate);
      await db.sshHostCertificate.update({ where: { id: host.id }, data });
      const user = await create(sshUserCertificate);
      await db.sshUserCertificate.update({ where: { id: user.id }, data });
      const authority = await create(certificateAuthority);
      await db.certificateAuthority.update({
        where: { id: authority.id },
        data: { notAfter: end },
      });
      const server = await create(tlsCertificate);
      await db.tlsCertificate.update({ where: { id: server.id }, data: { notAfter: end } });
    }
    const all = (expiring: number) => {
      const each = { expiring: exactly(expiring), expired: exactly(1) };
      return { host: each, user: each, ca: each, tls: each };
    };
    expect(await expiring()).toEqual(all(3));
    expect(await expiring("P30D")).toEqual(all(3));
    expect(await expiring("PT0S")).toEqual(all(0));
    expect(await expiring("PT61M")).toEqual(all(1));
    expect(await expiring("P1DT7H")).toEqual(all(2));
    expect(await expiring("P5W")).toEqual(all(4));
    expect(await expiring("P36500D")).toEqual(all(4));
  });

  it("are counted up to 10000 and no further", async () => {
    const { db } = server.context;
    const model = await create(certificateAuthority);
    const add = (from: number, to: number) =>
      db.$executeRaw`
        INSERT INTO certificate_authorities (id, not_after, created_at, updated_at, description, metadata, ca_pem,
          subject_common_name, not_before, key_usages, extended_key_usages)
        SELECT 'ca_' || lpad(n::text, 27, '0'), now() + interval '1 hour', created_at, updated_at, description, metadata,
          ca_pem, subject_common_name, not_before, key_usages, extended_key_usages
        FROM certificate_authorities AS ca, generate_series(${from}::integer, ${to}::integer) AS n
        WHERE ca.id = ${model.id}`;
    const { count } = (await expiring("PT2H")).ca.expiring;
    await add(1, 10_000 - count);
    expect((await expiring("PT2H")).ca.expiring).toEqual({ count: 10_000, atLeast: false });
    await add(10_001, 10_001);
    expect((await expiring("PT2H")).ca.expiring).toEqual({ count: 10_000, atLeast: true });
  });

  it.each([
    ["", /duration of ISO 8601/],
    ["P", /duration of ISO 8601/],
    ["PT", /duration of ISO 8601/],
    ["P1DT", /duration of ISO 8601/],
    ["30", /duration of ISO 8601/],
    ["P1M", /duration of ISO 8601/],
    ["P1Y", /duration of ISO 8601/],
    ["-P1D", /duration of ISO 8601/],
    ["P1.5D", /duration of ISO 8601/],
    ["p1d", /duration of ISO 8601/],
    ["P36501D", /at most 36500 days/],
    ["P36500DT1S", /at most 36500 days/],
  ])("are not counted within what is no duration: %j", async (within, message) => {
    await expect(expiring(within)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: { within: expect.stringMatching(message) },
    });
  });
});

describe("the total count of a list", () => {
  // The tests above write rows past the services.
  beforeAll(() => markAgain(server));

  const lists = [...resources.map(({ many }) => many), "httpsEdgeRoutes", "backends"];

  it.each(lists.flatMap((list) => [list, `${list} by description`]))(
    "is the kept one without a filter, and looks at no row: %s",
    async (name) => {
      const [list, by] = name.split(" by ");
      const orderBy = by ? "(orderBy: { field: DESCRIPTION })" : "";
      const sent = await server.statements(() =>
        graphql(server, `{ ${list}${orderBy} { totalCount } }`),
      );
      expect(sent.filter((text) => text.includes("FROM counts"))).toHaveLength(1);
      expect(sent.filter((text) => /count\(/i.test(text))).toEqual([]);
    },
  );

  it.each([
    ["httpsEdgeRoutes", "COMPRESSION"],
    ["httpsEdgeRoutes", "BACKEND"],
    ["httpsEdges", "TLS_TERMINATION"],
    ["tlsEdges", "MUTUAL_TLS"],
    ["tcpEdges", "BACKEND"],
  ])("is the kept one also of those with a module alone: %s %s", async (list, kind) => {
    const edge = await create(httpsEdge, { tlsTermination: { enabled: false } });
    const { id: backendId } = await create(staticBackend);
    const authority = await create(certificateAuthority);
    const route = { matchType: "exact_path", match: "/", compression: { enabled: false } };
    await driver(routesOf(edge.id)).create({ ...route, backend: { backendId } });
    await create(tlsEdge, { mutualTls: { certificateAuthorityIds: [authority.id] } });
    await create(tcpEdge, { backend: { backendId, enabled: false } });
    const read = (filter: string) =>
      server.statements(() => graphql(server, `{ ${list}(filter: ${filter}) { totalCount } }`));
    const count = async (filter: string) =>
      (await graphql(server, `{ ${list}(filter: ${filter}) { totalCount } }`))[list].totalCount;
    for (const state of ["", "enabled: true", "enabled: false"]) {
      const filter = `{ module: { kind: ${kind} ${state} } }`;
      expect((await read(filter)).filter((text) => text.includes("FROM counts"))).toHaveLength(1);
      expect((await read(filter)).filter((text) => /count\(/i.test(text))).toEqual([]);
      const other = `{ module: { kind: ${kind} ${state} }, createdAfter: "2000-01-01T00:00:00Z" }`;
      expect((await read(other)).filter((text) => /count\(/i.test(text))).toHaveLength(1);
      expect(await count(filter)).toBe(await count(other));
    }
    expect(await count(`{ module: { kind: ${kind} } }`)).toBeGreaterThan(0);
  });

  it("can be part of another statement", async () => {
    await create(tlsEdge);
    const { db } = server.context;
    const [kept] = await db.$queryRaw<object[]>`SELECT ${countOf("httpsEdge", "tlsEdge")} AS edges,
      ${countOf("weightedBackend")} AS backends`;
    expect(kept).toEqual({
      edges: (await db.httpsEdge.count()) + (await db.tlsEdge.count()),
      backends: await db.backend.count({ where: { kind: "weighted" } }),
    });
  });
});

/** The statements of the migrations that count what is there. */
function countStatements(): string[] {
  const folder = new URL("../prisma/migrations/", import.meta.url);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readFileSync(new URL(`${name}/migration.sql`, folder), "utf8").split(/;\s*$/m),
    )
    .filter((statement) => statement.includes('INSERT INTO "tallies"'))
    .map((statement) => statement.replaceAll('"tallies"', '"counts"'));
}

/** Those of the counts that a migration knows: a kind or a module that came later was nowhere when it ran. */
function knownTo(migration: string, counts: Counts): Counts {
  const kinds = RESOURCE_KINDS.filter((kind) => !migration.includes(`"${RESOURCES[kind].table}"`));
  const modules = MODULE_OWNERS.flatMap((owner) =>
    moduleNamesOf(owner)
      .filter((name) => !migration.includes(`'${owner}.${name}.`))
      .map((name) => `${enumName(owner)} ${enumName(name)} `),
  );
  const known = Object.entries(counts).filter(
    ([name]) =>
      kinds.every((kind) => name !== enumName(kind)) &&
      modules.every((module) => !name.startsWith(module)),
  );
  return Object.fromEntries(known);
}

const enabledOrNot = fc.option(fc.record({ enabled: fc.boolean() }), { nil: null });
const step = fc.record({
  action: fc.constantFrom("create", "update", "update", "update", "delete", "dry run", "refuse"),
  pick: fc.nat(1000),
  turn: fc.nat(1),
  modules: fc.record({
    tlsTermination: enabledOrNot,
    compression: enabledOrNot,
    requestHeaders: enabledOrNot,
    backend: enabledOrNot,
  }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function inputFor(
  resource: TestResource | undefined,
  modules: Step["modules"],
  backendId: string,
): Fields {
  const backend = modules.backend && { ...modules.backend, backendId };
  if (resource === tcpEdge) return { backend };
  return resource === tlsEdge ? { tlsTermination: modules.tlsTermination, backend } : modules;
}

function forRoute({ compression, requestHeaders, backend }: Step["modules"], backendId: string) {
  return { compression, requestHeaders, backend: backend && { ...backend, backendId } };
}
