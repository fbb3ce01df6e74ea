import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { counted, overview } from "./harness/counts.js";
import { wrongMarks } from "./harness/marks.js";
import {
  certificateAuthority,
  endpointConfiguration,
  failoverBackend,
  httpsEdge,
  ipPolicy,
  ipPolicyRule,
  ipRestriction,
  reservedAddr,
  reservedDomain,
  routesOf,
  sshCertificateAuthority,
  sshHostCertificate,
  sshUserCertificate,
  staticBackend,
  type TestResource,
  tcpEdge,
  tlsCertificate,
  tlsEdge,
  weightedBackend,
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import {
  type Driver,
  type Fields,
  graphql,
  graphqlInput,
  transports,
} from "./harness/transports.js";

// What is deleted or made as desired while others change what belongs to it: counts and log stay those of the rows.

/** `RACE_ROUNDS` asks for more. */
const ROUNDS = Number(process.env.RACE_ROUNDS ?? 20);

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.stop());

type Action = () => Promise<unknown>;

/** Each call is driven over the other transport than the call before. */
let calls = 0;
function driver(resource: TestResource): Driver {
  const transport = transports[calls++ % transports.length];
  if (!transport) throw new Error("There are two transports.");
  return transport.drive(server, resource);
}

async function create(resource: TestResource, input: Fields = {}): Promise<string> {
  const required = await resource.required?.(async (needed) => ({ id: await create(needed) }));
  return (await driver(resource).create({ ...required, ...input })).id;
}

const update = (resource: TestResource, id: string, input: Fields) => () =>
  driver(resource).update(id, input);
const remove = (resource: TestResource, id: string) => () => driver(resource).remove(id);
const make = (resource: TestResource, input: Fields) => () => driver(resource).create(input);

const apply = (kind: "HttpsEdge" | "IpPolicy", key: string, fields: Fields) => () =>
  graphql(
    server,
    `mutation($key: String!, $input: Apply${kind}Input!) {
      apply${kind}(key: $key, input: $input) { changes { action } } }`,
    { key, input: graphqlInput(`Apply${kind}Input`, fields) },
  );

const prefix = (match: string, fields: Fields = {}) => ({
  matchType: "path_prefix",
  match,
  ...fields,
});
const compression = (enabled: boolean) => ({ compression: { enabled } });

async function edgeWithRoutes(): Promise<{ edge: string; routes: string[] }> {
  const input = graphqlInput("CreateHttpsEdgeInput", {
    routes: ["/a", "/b", "/c", "/d"].map((match) => prefix(match, compression(true))),
  });
  const { createHttpsEdge } = await graphql(
    server,
    "mutation($input: CreateHttpsEdgeInput!) { createHttpsEdge(input: $input) { httpsEdge { id routes { nodes { id } } } } }",
    { input },
  );
  const routes = createHttpsEdge.httpsEdge.routes.nodes.map(({ id }: Fields) => id);
  return { edge: createHttpsEdge.httpsEdge.id, routes };
}

async function policyWithRules(): Promise<{ policy: string; rules: string[] }> {
  const policy = await create(ipPolicy);
  const rules = await Promise.all(
    [1, 2, 3].map((n) => create(ipPolicyRule, { ipPolicyId: policy, cidr: `10.${n}.0.0/16` })),
  );
  return { policy, rules };
}

