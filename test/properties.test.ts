import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_DESCRIPTION_BYTES, MAX_METADATA_BYTES, parse } from "../src/domain/core/fields.js";
import { httpResponseBackendInputs } from "../src/domain/http-response-backends.js";
import { httpsEdgeRouteInputs } from "../src/domain/https-edge-route-inputs.js";
import { newRow } from "../src/domain/storage/rows.js";
import { tunnelGroupBackendInputs } from "../src/domain/tunnel-group-backends.js";
import {
  anyAgentIngress,
  anyEndpointConfiguration,
  anyFailoverBackend,
  anyHttpResponseBackend,
  anyHttpsEdge,
  anyHttpsEdgeRoute,
  anyIpPolicy,
  anyIpPolicyRule,
  anyIpRestriction,
  anyReservedAddr,
  anyReservedDomain,
  anyStaticBackend,
  anyTcpEdge,
  anyTlsEdge,
  anyTunnelGroupBackend,
  anyWeightedBackend,
  type Given,
  type Targets,
  textOfExactly,
} from "./harness/arbitraries.js";
import { authorityPem } from "./harness/certificates.js";
import {
  agentIngress,
  certificateAuthority,
  endpointConfiguration,
  failoverBackend,
  httpResponseBackend,
  httpsEdge,
  ipPolicy,
  ipPolicyRule,
  ipRestriction,
  reservedAddr,
  reservedDomain,
  resources,
  routesOf,
  staticBackend,
  type TestResource,
  tcpEdge,
  tlsCertificate,
  tlsEdge,
  tunnelGroupBackend,
  weightedBackend,
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, type Transport, transports } from "./harness/transports.js";

let server: TestServer;
let targets: Targets;
beforeAll(async () => {
  server = await startServer();
  const create = async (resource: TestResource, input?: Fields) =>
    (await driverOf("REST", resource).create(input)).id as string;
  const leafBackends = [
    await create(httpResponseBackend),
    await create(staticBackend, { address: "upstream.internal:80" }),
    await create(tunnelGroupBackend),
  ];
  const caPem = await authorityPem();
  targets = {
    leafBackends,
    backends: [...leafBackends, await create(weightedBackend), await create(failoverBackend)],
    certificateAuthorities: [
      await create(certificateAuthority, { caPem }),
      await create(certificateAuthority, { caPem }),
      await create(certificateAuthority, { caPem }),
    ],
    ipPolicies: [await create(ipPolicy), await create(ipPolicy), await create(ipPolicy)],
    endpointConfigurations: [
      await create(endpointConfiguration, { type: "tcp" }),
      await create(endpointConfiguration, { type: "tcp" }),
    ],
    httpConfigurations: [await create(endpointConfiguration, { type: "http" })],
    httpsConfigurations: [
      await create(endpointConfiguration, { type: "https" }),
      await create(endpointConfiguration, { type: "https" }),
    ],
    tlsCertificates: [
      await create(tlsCertificate, await tlsCertificate.required?.(() => Promise.resolve({}))),
      await create(tlsCertificate, await tlsCertificate.required?.(() => Promise.resolve({}))),
    ],
  };
});
afterAll(() => server.stop());

function driverOf(name: Transport["name"], resource: TestResource): Driver {
  const transport = transports.find((each) => each.name === name);
  if (!transport) throw new Error(`There is no transport ${name}.`);
  return transport.drive(server, resource);
}

// What is written is what is read, and nothing changes that an update does not name.

interface Case {
  readonly resource: TestResource;
  readonly runs: number;
  any(targets: Targets): fc.Arbitrary<Given>;
  /** What each row needs to have of its own. */
  own?(): Promise<Fields>;
  /** What is never shown in the shape of a request, or cannot be changed. */
  readonly fixed?: readonly string[];
}

let routeEdge: string | undefined;
let routeCount = 0;

async function edgeOfRoutes(): Promise<string> {
  routeEdge ??= (await driverOf("REST", httpsEdge).create()).id as string;
  return routeEdge;
}

