import fc from "fast-check";
import { kindOfId, type ResourceKind } from "../../../src/domain/core/ids.js";
import { getOne } from "../../../src/domain/reads/read.js";
import type { Resources } from "../../../src/domain/reads/tables.js";
import { warningsOfHostCertificate } from "../../../src/domain/ssh-host-certificates.js";
import { warningsOfUserCertificate } from "../../../src/domain/ssh-user-certificates.js";
import {
  anyEndpointConfiguration,
  anyHttpsEdge,
  anyHttpsEdgeRoute,
  anyIpPolicyRule,
  anyTcpEdge,
  anyTlsEdge,
  type Given,
  type Targets,
} from "../arbitraries.js";
import { authorityPem, serverPair } from "../certificates.js";
import {
  agentIngress,
  apiKey,
  certificateAuthority,
  endpointConfiguration,
  failoverBackend,
  httpResponseBackend,
  httpsEdge,
  ipPolicy,
  ipPolicyRule,
  ipRestriction,
  PUBLIC_KEY,
  reservedAddr,
  reservedDomain,
  routesOf,
  sshCertificateAuthority,
  sshCredential,
  sshHostCertificate,
  sshUserCertificate,
  staticBackend,
  type TestResource,
  tcpEdge,
  tlsCertificate,
  tlsEdge,
  tunnelGroupBackend,
  weightedBackend,
} from "../resources.js";
import type { TestServer } from "../server.js";
import { type Fields, transports } from "../transports.js";

// Resources of all kinds, linked unevenly, and each of them read alone.

/** A resource as the domain has it, with all of its members. */
export type Plain = Fields & { readonly id: string };

export interface World {
  readonly rows: ReadonlyMap<string, Plain>;
  of(...kinds: readonly ResourceKind[]): readonly Plain[];
  /** The same for a key that may only read. */
  readonly withoutSecrets: World;
}

/** Many are equal but for the case of letters, and many are empty. */
const DESCRIPTIONS = ["", "alpha", "Alpha", "beta one", "BETA two", "ålesund", "[gamma]", "Zulu"];
/** How edges are served: many alike, but for how it is written, and some nowhere. */
const HOSTPORTS = [
  ["a.example:443"],
  [],
  ["A.example:443", "b.example:443"],
  ["[2001:DB8::A]:443"],
  ["b.example:443", "[2001:db8:0::a]:443"],
  [],
];
const METADATA = ["", "team alpha", '{"team":"beta"}'];

