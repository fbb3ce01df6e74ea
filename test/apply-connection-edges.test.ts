import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApplyOptions, apply, newKey, summary } from "./harness/applying.js";
import { anyTcpEdge, anyTlsEdge, type Targets } from "./harness/arbitraries.js";
import { authorityPem } from "./harness/certificates.js";
import { type TestResource, tcpEdge, tlsEdge } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, graphql, rest, transports } from "./harness/transports.js";

// Desired states of TLS and TCP edges.

let server: TestServer;
let targets: Targets;
beforeAll(async () => {
  server = await startServer();
  const leaf = await post("/backends/static", { address: "a.internal:80" });
  const caPem = await authorityPem();
  targets = {
    backends: [leaf, await post("/backends/failover", { backends: [leaf] })],
    leafBackends: [leaf],
    certificateAuthorities: [
      await post("/certificate_authorities", { ca_pem: caPem }),
      await post("/certificate_authorities", { ca_pem: caPem }),
    ],
    ipPolicies: [await post("/ip_policies"), await post("/ip_policies")],
    endpointConfigurations: [],
    httpConfigurations: [],
    httpsConfigurations: [],
    tlsCertificates: [],
  };
});
afterAll(() => server.stop());

const post = async (path: string, body: object = {}): Promise<string> =>
  (await rest(server, "POST", path, body)).body.id;

/** How many edges there are, and what stands in the log. */
const stored = () =>
  graphql(
    server,
    "{ tlsEdges { totalCount } tcpEdges { totalCount } changes(last: 1) { totalCount nodes { id } } }",
  );

const RULES = [{ actions: [{ type: "deny" }] }];
const trafficPolicy = { value: JSON.stringify({ on_tcp_connect: RULES }) };

interface Case {
  readonly resource: TestResource;
  readonly type: string;
  readonly any: typeof anyTcpEdge;
}

const cases: readonly Case[] = [
  { resource: tlsEdge, type: "TLS_EDGE", any: anyTlsEdge },
  { resource: tcpEdge, type: "TCP_EDGE", any: anyTcpEdge },
];

