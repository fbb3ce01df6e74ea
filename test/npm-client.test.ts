import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newRow } from "../src/domain/storage/rows.js";
import { authorityPem, PERIOD, serverPair } from "./harness/certificates.js";
import { PUBLIC_KEY } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { rest } from "./harness/transports.js";

// The published npm client of the original service, as it is, with nothing but `baseUrl` changed.

const require = createRequire(import.meta.url);
const { Ngrok } = require("@ngrok/ngrok-api");

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
type Json = Record<string, any>;

/** What every group of the client that has a path of its own can do. */
interface Group {
  create(fields: Json): Promise<Json>;
  get(id: string): Promise<Json>;
  list(): Promise<Json[]>;
  update(fields: Json): Promise<Json>;
  delete(id: string): Promise<void>;
}

let server: TestServer;
let client: Json;
beforeAll(async () => {
  server = await startServer();
  client = new Ngrok({ apiToken: server.writeKey, baseUrl: server.url });
});
afterAll(() => server.stop());

/** It fails to read the empty body of a 204, after the row is gone. */
async function remove(group: Pick<Group, "delete">, id: string, path: string): Promise<void> {
  await expect(group.delete(id)).rejects.toThrow(SyntaxError);
  expect((await rest(server, "GET", path)).status).toBe(404);
}

/** What the client rejects with: a plain object, no Error. The names of details are in camelCase, too. */
async function refusal(call: Promise<unknown>): Promise<Json> {
  const settled = await call.then(
    () => ({ refused: null }),
    (refused: unknown) => ({ refused }),
  );
  const error = settled.refused as Json;
  expect(Object.keys(error).sort()).toEqual(["details", "errorCode", "msg", "statusCode"]);
  expect(error.details).toBeInstanceOf(Map);
  for (const detail of error.details.values()) expect(detail).toBeTypeOf("string");
  expect(error.details.get("operationId")).toMatch(/^op_[0-9A-Za-z]{27}$/);
  expect(error.msg).toMatch(/\S/);
  return error;
}

/** 250 rows more, as fast as the database takes them. */
type Seed = () => Promise<unknown>;

const TEXTS = { description: "", metadata: "" };
const many = <Row>(row: () => Row): Row[] => Array.from({ length: 250 }, row);

it("is the published one, unmodified", () => {
  const installed = JSON.parse(
    readFileSync(require.resolve("@ngrok/ngrok-api/package.json"), "utf8"),
  );
  expect(installed.version).toBe("0.11.0");
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  expect(lock.packages["node_modules/@ngrok/ngrok-api"]).toMatchObject({
    version: "0.11.0",
    integrity: expect.stringMatching(/^sha512-/),
  });
});

interface Case {
  readonly title: string;
  readonly path: string;
  group(): Group;
  create(): Promise<Json> | Json;
  /** Of what the fields given to `create` show, where that differs. */
  shown(created: Json): Json;
  update: Json;
  seed: Seed;
}

/** Of both kinds of certificates. */
let sshCertificateAuthorityId: string;
let ipPolicyIds: string[] = [];