const cases: readonly Case[] = [
  {
    resource: agentIngress,
    any: anyAgentIngress,
    runs: 8,
    fixed: ["domain", "nsTargets", "regionDomains", "certificateManagementStatus"],
  },
  { resource: failoverBackend, any: anyFailoverBackend, runs: 8 },
  { resource: httpResponseBackend, any: anyHttpResponseBackend, runs: 8 },
  { resource: staticBackend, any: anyStaticBackend, runs: 8 },
  { resource: tunnelGroupBackend, any: anyTunnelGroupBackend, runs: 8, fixed: ["tunnels"] },
  { resource: weightedBackend, any: anyWeightedBackend, runs: 8 },
  { resource: ipPolicy, any: anyIpPolicy, runs: 8 },
  {
    resource: ipPolicyRule,
    any: anyIpPolicyRule,
    runs: 8,
    fixed: ["action", "ipPolicy"],
  },
  {
    resource: endpointConfiguration,
    any: anyEndpointConfiguration,
    runs: 18,
    fixed: ["type"],
  },
  { resource: ipRestriction, any: anyIpRestriction, runs: 8, fixed: ["type"] },
  { resource: reservedAddr, any: anyReservedAddr, runs: 8, fixed: ["addr", "region"] },
  {
    resource: reservedDomain,
    any: anyReservedDomain,
    runs: 18,
    fixed: [
      ...["domain", "region", "cnameTarget"],
      ...["certificateManagementStatus", "acmeChallengeCnameTarget"],
    ],
  },
  { resource: httpsEdge, any: anyHttpsEdge, runs: 12, fixed: ["routes"] },
  { resource: tlsEdge, any: anyTlsEdge, runs: 12 },
  { resource: tcpEdge, any: anyTcpEdge, runs: 8 },
  {
    resource: routesOf(""),
    any: anyHttpsEdgeRoute,
    runs: 18,
    fixed: ["edge", "edgeId"],
    async own() {
      const matchType = routeCount % 2 === 0 ? "exact_path" : "path_prefix";
      return { edgeId: await edgeOfRoutes(), matchType, match: `/${routeCount++}` };
    },
  },
];

const ROW = ["id", "createdAt", "updatedAt", "version"];
const SAML_OUTPUTS = [
  ...["entityId", "assertionConsumerServiceUrl", "singleLogoutUrl"],
  ...["requestSigningCertificatePem", "metadataUrl"],
];

/** What modules show and no request has. */
const OUTPUTS: Readonly<Record<string, readonly string[]>> = {
  saml: SAML_OUTPUTS,
  logging: ["eventStreams"],
};

/** Modules whose requests differ from what is shown. */
const MODULES_AS_REQUESTS: Readonly<Record<string, (module: Fields) => Fields>> = {
  backend: ({ backend, ...module }) => ({ ...module, backendId: backend }),
  ipRestriction: ({ ipPolicies, ...module }) => ({ ...module, ipPolicyIds: ipPolicies }),
  mutualTls: ({ certificateAuthorities, ...module }) => ({
    ...module,
    certificateAuthorityIds: certificateAuthorities,
  }),
};

/** References of resources themselves, by the names under which they are shown. */
const SHOWN_REFERENCES: Readonly<Record<string, string>> = {
  endpointConfiguration: "endpointConfigurationId",
  httpEndpointConfiguration: "httpEndpointConfigurationId",
  httpsEndpointConfiguration: "httpsEndpointConfigurationId",
  certificate: "certificateId",
  ipPolicies: "ipPolicyIds",
};

/** What a GET returned as an update takes it: references as ids, outputs left out. */
function asRequest(shown: Fields, { resource, fixed = [] }: Case): Fields {
  const entries = Object.entries(without(shown, [...ROW, ...fixed])).map(([name, value]) => {
    const reference = SHOWN_REFERENCES[name];
    if (reference) return [reference, value];
    if (value === null) return [name, null];
    if (name === "tlsTermination" && resource === httpsEdge) {
      return [name, without(value, ["terminateAt"])];
    }
    return [name, MODULES_AS_REQUESTS[name]?.(value) ?? withoutOutputs(name, value)];
  });
  return Object.fromEntries(entries);
}

/** Those fields of `shown` that `expected` has, without the outputs of modules. */
function comparable(shown: Fields, expected: Fields): Fields {
  const entries = Object.keys(expected).map((name) => {
    return [name, withoutOutputs(name, shown[name])];
  });
  return Object.fromEntries(entries);
}