/** What goes on at the same time in one round. */
const RACES: Record<string, () => Promise<Action[]>> = {
  "an edge is deleted while its routes change, come and go": async () => {
    const { edge, routes } = await edgeWithRoutes();
    const [one = "", other = "", third = ""] = routes;
    const route = routesOf(edge);
    return [
      update(route, one, compression(false)),
      remove(route, other),
      remove(httpsEdge, edge),
      update(route, third, { compression: null, requestHeaders: { enabled: false } }),
      make(route, { edgeId: edge, ...prefix("/new", compression(false)) }),
      update(route, one, { metadata: "changed" }),
    ];
  },
  "an edge is applied and deleted while its routes change, come and go": async () => {
    const { edge, routes } = await edgeWithRoutes();
    const [one = "", other = "", third = ""] = routes;
    const route = routesOf(edge);
    const desired = [prefix("/a"), prefix("/new", compression(false)), prefix("/other")];
    return [
      update(route, one, compression(false)),
      apply("HttpsEdge", edge, { routes: desired }),
      remove(route, other),
      make(route, { edgeId: edge, ...prefix("/new") }),
      apply("HttpsEdge", edge, { routes: [...desired.slice(1), prefix("/d")] }),
      update(route, third, { match: "/other" }),
      ...(calls % 3 === 0 ? [remove(httpsEdge, edge)] : []),
    ];
  },
  "an IP policy is deleted while its rules change, come and go": async () => {
    const { policy, rules } = await policyWithRules();
    const [one = "", other = "", third = ""] = rules;
    return [
      update(ipPolicyRule, one, { metadata: "changed" }),
      remove(ipPolicyRule, other),
      remove(ipPolicy, policy),
      update(ipPolicyRule, third, { cidr: "10.9.0.0/16" }),
      make(ipPolicyRule, { ipPolicyId: policy, cidr: "10.8.0.0/16", action: "deny" }),
    ];
  },
  "an IP policy is applied and deleted while its rules change, come and go": async () => {
    const { policy, rules } = await policyWithRules();
    const [one = "", other = "", third = ""] = rules;
    const rule = (n: number) => ({ cidr: `10.${n}.0.0/16`, action: "allow" });
    return [
      update(ipPolicyRule, one, { metadata: "changed" }),
      apply("IpPolicy", policy, { rules: [rule(1), rule(8), rule(9)] }),
      remove(ipPolicyRule, other),
      make(ipPolicyRule, { ipPolicyId: policy, ...rule(8) }),
      update(ipPolicyRule, third, { cidr: "10.9.0.0/16" }),
      apply("IpPolicy", policy, { rules: [rule(3), rule(8)] }),
      ...(calls % 3 === 0 ? [remove(ipPolicy, policy)] : []),
    ];
  },
  "backends are deleted while others come to use them, and no longer do": async () => {
    const [leaf, used] = [await create(staticBackend), await create(staticBackend)];
    const weighted = await create(weightedBackend, { backends: { [used]: 1 } });
    const failover = await create(failoverBackend, { backends: [weighted] });
    const { edge, routes } = await edgeWithRoutes();
    return [
      remove(staticBackend, leaf),
      update(failoverBackend, failover, { backends: [leaf, used] }),
      update(weightedBackend, weighted, { backends: { [leaf]: 1 } }),
      remove(staticBackend, used),
      remove(weightedBackend, weighted),
      update(routesOf(edge), routes[0] ?? "", { backend: { backendId: leaf } }),
      make(tlsEdge, { backend: { backendId: failover } }),
      make(tcpEdge, { backend: { backendId: weighted } }),
      remove(failoverBackend, failover),
      remove(httpsEdge, edge),
    ];
  },
  "what edges, routes and addresses refer to is deleted while they come and go": async () => {
    const [policy, authority] = [await create(ipPolicy), await create(certificateAuthority)];
    const configuration = await create(endpointConfiguration);
    const { edge, routes } = await edgeWithRoutes();
    const addr = await create(reservedAddr);
    const mutualTls = { certificateAuthorityIds: [authority] };
    return [
      update(httpsEdge, edge, { mutualTls }),
      remove(certificateAuthority, authority),
      update(routesOf(edge), routes[0] ?? "", { ipRestriction: { ipPolicyIds: [policy] } }),
      make(tlsEdge, { mutualTls, ipRestriction: { ipPolicyIds: [policy] } }),
      make(tcpEdge, { ipRestriction: { ipPolicyIds: [policy] } }),
      make(ipRestriction, { type: "api", ipPolicyIds: [policy] }),
      remove(ipPolicy, policy),
      update(reservedAddr, addr, { endpointConfigurationId: configuration }),
      remove(endpointConfiguration, configuration),
      make(reservedAddr, { endpointConfigurationId: configuration }),
      remove(httpsEdge, edge),
      remove(reservedAddr, addr),
    ];
  },
  "what domains refer to is deleted while they come and go": async () => {
    const certificateId = await create(tlsCertificate);
    const configuration = await create(endpointConfiguration, { type: "https" });
    const domain = await create(reservedDomain);
    const other = await create(reservedDomain, { certificateId });
    return [
      update(reservedDomain, domain, { certificateId }),
      remove(tlsCertificate, certificateId),
      update(reservedDomain, domain, { certificateManagementPolicy: { privateKeyType: "ecdsa" } }),
      update(reservedDomain, other, { httpsEndpointConfigurationId: configuration }),
      remove(endpointConfiguration, configuration),
      make(reservedDomain, { domain: "race.example.com", certificateId }),
      make(reservedDomain, { domain: "RACE.example.com" }),
      remove(reservedDomain, other),
    ];
  },
  "an SSH authority is deleted while its certificates come and go": async () => {
    const authority = await create(sshCertificateAuthority);
    const input = {
      ...(await sshUserCertificate.required?.(async () => ({ id: authority }))),
      sshCertificateAuthorityId: authority,
    };
    const [one, other, host] = [
      await create(sshUserCertificate, input),
      await create(sshUserCertificate, input),
      await create(sshHostCertificate, input),
    ];
    return [
      remove(sshUserCertificate, one),
      make(sshHostCertificate, input),
      remove(sshHostCertificate, host),
      remove(sshCertificateAuthority, authority),
      make(sshUserCertificate, input),
      remove(sshUserCertificate, other),
      update(sshUserCertificate, other, { metadata: "changed" }),
      remove(sshCertificateAuthority, authority),
    ];
  },
};