describe.each(cases)("$resource.title", ({ resource, type, any }) => {
  let driver: Driver;
  beforeAll(() => {
    const [, byGraphql] = transports;
    if (!byGraphql) throw new Error("There is no second transport.");
    driver = byGraphql.drive(server, resource);
  });

  const applyEdge = (key: string, fields: Fields, options?: ApplyOptions) =>
    apply(server, resource.one, key, fields, options);
  /** An edge as the API shows it, without what tells one edge from another. */
  const shown = async (id = ""): Promise<Fields> => {
    const { id: _, createdAt, updatedAt, version, ...fields } = await driver.get(id);
    return fields;
  };

  it("are created, changed and kept under their keys, and lose what is absent", async () => {
    const key = newKey();
    const [policy] = targets.ipPolicies;
    const first = await applyEdge(key, {
      description: "d",
      hostports: ["a.example:443"],
      ipRestriction: { ipPolicyIds: [policy] },
      trafficPolicy,
    });
    expect(first.changes).toMatchObject([
      { action: "CREATED", type, resourceId: first.resource?.id, label: "d", version: 1 },
    ]);
    const second = await applyEdge(key, {
      hostports: ["a.example:443"],
      trafficPolicy: { ...trafficPolicy, enabled: false },
    });
    expect(second.resource).toEqual({ id: first.resource?.id, version: 2 });
    expect(summary(second.changes)).toEqual(["UPDATED a.example:443"]);
    expect(second.changes[0]?.differences).toEqual(
      expect.arrayContaining([
        { path: ["description"], before: "d", after: null },
        { path: ["trafficPolicy", "enabled"], before: true, after: false },
      ]),
    );
    expect(await shown(second.resource?.id)).toMatchObject({
      description: "",
      hostports: ["a.example:443"],
      backend: null,
      ipRestriction: null,
      trafficPolicy: { ...trafficPolicy, enabled: false },
    });
    const third = await applyEdge(key, {});
    expect(third.resource).toEqual({ id: first.resource?.id, version: 3 });
    expect(await shown(third.resource?.id)).toEqual(await shown((await driver.create()).id));
  });

  it("forward to a backend by its id, or by the key under which it is applied", async () => {
    const [backendKey, key] = [newKey(), newKey()];
    const backend = await apply(server, "backend", backendKey, {
      staticBackend: { address: "a.internal:80" },
    });
    const id = backend.resource?.id ?? "";
    const byKey = { backend: { enabled: false, backend: { key: backendKey } } };
    const { resource } = await applyEdge(key, byKey);
    expect((await shown(resource?.id)).backend).toEqual({ enabled: false, backend: id });
    const byId = { backend: { enabled: false, backend: { id } } };
    expect(await applyEdge(key, byId)).toEqual({ resource, changes: [] });
    expect(await applyEdge(key, byKey)).toEqual({ resource, changes: [] });
  });

  it("are refused with every problem at once, and nothing is stored", async () => {
    const key = newKey();
    const { resource } = await applyEdge(key, { description: "d" });
    const before = [await stored(), await shown(resource?.id)];
    const invalid = applyEdge("k".repeat(256), {
      hostports: ["a"],
      backend: { backend: { key: "nobody" } },
      ipRestriction: { ipPolicyIds: ["ipp_nobody"] },
      trafficPolicy: { value: "on_http_request: []" },
    });
    await expect(invalid).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: [
        "backend.backend.key",
        "hostports.0",
        "ipRestriction.ipPolicyIds.0",
        "key",
        "trafficPolicy.value",
      ],
    });
    const dangling = applyEdge(key, {
      backend: { backend: { key: "nobody" } },
      ipRestriction: { ipPolicyIds: ["ipp_nobody"] },
    });
    await expect(dangling).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: ["backend.backend.key", "ipRestriction.ipPolicyIds.0"],
    });
    const gone = applyEdge(key, { backend: { backend: { id: "bkdsc_nobody" } } });
    await expect(gone).rejects.toMatchObject({ paths: ["backend.backend.id"] });
    expect([await stored(), await shown(resource?.id)]).toEqual(before);
  });

  it("are what is desired, whatever was there before; again nothing changes; a dry run tells", async () => {
    const any_ = fc.tuple(any(targets), any(targets));
    await fc.assert(
      fc.asyncProperty(any_, async ([before, desired]) => {
        const [key, otherKey] = [newKey(), newKey()];
        const [old, input] = [desiredOf(before.input), desiredOf(desired.input)];
        const { resource } = await applyEdge(key, old);
        const dry = await applyEdge(key, input, { dryRun: true });
        expect(dry.resource).toEqual(resource);
        expect(await applyEdge(key, old)).toEqual({ resource, changes: [] });
        const done = await applyEdge(key, input);
        expect(dry.changes).toEqual(done.changes);
        const log = await stored();
        expect((await applyEdge(key, input)).changes).toEqual([]);
        expect(await stored()).toEqual(log);
        const other = await applyEdge(otherKey, input);
        expect(await shown(resource?.id)).toEqual(await shown(other.resource?.id));
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  it("may be applied by their id, at an expected version, and not by the id of another kind", async () => {
    const { id } = await driver.create({ description: "by hand" });
    const adopted = await applyEdge(id, { description: "desired" }, { expectedVersion: 1 });
    expect(adopted.resource).toEqual({ id, version: 2 });
    const stale = applyEdge(id, {}, { expectedVersion: 1 });
    await expect(stale).rejects.toMatchObject({ code: "CONFLICT", paths: ["expectedVersion"] });
    const nobody = applyEdge(`${resource.prefix}_nobody`, {});
    await expect(nobody).rejects.toMatchObject({ code: "NOT_FOUND" });
    const other = applyEdge(targets.ipPolicies[0] ?? "", {});
    await expect(other).rejects.toMatchObject({ code: "INVALID_REQUEST", paths: ["key"] });
  });

  it("store nothing in a dry run, nor for a key that may only read", async () => {
    const before = await stored();
    const { resource: none, changes } = await applyEdge(newKey(), {}, { dryRun: true });
    expect([none, changes]).toMatchObject([null, [{ action: "CREATED", resourceId: null }]]);
    const refused = applyEdge(newKey(), {}, { as: server.readKey });
    await expect(refused).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await stored()).toEqual(before);
  });

  it("are new ones when they were deleted, and one when many apply at the same time", async () => {
    const key = newKey();
    const first = await applyEdge(key, {});
    await driver.remove(first.resource?.id ?? "");
    const states = Array.from({ length: 6 }, (_, i) => ({ description: `${i % 3}` }));
    const done = await Promise.all(states.map((state) => applyEdge(key, state)));
    const ids = new Set(done.map(({ resource }) => resource?.id));
    expect(ids.size).toBe(1);
    expect(ids).not.toContain(first.resource?.id);
    const created = done.flatMap(({ changes }) => summary(changes)).filter(isCreated);
    expect(created).toHaveLength(1);
  });
});

const isCreated = (change: string) => change.startsWith("CREATED");

/** The desired state for the input of a create. */
function desiredOf({ backend, ...input }: Fields): Fields {
  if (!backend) return { ...input, backend };
  const { backendId, ...settings } = backend;
  return { ...input, backend: { ...settings, backend: { id: backendId } } };
}

describe("a key", () => {
  it("is unique among edges of one kind only", async () => {
    const key = newKey();
    const kinds = ["tlsEdge", "tcpEdge", "httpsEdge"];
    const made = await Promise.all(kinds.map((kind) => apply(server, kind, key, {})));
    expect(made.map(({ resource }) => resource?.id.split("_")[0])).toEqual([
      "edgtls",
      "edgtcp",
      "edghts",
    ]);
  });
});

describe("a TLS edge that passes TLS through", () => {
  it("has no mutual TLS, whatever was there before, and every problem is named at once", async () => {
    const [authority] = targets.certificateAuthorities;
    const mutualTls = { certificateAuthorityIds: [authority] };
    const upstream = { tlsTermination: { terminateAt: "upstream" } };
    const key = newKey();
    await apply(server, "tlsEdge", key, { mutualTls });
    const both = apply(server, "tlsEdge", key, {
      ...upstream,
      mutualTls,
      backend: { backend: { key: "nobody" } },
    });
    await expect(both).rejects.toMatchObject({ paths: ["backend.backend.key", "mutualTls"] });
    const { changes } = await apply(server, "tlsEdge", key, upstream);
    expect(changes).toHaveLength(1);
  });
});