const cases: readonly Case[] = [
  {
    title: "failover backends",
    path: "/backends/failover",
    group: () => client.backends.failoverBackends,
    async create() {
      const child = await client.backends.httpResponseBackends.create({ body: "down" });
      return { description: "a", metadata: "m", backends: [child.id] };
    },
    shown: () => ({}),
    update: { metadata: "n", backends: [] },
    seed: () =>
      server.context.db.backend.createMany({
        data: many(() => ({ ...newRow("failoverBackend"), ...TEXTS, kind: "failover" })),
      }),
  },
  {
    title: "SSH user certificates",
    path: "/ssh_user_certificates",
    group: () => client.sshUserCertificates,
    async create() {
      sshCertificateAuthorityId = (await client.sshCertificateAuthorities.create({})).id;
      return {
        sshCertificateAuthorityId,
        publicKey: PUBLIC_KEY,
        principals: ["root", "alice"],
        validAfter: "2026-01-02T03:04:05Z",
        validUntil: "2030-01-02T03:04:05Z",
        description: "a",
        metadata: "m",
      };
    },
    shown: ({ id }) => ({
      keyType: "ed25519",
      criticalOptions: {},
      // It turns the names in maps of users into camelCase, too.
      extensions: { permitPty: "", permitUserRc: "" },
      certificate: expect.stringMatching(new RegExp(` ${id}$`)),
    }),
    update: { description: "b", metadata: "n" },
    seed() {
      return server.context.db.sshUserCertificate.createMany({
        data: many(() => ({
          ...newRow("sshUserCertificate"),
          ...TEXTS,
          sshCertificateAuthorityId,
          publicKey: PUBLIC_KEY,
          keyType: "ed25519",
          principals: [],
          criticalOptions: {},
          extensions: {},
          validAfter: new Date(),
          validUntil: new Date(),
          certificate: "",
        })),
      });
    },
  },
  {
    title: "SSH host certificates",
    path: "/ssh_host_certificates",
    group: () => client.sshHostCertificates,
    create: () => ({
      sshCertificateAuthorityId,
      publicKey: PUBLIC_KEY,
      principals: ["bastion.example.com", "192.0.2.7"],
      validAfter: "2026-01-02T03:04:05Z",
      validUntil: "2030-01-02T03:04:05Z",
      description: "a",
      metadata: "m",
    }),
    shown: ({ id }) => ({
      keyType: "ed25519",
      certificate: expect.stringMatching(new RegExp(` ${id}$`)),
    }),
    update: { description: "b", metadata: "n" },
    seed: () =>
      server.context.db.sshHostCertificate.createMany({
        data: many(() => ({
          ...newRow("sshHostCertificate"),
          ...TEXTS,
          sshCertificateAuthorityId,
          publicKey: PUBLIC_KEY,
          keyType: "ed25519",
          principals: [],
          validAfter: new Date(),
          validUntil: new Date(),
          certificate: "",
        })),
      }),
  },
  {
    title: "SSH credentials",
    path: "/ssh_credentials",
    group: () => client.sshCredentials,
    create: () => ({
      publicKey: PUBLIC_KEY,
      acl: ["bind:1.tcp.example.com:20000", "bind:*.example.com"],
      ownerId: "ada",
      description: "a",
      metadata: "m",
    }),
    shown: () => ({}),
    update: { description: "b", acl: ["bind:*=x", "bind:a"] },
    seed: () =>
      server.context.db.sshCredential.createMany({
        data: many(() => ({
          ...newRow("sshCredential"),
          ...TEXTS,
          ...{ publicKey: PUBLIC_KEY, keyType: "ed25519", acl: [], ownerId: "" },
        })),
      }),
  },
  {
    title: "TLS certificates",
    path: "/tls_certificates",
    group: () => client.tlsCertificates,
    async create() {
      const { certificatePem, privateKeyPem } = await serverPair();
      return { description: "a", metadata: "m", certificatePem, privateKeyPem };
    },
    shown: () => ({
      privateKeyPem: undefined,
      subjectCommonName: "www.example.com",
      subjectAlternativeNames: { dnsNames: ["www.example.com"], ips: [] },
      issuedAt: null,
      ...PERIOD,
      keyUsages: ["digital_signature", "key_encipherment"],
      extendedKeyUsages: ["server_auth"],
      privateKeyType: "ecdsa",
      issuerCommonName: "www.example.com",
      serialNumber: "1f",
      subjectOrganization: "Example",
      subjectOrganizationalUnit: "",
      subjectLocality: "",
      subjectProvince: "",
      subjectCountry: "",
    }),
    update: { description: "b", metadata: "n" },
    async seed() {
      const { id, ...one } = await server.context.db.tlsCertificate.findFirstOrThrow();
      return server.context.db.tlsCertificate.createMany({
        data: many(() => ({ ...one, ...newRow("tlsCertificate") })),
      });
    },
  },
  {
    title: "reserved addresses",
    path: "/reserved_addrs",
    group: () => client.reservedAddrs,
    create: () => ({ description: "a", metadata: "m", region: "eu" }),
    shown: () => ({
      addr: expect.stringMatching(/^\d\.tcp\.eu\.edgeplane\.test:\d{5}$/),
      endpointConfiguration: null,
    }),
    update: { description: "b", metadata: "n" },
    seed() {
      let port = 0;
      return server.context.db.reservedAddr.createMany({
        data: many(() => ({
          ...newRow("reservedAddr"),
          ...TEXTS,
          addr: `seed:${++port}`,
          region: "us",
        })),
      });
    },
  },
  {
    title: "agent ingresses",
    path: "/agent_ingresses",
    group: () => client.agentIngresses,
    create: () => ({
      description: "a",
      metadata: "m",
      domain: "Agents.example.com",
      certificateManagementPolicy: { privateKeyType: "ecdsa" },
    }),
    shown: () => ({
      nsTargets: [],
      regionDomains: [],
      certificateManagementPolicy: { authority: "letsencrypt", privateKeyType: "ecdsa" },
      certificateManagementStatus: null,
    }),
    update: { description: "b", metadata: "" },
    seed() {
      let domain = 0;
      return server.context.db.agentIngress.createMany({
        data: many(() => ({ ...newRow("agentIngress"), ...TEXTS, domain: `${++domain}.seed` })),
      });
    },
  },
  {
    title: "reserved domains",
    path: "/reserved_domains",
    group: () => client.reservedDomains,
    create: () => ({
      description: "a",
      metadata: "m",
      domain: "*.example.com",
      region: "eu",
      certificateManagementPolicy: { privateKeyType: "ecdsa" },
    }),
    shown: () => ({
      cnameTarget: null,
      httpEndpointConfiguration: null,
      httpsEndpointConfiguration: null,
      certificate: null,
      certificateManagementPolicy: { authority: "letsencrypt", privateKeyType: "ecdsa" },
      certificateManagementStatus: null,
      acmeChallengeCnameTarget: null,
      errorRedirectUrl: "",
      resolvesTo: [],
    }),
    update: { description: "b", metadata: "n" },
    seed() {
      let domains = 0;
      return server.context.db.reservedDomain.createMany({
        data: many(() => ({
          ...newRow("reservedDomain"),
          ...TEXTS,
          domain: `seed-${++domains}.example.com`,
          errorRedirectUrl: "",
          resolvesTo: [],
        })),
      });
    },
  },
  {
    title: "IP restrictions",
    path: "/ip_restrictions",
    group: () => client.ipRestrictions,
    async create() {
      const policies = [await client.ipPolicies.create({}), await client.ipPolicies.create({})];
      ipPolicyIds = policies.map(({ id }) => id);
      const fields = { description: "a", metadata: "m", type: "dashboard", enforced: true };
      return { ...fields, ipPolicyIds };
    },
    shown: () => ({
      ipPolicyIds: undefined,
      ipPolicies: ipPolicyIds.map((id) => ({ id, uri: `${server.url}/ip_policies/${id}` })),
    }),
    update: { description: "b", enforced: false },
    seed: () =>
      server.context.db.ipRestriction.createMany({
        data: many(() => ({ ...newRow("ipRestriction"), ...TEXTS, type: "api", enforced: false })),
      }),
  },
  {
    title: "HTTPS edges",
    path: "/edges/https",
    group: () => client.edges.edgesHttps,
    async create() {
      const authority = await client.certificateAuthorities.create({ caPem: await authorityPem() });
      return {
        description: "a",
        metadata: "m",
        hostports: ["a.example.com:443"],
        mutualTls: { enabled: false, certificateAuthorityIds: [authority.id] },
        tlsTermination: { minVersion: "1.3" },
      };
    },
    shown: ({ mutualTls }) => ({
      mutualTls: {
        enabled: false,
        certificateAuthorities: [
          {
            id: expect.stringMatching(/^ca_/),
            uri: `${server.url}/certificate_authorities/${mutualTls.certificateAuthorities[0].id}`,
          },
        ],
      },
      tlsTermination: { enabled: true, terminateAt: "edge", minVersion: "1.3" },
      routes: [],
    }),
    update: { description: "b", hostports: [] },
    seed: () =>
      server.context.db.httpsEdge.createMany({
        data: many(() => ({ ...newRow("httpsEdge"), ...TEXTS, hostports: [] })),
      }),
  },
  {
    title: "TCP edges",
    path: "/edges/tcp",
    group: () => client.edges.edgesTcp,
    async create() {
      const backend = await client.backends.staticBackends.create({ address: "db:5432" });
      return {
        description: "a",
        metadata: "m",
        hostports: ["1.tcp.example.com:20000"],
        backend: { enabled: false, backendId: backend.id },
      };
    },
    shown: ({ backend }) => ({
      backend: {
        enabled: false,
        backend: {
          id: expect.stringMatching(/^bkdsc_/),
          uri: `${server.url}/backends/static/${backend.backend.id}`,
        },
      },
      ipRestriction: null,
      trafficPolicy: null,
    }),
    update: { description: "b", hostports: [] },
    seed: () =>
      server.context.db.tcpEdge.createMany({
        data: many(() => ({ ...newRow("tcpEdge"), ...TEXTS, hostports: [] })),
      }),
  },
];