const REFUSALS = ["done", "NOT_FOUND", "CONFLICT", "IN_USE", "INVALID_REQUEST"];

/** How the action ended: "done", or the code of its refusal. */
async function outcome(action: Action): Promise<string> {
  try {
    await action();
    return "done";
  } catch (error) {
    return String(error instanceof Error && "code" in error ? error.code : error);
  }
}

/** What the log says of each resource, in its order: the action and the version. */
async function histories(): Promise<Map<string, string[]>> {
  const entries = await server.context.db.change.findMany({
    orderBy: [{ horizon: "asc" }, { id: "asc" }],
    select: { resourceId: true, action: true, version: true },
  });
  const histories = new Map<string, string[]>();
  for (const { resourceId, action, version } of entries) {
    histories.set(resourceId, [...(histories.get(resourceId) ?? []), `${action} ${version}`]);
  }
  return histories;
}

/** Created once, then changed version by version, then deleted once or not at all. */
function isHistory(entries: readonly string[]): boolean {
  const last = entries.at(-1)?.startsWith("deleted") ? entries.length - 1 : entries.length;
  const expected = Array.from({ length: last }, (_, i) =>
    i === 0 ? "created 1" : `updated ${i + 1}`,
  );
  if (last < entries.length) expected.push(`deleted ${last}`);
  return JSON.stringify(entries) === JSON.stringify(expected);
}

describe("counts are those of the rows, and the log tells each creation and deletion once, when", () => {
  it.each(Object.entries(RACES))(
    "%s",
    async (_, prepare) => {
      const outcomes = new Set<string>();
      for (let round = 0; round < ROUNDS; round++) {
        const actions = await prepare();
        // Each goes first now and then.
        const turned = [...actions, ...actions]
          .slice(round % actions.length)
          .slice(0, actions.length);
        for (const code of await Promise.all(turned.map(outcome))) outcomes.add(code);
      }
      expect([...outcomes].filter((code) => !REFUSALS.includes(code))).toEqual([]);
      expect(outcomes).toContain("done");
      expect(await overview(server)).toEqual(await counted(server));
      expect(await wrongMarks(server)).toEqual([]);
      const wrong = [...(await histories())].filter(([, entries]) => !isHistory(entries));
      expect(wrong).toEqual([]);
    },
    120_000,
  );
});