function withoutOutputs(name: string, value: Fields[string]): unknown {
  const outputs = OUTPUTS[name];
  return outputs && value ? without(value, outputs) : value;
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

describe.each(transports)("over $name", (transport) => {
  it.each(cases.map((each) => ({ ...each, title: each.resource.title })))(
    "any of $title reads back as written; PATCH {} and PATCH of what GET returned change nothing",
    async (each) => {
      const { own, any, runs } = each;
      const resource = own ? routesOf(await edgeOfRoutes()) : each.resource;
      const driver = transport.drive(server, resource);
      // Only GraphQL shows `version` and `updatedAt`.
      const whole = (id: string) => driverOf("GraphQL", resource).get(id);
      await fc.assert(
        fc.asyncProperty(any(targets), async ({ input, shown }) => {
          const needed = (await own?.()) ?? {};
          const created = await driver.create({ ...input, ...needed });
          const expected = { ...shown, ...without(needed, ["edgeId"]) };
          expect(comparable(created, expected)).toEqual(expected);
          expect(await driver.get(created.id)).toEqual(created);
          const before = await whole(created.id);
          expect(before.version).toBe(1);
          expect(await driver.update(created.id, {})).toEqual(created);
          expect(await driver.update(created.id, asRequest(created, each))).toEqual(created);
          expect(await whole(created.id)).toEqual(before);
          await driver.remove(created.id);
        }),
        { numRuns: runs },
      );
    },
  );
});

/** Fields that no update can leave without a value: null leaves them, over GraphQL too. */
const NEVER_CLEARED = ["statusCode"];

/** What a resource shows after an update of what it shows now: null clears over GraphQL, and leaves over REST. */
function updated(shown: Fields, update: Given, over: Transport["name"], fixed: readonly string[]) {
  const given = Object.entries(update.input).filter(([name]) => !fixed.includes(name));
  const input = Object.fromEntries(given);
  const changed = given.flatMap(([name, value]) => {
    const leaves = value === null && (over === "REST" || NEVER_CLEARED.includes(name));
    const [shownAs = name] =
      Object.entries(SHOWN_REFERENCES).find(([, reference]) => reference === name) ?? [];
    return leaves ? [] : [[shownAs, update.shown[shownAs]]];
  });
  return { input, expected: { ...shown, ...Object.fromEntries(changed) } as Fields };
}

/** Whether no rule on several fields at once is broken. */
function agrees({ oauth, oidc, saml, mutualTls, tlsTermination, ...others }: Fields): boolean {
  const logins = [oauth, oidc, saml].filter((module) => module?.enabled);
  if (others.certificate && others.certificateManagementPolicy) return false;
  return logins.length < 2 && !(mutualTls && tlsTermination?.terminateAt === "upstream");
}

describe.each(transports)("an update over $name", (transport) => {
  it.each(cases.map((each) => ({ ...each, title: each.resource.title })))(
    "of any of $title with any other changes what it names, and counts as one change or none",
    async ({ own, any, runs, resource: named, fixed = [] }) => {
      const resource = own ? routesOf(await edgeOfRoutes()) : named;
      const driver = transport.drive(server, resource);
      const whole = (id: string) => driverOf("GraphQL", resource).get(id);
      await fc.assert(
        fc.asyncProperty(any(targets), any(targets), async (first, second) => {
          const { input, expected } = updated(first.shown, second, transport.name, [
            ...fixed,
            "ipPolicyId",
          ]);
          const shown = without(expected, fixed);
          fc.pre(agrees(shown));
          const { id } = await driver.create({ ...first.input, ...(await own?.()) });
          const before = await whole(id);
          const answer = await driver.update(id, input);
          expect(comparable(answer, shown)).toEqual(shown);
          expect(await driver.get(id)).toEqual(answer);
          const after = await whole(id);
          const isChanged =
            JSON.stringify(without(after, ROW)) !== JSON.stringify(without(before, ROW));
          expect(after.version).toBe(isChanged ? 2 : 1);
          if (!isChanged) expect(after).toEqual(before);
          if (before.saml && after.saml) {
            const { requestSigningCertificatePem } = before.saml;
            expect(after.saml).toMatchObject({ requestSigningCertificatePem });
          }
          await driver.remove(id);
        }),
        { numRuns: Math.ceil(runs / 2) },
      );
    },
  );
});

// Limits in bytes.

describe("a limit in bytes", () => {
  it.each<[string, number, (text: string) => unknown]>([
    ["the match of a route", 1024, (text) => route({ match: `/${text.slice(1)}` })],
    [
      "the secret of a webhook",
      4096,
      (secret) => route({ webhookVerification: { provider: "github", secret } }),
    ],
    ["the id of an OIDC client", 512, (clientId) => route({ oidc: oidc({ clientId }) })],
    [
      "the secret of an OIDC client",
      4096,
      (clientSecret) => route({ oidc: oidc({ clientSecret }) }),
    ],
    [
      "the body of an HTTP response",
      65_536,
      (body) => parse(httpResponseBackendInputs.create, { body }),
    ],
    [
      "the name of a label",
      128,
      (name) => parse(tunnelGroupBackendInputs.create, { labels: { [name]: "" } }),
    ],
    [
      "the value of a label",
      255,
      (value) => parse(tunnelGroupBackendInputs.create, { labels: { name: value } }),
    ],
  ])("takes %s of exactly %i bytes, and not one more", (_, bytes, check) => {
    fc.assert(
      fc.property(textOfExactly(bytes - 1), (text) => {
        // The first character is one byte, for the rules that need it to be another.
        expect(() => check(`x${text}`)).not.toThrow();
        expect(() => check(`x${text}x`)).toThrow(/at most \d+ bytes|1 to 128 bytes/);
      }),
      { numRuns: 25 },
    );
  });

  const route = (fields: Fields) =>
    parse(httpsEdgeRouteInputs.create, {
      edgeId: "edghts_1",
      matchType: "exact_path",
      match: "/",
      ...fields,
    });
  const oidc = (fields: Fields) => ({
    issuer: "https://id.example",
    clientId: "c",
    clientSecret: "s",
    ...fields,
  });

  it.each(
    transports.flatMap((transport) =>
      resources.map((resource) => ({ transport, resource, over: transport.name, ...resource })),
    ),
  )("takes any text up to it for $title over $over, and not one byte more", async (each) => {
    const { transport, resource } = each;
    const driver = transport.drive(server, resource);
    const make = async (of: TestResource): Promise<Fields> =>
      transport.drive(server, of).create(await of.required?.(make));
    const { id } = await make(resource);
    await fc.assert(
      fc.asyncProperty(
        textOfExactly(MAX_DESCRIPTION_BYTES),
        textOfExactly(MAX_METADATA_BYTES),
        async (description, metadata) => {
          const texts = { description, metadata };
          expect(await driver.update(id, texts)).toMatchObject(texts);
          const longer = { description: `${description}x`, metadata: `x${metadata}` };
          await expect(driver.update(id, longer)).rejects.toMatchObject({
            code: "INVALID_REQUEST",
            paths: ["description", "metadata"],
          });
          expect(await driver.get(id)).toMatchObject(texts);
        },
      ),
      { numRuns: 3 },
    );
  });
});

// Ids.

describe("ids", () => {
  const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

  let copies = 0;

  /** A copy of the module, with a clock of its own. */
  async function freshIds(): Promise<typeof import("../src/domain/core/ids.js")> {
    copies += 1;
    const file = `../src/domain/core/ids.ts?copy=${copies}`;
    return import(/* @vite-ignore */ file);
  }

  it("sort in creation order as bytes, thousands of them in one millisecond", async () => {
    const { newId } = await freshIds();
    vi.spyOn(Date, "now").mockReturnValue(Date.now());
    const ids = Array.from({ length: 20_000 }, () => newId("ipPolicy"));
    vi.restoreAllMocks();
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort(byBytes)).toEqual(ids);
    expect(new Set(ids.map((id) => id.slice(0, "ipp_".length + 3))).size).toBe(1);
  });

  it("sort in creation order whatever the clock does, also when it is set back", async () => {
    const { newId } = await freshIds();
    const start = Date.now();
    const steps = fc.array(fc.integer({ min: -5000, max: 1500 }), { minLength: 2, maxLength: 50 });
    let last = "";
    fc.assert(
      fc.property(steps, (deltas) => {
        let clock = start;
        for (const delta of deltas) {
          clock += delta;
          vi.spyOn(Date, "now").mockReturnValue(clock);
          const id = newId("ipPolicy");
          expect(byBytes(last, id)).toBeLessThan(0);
          last = id;
        }
      }),
    );
    vi.restoreAllMocks();
  });

  it("begin with the second since 2014-05-13", async () => {
    const second = 1_800_000_000;
    const { newId } = await freshIds();
    vi.spyOn(Date, "now").mockReturnValue(second * 1000);
    const payload = base62(newId("ipPolicy").slice("ipp_".length));
    vi.restoreAllMocks();
    expect(Number(payload >> 128n)).toBe(second - 1_400_000_000);
  });

  it("of rows made through the API sort in creation order in the database", async () => {
    const driver = driverOf("REST", ipPolicy);
    const made: string[] = [];
    for (let i = 0; i < 40; i++) made.push((await driver.create()).id);
    const rows = await server.context.db.$queryRaw<{ id: string }[]>`
      SELECT id FROM ip_policies WHERE id >= ${made[0]} ORDER BY id`;
    expect(rows.map(({ id }) => id)).toEqual(made);
  });

  it("compare in the database as they do as bytes", async () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^edgtls_[0-9A-Za-z]{1,27}$/), {
      minLength: 2,
      maxLength: 40,
    });
    const { db } = server.context;
    await fc.assert(
      fc.asyncProperty(ids, async (given) => {
        await db.tlsEdge.deleteMany();
        await db.tlsEdge.createMany({
          data: given.map((id) => ({ ...newRow("tlsEdge"), ...NO_TEXTS, id, hostports: [] })),
        });
        const rows = await db.$queryRaw<{ id: string }[]>`SELECT id FROM tls_edges ORDER BY id`;
        expect(rows.map(({ id }) => id)).toEqual([...given].sort(byBytes));
      }),
      { numRuns: 10 },
    );
  });
});