describe.each(cases)("the npm client's $title", ({ path, group, create, shown, update, seed }) => {
  let created: Json;

  it("creates", async () => {
    const fields = await create();
    created = await group().create(fields);
    expect(created).toEqual({
      id: created.id,
      uri: `${server.url}${path}/${created.id}`,
      createdAt: expect.stringMatching(/Z$/),
      ...fields,
      ...shown(created),
    });
  });

  it("gets", async () => {
    expect(await group().get(created.id)).toEqual(created);
  });

  it("updates, with the id in the body", async () => {
    const updated = await group().update({ id: created.id, ...update });
    expect(updated).toEqual({ ...created, ...update });
    expect(await group().update({ id: created.id })).toEqual(updated);
    created = updated;
  });

  it("lists 251 rows on three pages, each once, newest first", async () => {
    await seed();
    const requests = await server.statements(async () => {
      const ids = (await group().list()).map(({ id }) => id);
      expect(ids).toHaveLength(251);
      expect(ids).toEqual([...new Set(ids)].sort().reverse());
      expect(ids.at(-1)).toBe(created.id);
    });
    const authentications = requests.filter((sql) => sql.includes("api_keys"));
    expect(authentications).toHaveLength(3);
  });

  it("deletes, and rejects all the same", () =>
    remove(group(), created.id, `${path}/${created.id}`));

  it("reads 404", async () => {
    const expected = { statusCode: 404, errorCode: "ERR_NOT_FOUND" };
    expect(await refusal(group().get(created.id))).toMatchObject(expected);
    expect(await refusal(group().update({ id: created.id }))).toMatchObject(expected);
    expect(await refusal(group().delete(created.id))).toMatchObject(expected);
  });
});