/** Creates resources of all kinds on an empty database. The same `seed` gives the same but for ids and keys. */
export async function createWorld(server: TestServer, seed: number): Promise<World> {
  let made = 0;
  const ids: string[] = [];
  const create = async (resource: TestResource, input: Fields = {}): Promise<string> => {
    made += 1;
    const description = DESCRIPTIONS[(made * 5 + seed) % DESCRIPTIONS.length];
    const metadata = METADATA[(made * 7 + seed) % METADATA.length];
    const [rest] = transports;
    if (!rest) throw new Error("There is no transport.");
    const driver = rest.drive(server, resource);
    const { id } = await driver.create({ ...input, description, metadata });
    ids.push(id);
    return id;
  };
  const createAll = async (resource: TestResource, inputs: readonly Fields[]) => {
    const all: string[] = [];
    for (const input of inputs) all.push(await create(resource, input));
    return all;
  };

  const leafBackends = [
    ...(await createAll(httpResponseBackend, [{}, { statusCode: 404, headers: { "X-A": "b" } }])),
    ...(await createAll(staticBackend, [{ address: "a:1" }, { address: "b:2", tls: {} }])),
    ...(await createAll(tunnelGroupBackend, [{}, { labels: { "2": "two", a: "one" } }])),
  ];
  const [first = "", second = "", third = "", fourth = ""] = leafBackends;
  const weighted = await createAll(weightedBackend, [
    {},
    { backends: { [third]: 0, [first]: 5 } },
    { backends: { [first]: 1, [second]: 2, [fourth]: 3 } },
  ]);
  const failover = await createAll(failoverBackend, [
    {},
    { backends: [third] },
    { backends: [weighted[2], first, weighted[1], fourth] },
  ]);
  const caPem = await authorityPem();
  const pairs: Fields[] = [];
  for (const dnsName of ["a.example", "*.example", "b.example"]) {
    const { certificatePem, privateKeyPem } = await serverPair({ dnsNames: [dnsName] });
    pairs.push({ certificatePem, privateKeyPem });
  }
  const targets: Targets = {
    leafBackends,
    // The last one of each kind is used by nobody.
    backends: [...leafBackends.slice(0, -1), ...weighted.slice(1), ...failover.slice(1)],
    certificateAuthorities: await createAll(certificateAuthority, [
      { caPem },
      { caPem },
      { caPem },
    ]),
    ipPolicies: await createAll(ipPolicy, [{}, {}, {}, {}]),
    endpointConfigurations: await createAll(endpointConfiguration, [
      { type: "tcp" },
      { type: "tcp" },
      { type: "tcp" },
    ]),
    httpConfigurations: await createAll(endpointConfiguration, [{ type: "http" }]),
    httpsConfigurations: await createAll(endpointConfiguration, [{ type: "https" }]),
    tlsCertificates: await createAll(tlsCertificate, pairs),
  };
  const used = {
    ...targets,
    certificateAuthorities: targets.certificateAuthorities.slice(1),
    ipPolicies: targets.ipPolicies.slice(1),
  };
  const served = (input: Fields, index: number) => ({
    ...input,
    hostports: HOSTPORTS[(index + seed) % HOSTPORTS.length],
  });
  const inputs = (arbitrary: fc.Arbitrary<Given>, numRuns: number): Fields[] =>
    fc.sample(arbitrary, { numRuns, seed }).map(({ input }) => input);

  const [, spared = "", shared = ""] = targets.ipPolicies;
  await createAll(ipRestriction, [
    { type: "api", ipPolicyIds: [shared] },
    { type: "agent", enforced: true, ipPolicyIds: [shared, spared] },
    { type: "dashboard", ipPolicyIds: [spared] },
    { type: "endpoints", enforced: true, ipPolicyIds: [spared, shared] },
  ]);
  await createAll(ipPolicyRule, inputs(anyIpPolicyRule(used), 7));
  const edges = await createAll(httpsEdge, inputs(anyHttpsEdge(used), 6).map(served));
  const routes = inputs(anyHttpsEdgeRoute(used), 24);
  for (const [index, input] of routes.entries()) {
    // The first edge has no route, and the last one has most.
    const edgeId = edges[Math.min(1 + (index >> 1), edges.length - 1)] ?? "";
    const matchType = index % 3 === 0 ? "exact_path" : "path_prefix";
    await create(routesOf(edgeId), {
      ...input,
      edgeId,
      matchType,
      match: `/${index % 4}/${index}`,
    });
  }
  await createAll(tlsEdge, inputs(anyTlsEdge(used), 6).map(served));
  await createAll(tcpEdge, inputs(anyTcpEdge(used), 6).map(served));
  await createAll(endpointConfiguration, inputs(anyEndpointConfiguration(used), 5));
  const [http] = targets.httpConfigurations;
  const [https] = targets.httpsConfigurations;
  const [certificateId, twice] = targets.tlsCertificates;
  await createAll(reservedDomain, [
    { domain: "b.example", httpsEndpointConfigurationId: https, certificateId },
    { domain: "A.example", region: "eu", certificateManagementPolicy: {} },
    { domain: "*.a.example", certificateId: twice, resolvesTo: [{ value: "global" }] },
    {
      domain: "c.example",
      certificateId: twice,
      httpEndpointConfigurationId: http,
      httpsEndpointConfigurationId: https,
    },
  ]);
  const [attached, often] = targets.endpointConfigurations;
  await createAll(reservedAddr, [
    {},
    { region: "eu", endpointConfigurationId: attached },
    { endpointConfigurationId: often },
    { region: "sa", endpointConfigurationId: often },
  ]);
  const [, authority] = await createAll(sshCertificateAuthority, [
    { privateKeyType: "ed25519" },
    { privateKeyType: "ed25519" },
  ]);
  const certificate = { sshCertificateAuthorityId: authority, publicKey: PUBLIC_KEY };
  await createAll(sshUserCertificate, [
    certificate,
    { ...certificate, principals: ["root"] },
    { ...certificate, principals: ["root", "ci"], extensions: { "permit-pty": "" } },
  ]);
  await createAll(agentIngress, [
    { domain: "b.example" },
    { domain: "A.example", certificateManagementPolicy: {} },
    { domain: "c.a.example", certificateManagementPolicy: { privateKeyType: "ecdsa" } },
  ]);
  await createAll(sshHostCertificate, [
    certificate,
    { ...certificate, principals: ["a.example.com", "*.Example.com"] },
  ]);
  await createAll(sshCredential, [
    { publicKey: PUBLIC_KEY },
    { publicKey: PUBLIC_KEY, acl: ["bind:*.example.com", "bind:a.example.com"], ownerId: "ci" },
  ]);
  await createAll(apiKey, [{ scope: "read", ownerId: "ci" }, {}]);
  return readWorld(server, ids);
}

/** What a resource shows besides its members. */
function computedOf(row: Resources[ResourceKind]): Fields {
  if (!("principals" in row)) return {};
  const warningsOf =
    "criticalOptions" in row ? warningsOfUserCertificate : warningsOfHostCertificate;
  return { warnings: warningsOf(row) };
}

async function readWorld(server: TestServer, ids: readonly string[]): Promise<World> {
  const { context } = server;
  const reading = { ...context, actor: { keyId: null, scope: "read" as const } };
  const keys = await context.db.apiKey.findMany({ select: { id: true } });
  const all = new Set([...ids, ...keys.map(({ id }) => id)]);
  const [whole, withoutSecrets] = await Promise.all(
    [context, reading].map(async (context) => {
      const rows = new Map<string, Plain>();
      for (const id of all) {
        const kind = kindOfId(id);
        if (!kind) throw new Error(`${id} is no id.`);
        const row = await getOne(context, kind, id);
        rows.set(id, { ...row, ...computedOf(row) });
      }
      return rows;
    }),
  );
  if (!whole || !withoutSecrets) throw new Error("Nothing was read.");
  const ofKinds = (rows: ReadonlyMap<string, Plain>) => ({
    rows,
    of: (...kinds: readonly ResourceKind[]) =>
      [...rows.values()].filter(({ id }) => kinds.some((kind) => kind === kindOfId(id))),
  });
  const blind: World = {
    ...ofKinds(withoutSecrets),
    get withoutSecrets() {
      return blind;
    },
  };
  return { ...ofKinds(whole), withoutSecrets: blind };
}