const NO_TEXTS = { description: "", metadata: "" };

function base62(text: string): bigint {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return [...text].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n);
}

// Paging while rows come and go.

describe.each(transports)("paging over $name", (transport) => {
  let driver: Driver;
  beforeAll(() => {
    driver = transport.drive(server, tlsEdge);
  });
  beforeEach(() => server.context.db.tlsEdge.deleteMany());

  async function insert(count: number): Promise<string[]> {
    const data = Array.from({ length: count }, () => ({
      ...newRow("tlsEdge"),
      ...NO_TEXTS,
      hostports: [],
    }));
    await server.context.db.tlsEdge.createMany({ data });
    return data.map(({ id }) => id);
  }

  /** What happens while a page is read. */
  const meanwhile = fc.record({
    inserted: fc.nat(3),
    /** Which of the rows that are left, as parts of their number. */
    deleted: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
      maxLength: 3,
    }),
    deletesCursor: fc.boolean(),
  });

  it("returns each row that stays exactly once, whatever is inserted and deleted meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(25),
        fc.integer({ min: 1, max: 6 }),
        fc.array(meanwhile, { minLength: 1, maxLength: 6 }),
        async (count, size, events) => {
          await server.context.db.tlsEdge.deleteMany();
          const initial = await insert(count);
          const gone = new Set<string>();
          const seen: string[] = [];
          let cursor: string | undefined;
          for (let page = 0; page === 0 || cursor !== undefined; page++) {
            const event = events[page % events.length];
            const left = initial.filter((id) => !gone.has(id));
            const chosen = (event?.deleted ?? []).flatMap(
              (part) => left[Math.floor(part * left.length)] ?? [],
            );
            const doomed = [
              ...new Set([...chosen, ...(event?.deletesCursor && cursor ? [cursor] : [])]),
            ];
            for (const id of doomed) gone.add(id);
            const [{ items, next }] = await Promise.all([
              driver.page(size, cursor),
              insert(event?.inserted ?? 0),
              server.context.db.tlsEdge.deleteMany({ where: { id: { in: doomed } } }),
            ]);
            expect(items.length).toBeLessThanOrEqual(size);
            seen.push(...items.map(({ id }) => id as string));
            cursor = next ?? undefined;
          }
          expect(seen).toEqual([...new Set(seen)].sort().reverse());
          const staying = initial.filter((id) => !gone.has(id));
          expect(staying.filter((id) => !seen.includes(id))).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("goes on after a cursor whose row is gone, and after one that never was", async () => {
    const ids = (await insert(5)).reverse();
    const { next } = await driver.page(2);
    expect(next).toBe(ids[1]);
    await server.context.db.tlsEdge.deleteMany({ where: { id: { in: ids.slice(0, 3) } } });
    const rest = (await driver.page(5, next ?? "")).items.map(({ id }) => id);
    expect(rest).toEqual(ids.slice(3));
    expect((await driver.page(5, "edgtls_zzzzzzzzzzzzzzzzzzzzzzzzzzz")).items).toHaveLength(2);
    expect(await driver.page(5, "edgtls_0")).toEqual({ items: [], next: null });
  });
});