describe("the npm client's update of an IP restriction", () => {
  it("replaces its IP policies in the order given, and leaves them for an empty list", async () => {
    const [first, second] = ipPolicyIds;
    const { id } = await client.ipRestrictions.create({ type: "api", ipPolicyIds: [first] });
    const turned = await client.ipRestrictions.update({ id, ipPolicyIds: [second, first] });
    expect(turned.ipPolicies.map((policy: Json) => policy.id)).toEqual([second, first]);
    expect(await client.ipRestrictions.update({ id, ipPolicyIds: [] })).toEqual(turned);
    expect(await refusal(client.ipPolicies.delete(first))).toMatchObject({
      statusCode: 409,
      errorCode: "ERR_IN_USE",
    });
  });
});

describe("the npm client's certificates of reserved domains", () => {
  it("are attached, shown as a reference, and detached", async () => {
    const { certificatePem, privateKeyPem } = await serverPair();
    const certificate = await client.tlsCertificates.create({ certificatePem, privateKeyPem });
    const { id } = await client.reservedDomains.create({ domain: "own.example.com" });
    const attached = await client.reservedDomains.update({ id, certificateId: certificate.id });
    const uri = `${server.url}/tls_certificates/${certificate.id}`;
    expect(attached).toMatchObject({ region: "", certificate: { id: certificate.id, uri } });
    const error = await refusal(client.tlsCertificates.delete(certificate.id));
    expect(error).toMatchObject({ statusCode: 409, errorCode: "ERR_IN_USE" });
    // It fails to read the empty body of a 204, after the reference is gone.
    await expect(client.reservedDomains.deleteCertificate(id)).rejects.toThrow(SyntaxError);
    expect(await client.reservedDomains.get(id)).toMatchObject({ certificate: null });
    const managed = { authority: "letsencrypt", privateKeyType: "rsa" };
    const update = { id, certificateManagementPolicy: { privateKeyType: "rsa" } };
    expect(await client.reservedDomains.update(update)).toMatchObject({
      certificateManagementPolicy: managed,
    });
    await expect(client.reservedDomains.deleteCertificateManagementPolicy(id)).rejects.toThrow(
      SyntaxError,
    );
    expect(await client.reservedDomains.get(id)).toMatchObject({
      certificateManagementPolicy: null,
    });
  });
});

describe("the npm client's TLS termination module of a TLS edge", () => {
  let id: string;
  const modules = () => client.edgeModules.tlsEdgeTlsTerminationModule;
  beforeAll(async () => {
    id = (await client.edges.edgesTls.create({ hostports: ["a.example.com:443"] })).id;
  });

  it("reads 404 while it is not set", async () => {
    expect(await refusal(modules().get(id))).toMatchObject({ statusCode: 404 });
  });

  it("replaces, with the module in a wrapper", async () => {
    const module = { enabled: true, terminateAt: "edge", minVersion: "1.2" };
    expect(await modules().replace({ id, module })).toEqual(module);
    expect(await modules().get(id)).toEqual(module);
    const upstream = { terminateAt: "upstream" };
    const replaced = { enabled: true, terminateAt: "upstream", minVersion: null };
    expect(await modules().replace({ id, module: upstream })).toEqual(replaced);
    expect((await client.edges.edgesTls.get(id)).tlsTermination).toEqual(replaced);
  });

  it("reads a refusal with the path in the wrapper", async () => {
    const module = { terminateAt: "upstream", minVersion: "1.2" };
    const error = await refusal(modules().replace({ id, module }));
    expect(error).toMatchObject({ statusCode: 400, errorCode: "ERR_INVALID_REQUEST" });
    expect([...error.details.keys()].sort()).toEqual(["module.minVersion", "operationId"]);
  });

  it("deletes, and rejects all the same", () =>
    remove(modules(), id, `/edges/tls/${id}/tls_termination`));
});

describe("the npm client's policy, which is a traffic policy here", () => {
  it("is taken with a TLS edge and a TCP edge, and shown as what it has become", async () => {
    const inbound = [{ name: "all", expressions: [], actions: [{ type: "deny" }] }];
    const value = JSON.stringify({ inbound });
    for (const group of [client.edges.edgesTls, client.edges.edgesTcp]) {
      const created = await group.create({ policy: { inbound, outbound: [] } });
      expect(created.trafficPolicy).toEqual({ enabled: true, value });
      const policy = { enabled: false, inbound, outbound: [] };
      const updated = await group.update({ id: created.id, policy });
      expect(updated).toEqual({ ...created, trafficPolicy: { enabled: false, value } });
    }
  });
});

describe("the npm client's errors", () => {
  it("400 with a detail for each problem", async () => {
    const error = await refusal(
      client.edges.edgesHttps.create({
        description: "é".repeat(128),
        hostports: ["a.example.com:443", "nonsense"],
        mutualTls: { certificateAuthorityIds: ["ca_missing"] },
        tlsTermination: { minVersion: "1.4" },
      }),
    );
    expect(error).toMatchObject({ statusCode: 400, errorCode: "ERR_INVALID_REQUEST" });
    expect([...error.details.keys()].sort()).toEqual([
      "description",
      "hostports.1",
      "mutualTls.certificateAuthorityIds.0",
      "operationId",
      "tlsTermination.minVersion",
    ]);
    expect(error.msg).toContain("`mutual_tls.certificate_authority_ids.0`");
  });

  it("401 for a key that is unknown", async () => {
    const stranger = new Ngrok({ apiToken: "unknown", baseUrl: server.url });
    expect(await refusal(stranger.reservedAddrs.list())).toMatchObject({
      statusCode: 401,
      errorCode: "ERR_UNAUTHENTICATED",
    });
  });

  it("403 for a key that may only read", async () => {
    const reader = new Ngrok({ apiToken: server.readKey, baseUrl: server.url });
    expect((await reader.reservedAddrs.list()).length).toBeGreaterThan(0);
    expect(await refusal(reader.reservedAddrs.create({}))).toMatchObject({
      statusCode: 403,
      errorCode: "ERR_FORBIDDEN",
    });
  });

  it("404 for a path that the server does not have", async () => {
    expect(await refusal(client.tunnels.list())).toMatchObject({
      statusCode: 404,
      errorCode: "ERR_NOT_FOUND",
    });
  });

  it("409 for a row that is still in use, naming the users", async () => {
    const child = await client.backends.httpResponseBackends.create({});
    const { id } = await client.backends.failoverBackends.create({ backends: [child.id] });
    const error = await refusal(client.backends.httpResponseBackends.delete(child.id));
    expect(error).toMatchObject({ statusCode: 409, errorCode: "ERR_IN_USE" });
    expect([...error.details.values()].join()).toContain(id);
    expect((await client.backends.httpResponseBackends.get(child.id)).id).toBe(child.id);
  });
});

describe("the npm client's spelling of user's names", () => {
  it("arrives as it sends it, and is stored so: capitals become _ and a small letter", async () => {
    const { id, criticalOptions } = await client.sshUserCertificates.create({
      sshCertificateAuthorityId,
      publicKey: PUBLIC_KEY,
      extensions: { "permit-port-forwarding": "" },
      criticalOptions: { "force-command": "uptime" },
    });
    expect(criticalOptions).toEqual({ forceCommand: "uptime" });
    const { body } = await rest(server, "GET", `/ssh_user_certificates/${id}`);
    expect(body).toMatchObject({
      extensions: { "permit-port-forwarding": "" },
      critical_options: { "force-command": "uptime" },
    });
    const error = await refusal(
      client.sshUserCertificates.create({
        sshCertificateAuthorityId,
        publicKey: PUBLIC_KEY,
        extensions: { "permit-X11-forwarding": "" },
      }),
    );
    expect(error.msg).toContain("`extensions.permit-_x11-forwarding`");
  });

  it("sends a Map as {}, so that extensions take their defaults", async () => {
    const { extensions } = await client.sshUserCertificates.create({
      sshCertificateAuthorityId,
      publicKey: PUBLIC_KEY,
      extensions: new Map([["permit-port-forwarding", ""]]),
    });
    expect(extensions).toEqual({ permitPty: "", permitUserRc: "" });
  });
});
