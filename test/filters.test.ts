import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authorityPem, serverPair } from "./harness/certificates.js";
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
  SECURITY_KEY,
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
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, transports } from "./harness/transports.js";

// What each filter finds, and what it does not.

let server: TestServer;
/** Ids by the names that the rows have here. */
const ids: Record<string, string> = {};

async function make(name: string, resource: TestResource, input: Fields = {}): Promise<string> {
  const [, transport] = transports;
  if (!transport) throw new Error("There is no such transport.");
  const { id } = await transport.drive(server, resource).create(input);
  ids[name] = id;
  return id;
}

const DAY = 86_400_000;
const inDays = (days: number) => `${new Date(Date.now() + days * DAY).toISOString().slice(0, 19)}Z`;

beforeAll(async () => {
  server = await startServer();
  const leaf = await make("leaf", staticBackend, { address: "Leaf.internal:80", metadata: "x_y" });
  const other = await make("other", staticBackend, { address: "other.internal:80" });
  await make("spare", staticBackend, {
    address: "spare.internal:81",
    description: "for 100% later",
  });
  const response = await make("response", httpResponseBackend);
  await make("tunnels", tunnelGroupBackend);
  const weighted = await make("weighted", weightedBackend, { backends: { [leaf]: 0 } });
  const failover = await make("failover", failoverBackend, { backends: [weighted, other] });
  await make("idle", failoverBackend, { backends: [response] });

  const used = await make("used policy", ipPolicy, { description: "Office\nBerlin" });
  const unusedPolicy = await make("unused policy", ipPolicy, { metadata: "ÄRGER" });
  await make("policy of TLS", ipPolicy);
  const general = await make("general policy", ipPolicy);
  await make("of agents", ipRestriction, { type: "agent", ipPolicyIds: [used, general] });
  await make("of the API", ipRestriction, { type: "api", enforced: true, ipPolicyIds: [used] });
  const networks = { ipPolicyId: used, action: "allow" };
  await make("allows ten", ipPolicyRule, { ...networks, cidr: "10.0.0.0/8" });
  await make("denies ten", ipPolicyRule, {
    ipPolicyId: unusedPolicy,
    action: "deny",
    cidr: "10.0.0.0/8",
  });
  await make("allows all", ipPolicyRule, { ...networks, cidr: "0.0.0.0/0" });

  const soon = await authorityPem(true, new Date(Date.now() + 10 * DAY));
  const late = await authorityPem(true, new Date(Date.now() + 100 * DAY));
  const past = await authorityPem(true, new Date(Date.now() - DAY));
  const trusted = await make("expires soon", certificateAuthority, { caPem: soon });
  const trustedToo = await make("expires late", certificateAuthority, { caPem: late });
  await make("has expired", certificateAuthority, { caPem: past });

  const pair = async (dnsName: string, days: number) => {
    const notAfter = new Date(Date.now() + days * DAY);
    const { certificatePem, privateKeyPem } = await serverPair({ dnsNames: [dnsName], notAfter });
    return { certificatePem, privateKeyPem };
  };
  await make("for the shop", tlsCertificate, await pair("Shop.example.com", 10));
  const forShop = ids["for the shop"];
  await make("for all", tlsCertificate, await pair("*.example.com", 100));
  await make("for the past", tlsCertificate, await pair("old.example.org", -1));

  const configuration = await make("tcp", endpointConfiguration, { type: "tcp" });
  await make("free tcp", endpointConfiguration, { type: "tcp" });
  const attached = { endpointConfigurationId: configuration };
  await make("attached in eu", reservedAddr, { region: "eu", ...attached });
  await make("alone in eu", reservedAddr, { region: "eu" });
  await make("alone in us", reservedAddr, { region: "us" });

  const http = await make("http", endpointConfiguration, { type: "http" });
  const https = await make("https", endpointConfiguration, { type: "https" });
  await make("shop domain", reservedDomain, {
    domain: "Shop.example.com",
    region: "eu",
    certificateId: forShop,
    httpEndpointConfigurationId: http,
  });
  await make("any domain", reservedDomain, {
    domain: "*.example.com",
    httpsEndpointConfigurationId: https,
  });

  await make("site", httpsEdge, {
    description: "The Site",
    hostports: ["www.example.com:443", "EXAMPLE.com:443"],
    mutualTls: { certificateAuthorityIds: [trusted] },
  });
  await make("shop", httpsEdge, {
    hostports: ["shop.example.com:443"],
    metadata: "www.example.com is another",
    tlsTermination: { enabled: false },
  });
  await make("empty", httpsEdge);
  const route = (edge: string) => routesOf(ids[edge] ?? "");
  const on = (edge: string, match: string, matchType = "path_prefix") => ({
    edgeId: ids[edge],
    match,
    matchType,
  });
  await make("site /", route("site"), {
    ...on("site", "/"),
    backend: { backendId: failover },
    compression: {},
  });
  await make("site /api", route("site"), {
    ...on("site", "/api"),
    backend: { enabled: false, backendId: leaf },
    ipRestriction: { ipPolicyIds: [used] },
    compression: { enabled: false },
  });
  await make("site /API%", route("site"), on("site", "/API%", "exact_path"));
  await make("shop /api", route("shop"), {
    ...on("shop", "/api", "exact_path"),
    backend: { backendId: weighted },
    oidc: { enabled: false, issuer: "https://id.example.com", clientId: "a", clientSecret: "b" },
  });

  await make("mail", tlsEdge, {
    hostports: ["mail.example.com:993", "[2001:db8::1]:993"],
    backend: { backendId: weighted },
    ipRestriction: { ipPolicyIds: [ids["policy of TLS"]] },
    mutualTls: { enabled: false, certificateAuthorityIds: [trustedToo] },
  });
  await make("chat", tlsEdge, {
    hostports: ["chat.example.com:5223", "mail.example.com:5223"],
    backend: { backendId: other },
    tlsTermination: { terminateAt: "upstream" },
  });
  await make("database", tcpEdge, {
    hostports: ["db.example.com:5432", "[2001:db8::2]:5432"],
    backend: { backendId: failover },
    trafficPolicy: { enabled: false, value: "on_tcp_connect: []" },
  });
  await make("cache", tcpEdge, {
    hostports: ["cache.example.com:6379", "db.example.com:6379"],
    backend: { enabled: false, backendId: other },
  });

  const first = await make("first authority", sshCertificateAuthority);
  const second = await make("second authority", sshCertificateAuthority);
  const signed = (authority: string, from: number, to: number, principals: string[]): Fields => ({
    ...{ sshCertificateAuthorityId: authority, publicKey: PUBLIC_KEY, principals },
    ...{ validAfter: inDays(from), validUntil: inDays(to) },
  });
  await make("now", sshUserCertificate, signed(first, -10, 1, ["root", "ada"]));
  await make("next week", sshUserCertificate, signed(first, 7, 14, ["Root"]));
  await make("all year", sshUserCertificate, signed(second, -1, 365, []));
  await make("host now", sshHostCertificate, signed(first, -10, 1, ["a.example.com", "root"]));
  await make("host later", sshHostCertificate, signed(second, 30, 60, ["*.example.com"]));

  const acl = ["bind:*.example.com", "bind:a.example.com"];
  await make("ada's key", sshCredential, { publicKey: PUBLIC_KEY, ownerId: "ada", acl });
  await make("free key", sshCredential, { publicKey: SECURITY_KEY, acl: [acl[0]] });

  await make("ingress", agentIngress, { domain: "Agents.example.com" });
  await make("other ingress", agentIngress, { domain: "agents.example.org" });

  await make("reader", apiKey, { scope: "read", description: "Reader" });
  await make("writer", apiKey, { scope: "write", description: "Writer" });
});
afterAll(() => server.stop());

/** The names of what a filter finds, sorted; the page and `totalCount` must agree. */
async function found(list: string, filter: Fields | null): Promise<string[]> {
  const type =
    list === "ipPolicies" || list.endsWith("ities")
      ? `${list.slice(0, -3)}y`
      : list.replace(/(?<=ss)es$|s$/, "");
  const data = await graphql(
    server,
    `query($filter: ${type.charAt(0).toUpperCase()}${type.slice(1)}Filter) {
       ${list}(first: 100, filter: $filter) { totalCount nodes { id } } }`,
    { filter },
  );
  const { totalCount, nodes } = data[list];
  expect(totalCount).toBe(nodes.length);
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return nodes.map(({ id }: Fields) => names.get(id) ?? "another").sort();
}

/** Ids stand in filters as `@name`. */
function withIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIds);
  if (typeof value === "string") return value.startsWith("@") ? ids[value.slice(1)] : value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withIds(each)]));
}

const BACKENDS = ["failover", "idle", "leaf", "other", "response", "spare", "tunnels", "weighted"];

describe("a filter", () => {
  it.each<[string, Fields | null, string[]]>([
    // Whatever the resource.
    ["ipPolicies", null, ["general policy", "policy of TLS", "unused policy", "used policy"]],
    ["ipPolicies", {}, ["general policy", "policy of TLS", "unused policy", "used policy"]],
    [
      "ipPolicies",
      {
        ...{ ids: null, search: null, createdAfter: null, createdBefore: null },
        ...{ updatedAfter: null, updatedBefore: null, unused: null },
      },
      ["general policy", "policy of TLS", "unused policy", "used policy"],
    ],
    ["ipPolicies", { ids: ["@used policy", "@unused policy"] }, ["unused policy", "used policy"]],
    // What is empty demands nothing.
    [
      "ipPolicies",
      { ids: [] },
      ["general policy", "policy of TLS", "unused policy", "used policy"],
    ],
    [
      "ipPolicies",
      { search: "" },
      ["general policy", "policy of TLS", "unused policy", "used policy"],
    ],
    [
      "ipPolicies",
      { search: " \t\n " },
      ["general policy", "policy of TLS", "unused policy", "used policy"],
    ],
    [
      "ipPolicies",
      { createdAfter: "", createdBefore: "", updatedAfter: "" },
      ["general policy", "policy of TLS", "unused policy", "used policy"],
    ],
    ["ipPolicies", { ids: [], search: " ", unused: true }, ["unused policy"]],
    ["httpsEdges", { module: {}, hostport: "", backendId: "" }, ["empty", "shop", "site"]],
    ["httpsEdges", { module: { kind: null, enabled: null } }, ["empty", "shop", "site"]],
    ["tlsEdges", { module: {}, search: "CHAT" }, ["chat"]],
    ["httpsEdgeRoutes", { module: {}, match: "", matchPrefix: "", edgeId: "@shop" }, ["shop /api"]],
    ["backends", { kind: "FAILOVER", ids: [], search: "" }, ["failover", "idle"]],
    ["reservedAddrs", { addr: "", region: "US" }, ["alone in us"]],
    ["sshUserCertificates", { principal: "", validAt: "", keyType: "RSA" }, []],
    ["ipPolicies", { ids: ["ipp_nobody"] }, []],
    [
      "ipPolicies",
      { createdAfter: inDays(-1) },
      ["general policy", "policy of TLS", "unused policy", "used policy"],
    ],
    ["ipPolicies", { createdAfter: inDays(1) }, []],
    ["ipPolicies", { createdBefore: inDays(-1) }, []],
    [
      "ipPolicies",
      { createdBefore: "9999-01-01T00:00:00Z" },
      ["general policy", "policy of TLS", "unused policy", "used policy"],
    ],
    [
      "ipPolicies",
      { createdAfter: "0001-01-01T00:00:00Z", createdBefore: inDays(1), search: "office" },
      ["used policy"],
    ],
    // Text.
    ["ipPolicies", { search: "  OFFICE " }, ["used policy"]],
    ["ipPolicies", { search: "ffic" }, ["used policy"]],
    ["ipPolicies", { search: "ÄRGER" }, ["unused policy"]],
    ["ipPolicies", { search: "o" }, ["used policy"]],
    ["ipPolicies", { search: "be" }, ["used policy"]],
    ["ipPolicies", { search: "er" }, ["unused policy", "used policy"]],
    ["ipPolicies", { search: "ce" }, ["used policy"]],
    ["ipPolicies", { search: "f" }, []],
    ["ipPolicies", { search: "ÄR" }, ["unused policy"]],
    ["staticBackends", { search: "0% l" }, ["spare"]],
    ["staticBackends", { search: "%" }, []],
    ["staticBackends", { search: "0_" }, []],
    ["staticBackends", { search: "0%" }, ["spare"]],
    ["staticBackends", { search: "r.i" }, ["other"]],
    ["staticBackends", { search: ":8" }, ["leaf", "other", "spare"]],
    ["staticBackends", { search: "x_y" }, ["leaf"]],
    ["staticBackends", { search: "xyy" }, []],
    ["staticBackends", { search: "\\" }, []],
    ["backends", { search: "INTERNAL:80" }, ["leaf", "other"]],
    ["httpsEdges", { search: "www.example" }, ["shop", "site"]],
    ["httpsEdges", { search: "the site" }, ["site"]],
    ["httpsEdges", { search: "ex" }, ["shop", "site"]],
    ["httpsEdges", { search: "e" }, ["site"]],
    ["httpsEdges", { search: "w." }, ["shop", "site"]],
    ["tlsEdges", { search: "MAIL.example.com" }, ["chat", "mail"]],
    ["tlsCertificates", { search: "OP.EX" }, ["for the shop"]],
    ["tlsCertificates", { search: "www.example.com" }, ["for all", "for the past", "for the shop"]],
    ["reservedAddrs", { search: "tcp.eu." }, ["alone in eu", "attached in eu"]],
    // HTTPS edges.
    ["httpsEdges", { hostport: "EXAMPLE.com:443" }, ["site"]],
    ["httpsEdges", { hostport: "example.com:443" }, ["site"]],
    ["httpsEdges", { hostport: "WWW.Example.com:443" }, ["site"]],
    ["httpsEdges", { hostport: "example.com:444" }, []],
    ["httpsEdges", { module: { kind: "MUTUAL_TLS" } }, ["site"]],
    ["httpsEdges", { module: { kind: "MUTUAL_TLS", enabled: false } }, []],
    ["httpsEdges", { module: { kind: "TLS_TERMINATION", enabled: null } }, ["shop"]],
    ["httpsEdges", { module: { kind: "TLS_TERMINATION", enabled: true } }, []],
    ["httpsEdges", { module: { kind: "COMPRESSION", enabled: true } }, ["site"]],
    ["httpsEdges", { module: { kind: "COMPRESSION", enabled: false } }, ["site"]],
    ["httpsEdges", { module: { kind: "BACKEND" } }, ["shop", "site"]],
    ["httpsEdges", { module: { kind: "BACKEND", enabled: false } }, ["site"]],
    ["httpsEdges", { module: { kind: "OIDC" } }, ["shop"]],
    ["httpsEdges", { backendId: "@leaf" }, ["shop", "site"]],
    ["httpsEdges", { backendId: "@other" }, ["site"]],
    ["httpsEdges", { backendId: "@spare" }, []],
    ["httpsEdges", { backendId: "bkdsc_nobody" }, []],
    ["httpsEdges", { backendId: "@leaf", search: "shop", module: { kind: "OIDC" } }, ["shop"]],
    ["httpsEdges", { backendId: "@leaf", search: "shop", module: { kind: "OAUTH" } }, []],
    // Routes.
    ["httpsEdgeRoutes", { edgeId: "@site" }, ["site /", "site /API%", "site /api"]],
    ["httpsEdgeRoutes", { edgeId: "@empty" }, []],
    ["httpsEdgeRoutes", { matchType: "EXACT_PATH" }, ["shop /api", "site /API%"]],
    ["httpsEdgeRoutes", { match: "/api" }, ["shop /api", "site /api"]],
    ["httpsEdgeRoutes", { match: "/api", matchType: "PATH_PREFIX" }, ["site /api"]],
    ["httpsEdgeRoutes", { matchPrefix: "/a" }, ["shop /api", "site /api"]],
    ["httpsEdgeRoutes", { matchPrefix: "/API%" }, ["site /API%"]],
    ["httpsEdgeRoutes", { matchPrefix: "%" }, []],
    ["httpsEdgeRoutes", { module: { kind: "COMPRESSION" } }, ["site /", "site /api"]],
    ["httpsEdgeRoutes", { module: { kind: "COMPRESSION", enabled: true } }, ["site /"]],
    ["httpsEdgeRoutes", { module: { kind: "IP_RESTRICTION", enabled: true } }, ["site /api"]],
    ["httpsEdgeRoutes", { module: { kind: "BACKEND", enabled: false } }, ["site /api"]],
    ["httpsEdgeRoutes", { module: { kind: "SAML" } }, []],
    ["httpsEdgeRoutes", { backendId: "@leaf" }, ["shop /api", "site /", "site /api"]],
    ["httpsEdgeRoutes", { backendId: "@weighted" }, ["shop /api", "site /"]],
    ["httpsEdgeRoutes", { backendId: "@failover" }, ["site /"]],
    ["httpsEdgeRoutes", { backendId: "@response" }, []],
    ["httpsEdgeRoutes", { backendId: "@leaf", edgeId: "@site", match: "/" }, ["site /"]],
    // TLS edges.
    ["tlsEdges", { hostport: "mail.example.com:993" }, ["mail"]],
    ["tlsEdges", { hostport: "MAIL.example.com:993" }, ["mail"]],
    ["tlsEdges", { hostport: "[2001:DB8::0:1]:993" }, ["mail"]],
    ["tlsEdges", { module: { kind: "MUTUAL_TLS", enabled: false } }, ["mail"]],
    ["tlsEdges", { module: { kind: "MUTUAL_TLS", enabled: true } }, []],
    ["tlsEdges", { module: { kind: "TLS_TERMINATION" } }, ["chat"]],
    ["tlsEdges", { module: { kind: "IP_RESTRICTION" } }, ["mail"]],
    ["tlsEdges", { module: { kind: "TRAFFIC_POLICY" } }, []],
    ["tlsEdges", { backendId: "@leaf" }, ["mail"]],
    ["tlsEdges", { backendId: "@other" }, ["chat"]],
    // TCP edges.
    ["tcpEdges", { hostport: "DB.example.com:5432" }, ["database"]],
    ["tcpEdges", { hostport: "[2001:DB8:0::2]:5432" }, ["database"]],
    ["tcpEdges", { hostport: "mail.example.com:993" }, []],
    ["tcpEdges", { search: "db.example" }, ["cache", "database"]],
    ["tcpEdges", { module: { kind: "BACKEND", enabled: false } }, ["cache"]],
    ["tcpEdges", { module: { kind: "TRAFFIC_POLICY", enabled: false } }, ["database"]],
    ["tcpEdges", { module: { kind: "IP_RESTRICTION" } }, []],
    ["tcpEdges", { backendId: "@leaf" }, ["database"]],
    ["tcpEdges", { backendId: "@other" }, ["cache", "database"]],
    // Backends.
    ["backends", {}, BACKENDS],
    ["backends", { kind: "STATIC" }, ["leaf", "other", "spare"]],
    ["backends", { kind: "FAILOVER", unused: true }, ["idle"]],
    ["backends", { kind: null, unused: true }, ["idle", "spare", "tunnels"]],
    ["backends", { unused: false }, ["failover", "leaf", "other", "response", "weighted"]],
    ["backends", { ids: ["@leaf", "@idle"] }, ["idle", "leaf"]],
    ["staticBackends", {}, ["leaf", "other", "spare"]],
    ["staticBackends", { unused: true }, ["spare"]],
    ["staticBackends", { address: "leaf.INTERNAL:80" }, ["leaf"]],
    ["staticBackends", { address: "leaf.internal:81" }, []],
    ["staticBackends", { address: "leaf.internal:80", search: "other" }, []],
    ["failoverBackends", { unused: true }, ["idle"]],
    ["weightedBackends", { unused: true }, []],
    ["weightedBackends", { unused: false }, ["weighted"]],
    ["httpResponseBackends", { unused: false }, ["response"]],
    ["tunnelGroupBackends", { unused: true }, ["tunnels"]],
    // IP policies, certificate authorities, addresses.
    ["ipPolicies", { unused: true }, ["unused policy"]],
    ["ipPolicies", { unused: false }, ["general policy", "policy of TLS", "used policy"]],
    ["ipRestrictions", { type: "AGENT" }, ["of agents"]],
    ["ipRestrictions", { type: "DASHBOARD" }, []],
    ["ipRestrictions", { enforced: true }, ["of the API"]],
    ["ipRestrictions", { enforced: false }, ["of agents"]],
    ["ipRestrictions", { ipPolicyId: "@used policy" }, ["of agents", "of the API"]],
    ["ipRestrictions", { ipPolicyId: "@general policy" }, ["of agents"]],
    ["ipRestrictions", { ipPolicyId: "@unused policy" }, []],
    ["ipRestrictions", { ipPolicyId: "@used policy", enforced: true }, ["of the API"]],
    ["ipPolicyRules", { ipPolicyId: "@used policy" }, ["allows all", "allows ten"]],
    ["ipPolicyRules", { action: "DENY" }, ["denies ten"]],
    ["ipPolicyRules", { cidr: "10.0.0.0/8" }, ["allows ten", "denies ten"]],
    ["ipPolicyRules", { cidr: "10.0.0.0/8", action: "ALLOW" }, ["allows ten"]],
    ["certificateAuthorities", { expiringBefore: inDays(30) }, ["expires soon"]],
    ["certificateAuthorities", { expiringBefore: inDays(300) }, ["expires late", "expires soon"]],
    ["certificateAuthorities", { expiringBefore: inDays(-0.5) }, []],
    ["certificateAuthorities", { unused: true }, ["has expired"]],
    ["certificateAuthorities", { unused: false }, ["expires late", "expires soon"]],
    ["tlsCertificates", { expiringBefore: inDays(30) }, ["for the shop"]],
    ["tlsCertificates", { expiringBefore: inDays(300) }, ["for all", "for the shop"]],
    ["tlsCertificates", { expiringBefore: inDays(-0.5) }, []],
    ["tlsCertificates", { dnsName: "shop.EXAMPLE.com" }, ["for all", "for the shop"]],
    ["tlsCertificates", { dnsName: "mail.example.com" }, ["for all"]],
    ["tlsCertificates", { dnsName: "*.example.com" }, ["for all"]],
    ["tlsCertificates", { dnsName: "a.shop.example.com" }, []],
    ["tlsCertificates", { dnsName: "example.com" }, []],
    ["tlsCertificates", { dnsName: "com" }, []],
    ["tlsCertificates", { unused: true }, ["for all", "for the past"]],
    ["tlsCertificates", { unused: false }, ["for the shop"]],
    ["endpointConfigurations", { unused: true }, ["free tcp"]],
    ["endpointConfigurations", { unused: false }, ["http", "https", "tcp"]],
    ["reservedDomains", { domain: "SHOP.example.com" }, ["shop domain"]],
    ["reservedDomains", { domain: "*.EXAMPLE.com" }, ["any domain"]],
    ["reservedDomains", { domain: "example.com" }, []],
    ["reservedDomains", { region: "EU" }, ["shop domain"]],
    ["reservedDomains", { region: "US" }, []],
    ["reservedDomains", { certificateId: "@for the shop" }, ["shop domain"]],
    ["reservedDomains", { certificateId: "@for all" }, []],
    ["reservedDomains", { endpointConfigurationId: "@http" }, ["shop domain"]],
    ["reservedDomains", { endpointConfigurationId: "@https" }, ["any domain"]],
    ["reservedDomains", { endpointConfigurationId: "@tcp" }, []],
    ["reservedDomains", { search: "op.example" }, ["shop domain"]],
    ["reservedAddrs", { region: "EU" }, ["alone in eu", "attached in eu"]],
    ["reservedAddrs", { attached: true }, ["attached in eu"]],
    ["reservedAddrs", { attached: false }, ["alone in eu", "alone in us"]],
    ["reservedAddrs", { attached: false, region: "EU" }, ["alone in eu"]],
    ["reservedAddrs", { endpointConfigurationId: "@tcp" }, ["attached in eu"]],
    ["agentIngresses", { domain: "agents.EXAMPLE.com" }, ["ingress"]],
    ["agentIngresses", { domain: "example.com" }, []],
    ["agentIngresses", { search: "agents.example" }, ["ingress", "other ingress"]],
    // SSH.
    [
      "sshUserCertificates",
      { sshCertificateAuthorityId: "@first authority" },
      ["next week", "now"],
    ],
    ["sshUserCertificates", { principal: "root" }, ["now"]],
    ["sshUserCertificates", { principal: "roo" }, []],
    ["sshUserCertificates", { keyType: "ED25519" }, ["all year", "next week", "now"]],
    ["sshUserCertificates", { keyType: "RSA" }, []],
    ["sshUserCertificates", { validAt: inDays(0.5) }, ["all year", "now"]],
    ["sshUserCertificates", { validAt: inDays(8) }, ["all year", "next week"]],
    ["sshUserCertificates", { validAt: inDays(-5) }, ["now"]],
    ["sshUserCertificates", { expiringBefore: inDays(20) }, ["next week", "now"]],
    ["sshUserCertificates", { expiringBefore: inDays(-1) }, []],
    ["sshUserCertificates", { validAt: inDays(0), expiringBefore: inDays(20) }, ["now"]],
    ["sshCredentials", { ownerId: "ada" }, ["ada's key"]],
    ["sshCredentials", { ownerId: "ad" }, []],
    ["sshCredentials", { ownerId: "" }, ["ada's key", "free key"]],
    ["sshCredentials", { keyType: "ED25519" }, ["ada's key"]],
    ["sshCredentials", { keyType: "ED25519_SK" }, ["free key"]],
    ["sshCredentials", { aclRule: "bind:*.example.com" }, ["ada's key", "free key"]],
    ["sshCredentials", { aclRule: "bind:a.example.com" }, ["ada's key"]],
    ["sshCredentials", { aclRule: "bind:b.example.com" }, []],
    ["sshHostCertificates", { sshCertificateAuthorityId: "@second authority" }, ["host later"]],
    ["sshHostCertificates", { principal: "root" }, ["host now"]],
    ["sshHostCertificates", { principal: "*.example.com" }, ["host later"]],
    ["sshHostCertificates", { principal: "b.example.com" }, []],
    ["sshHostCertificates", { keyType: "ED25519" }, ["host later", "host now"]],
    ["sshHostCertificates", { validAt: inDays(40) }, ["host later"]],
    ["sshHostCertificates", { expiringBefore: inDays(2) }, ["host now"]],
    ["sshCertificateAuthorities", { ids: ["@first authority"] }, ["first authority"]],
    ["apiKeys", { scope: "READ", search: "reader" }, ["reader"]],
    ["apiKeys", { scope: "WRITE", search: "reader" }, []],
  ])("of %s %j finds %j", async (list, filter, names) => {
    expect(await found(list, withIds(filter) as Fields | null)).toEqual(names);
  });

  it.each([
    ["createdAt", "createdAfter", "createdBefore"],
    ["updatedAt", "updatedAfter", "updatedBefore"],
  ])("by %s takes its second as after, and not as before", async (time, after, before) => {
    const one = ids["used policy"];
    const { at } = (await graphql(server, `{ ipPolicy(id: "${one}") { at: ${time} } }`)).ipPolicy;
    const next = new Date(Date.parse(at) + 1000).toISOString();
    const isFound = async (filter: Fields) =>
      (await found("ipPolicies", { ids: [one], ...filter })).length === 1;
    expect(await isFound({ [after]: at })).toBe(true);
    expect(await isFound({ [before]: at })).toBe(false);
    expect(await isFound({ [after]: next })).toBe(false);
    expect(await isFound({ [before]: next })).toBe(true);
  });

  it("by the time of the last change tells what was changed from what was made", async () => {
    const where = { id: ids["used policy"] ?? "" };
    const { db } = server.context;
    const { updatedAt } = await db.ipPolicy.findUniqueOrThrow({ where });
    await db.ipPolicy.update({ where, data: { updatedAt: new Date("2040-05-06T07:08:09.999Z") } });
    const after = await found("ipPolicies", { updatedAfter: "2040-05-06T07:08:09Z" });
    const later = await found("ipPolicies", { updatedAfter: "2040-05-06T07:08:10Z" });
    const before = await found("ipPolicies", { updatedBefore: "2040-05-06T07:08:09.999Z" });
    await db.ipPolicy.update({ where, data: { updatedAt } });
    expect([after, later, before]).toEqual([
      ["used policy"],
      [],
      ["general policy", "policy of TLS", "unused policy"],
    ]);
  });

  it("of a reserved address finds it, whatever its case", async () => {
    const query = `{ reservedAddr(id: "${ids["alone in us"]}") { addr } }`;
    const { addr } = (await graphql(server, query)).reservedAddr;
    expect(await found("reservedAddrs", { addr: addr.toUpperCase() })).toEqual(["alone in us"]);
    expect(await found("reservedAddrs", { addr, region: "EU" })).toEqual([]);
    expect(await found("reservedAddrs", { addr: `x${addr}` })).toEqual([]);
  });

  it("that is empty costs the statement of no filter, with its kept count", async () => {
    const list = (filter: string) =>
      `{ httpsEdgeRoutes(first: 2${filter}) { totalCount nodes { id } } }`;
    const sent = (filter: string) =>
      server.statements(() => graphql(server, list(filter), {}, server.readKey));
    const empty = `, filter: { ids: [], search: "  ", module: {}, match: "", edgeId: null }`;
    expect(await sent(empty)).toEqual(await sent(""));
  });

  it("by expiry leaves out a certificate that has expired", async () => {
    const data = { validUntil: new Date(Date.now() - DAY) };
    const where = { id: ids.now ?? "" };
    const before = await server.context.db.sshUserCertificate.findUniqueOrThrow({ where });
    await server.context.db.sshUserCertificate.update({ where, data });
    const expiring = await found("sshUserCertificates", { expiringBefore: inDays(20) });
    await server.context.db.sshUserCertificate.update({
      where,
      data: { validUntil: before.validUntil },
    });
    expect(expiring).toEqual(["next week"]);
  });

  it("holds in nested lists, each with its own count", async () => {
    const data = await graphql(
      server,
      `{ httpsEdges(orderBy: { direction: ASC }) { nodes {
           routes(filter: { match: "/api" }) { totalCount nodes { id } } } }
         staticBackends(filter: { search: "leaf" }) { nodes {
           httpsEdgeRoutes(filter: { matchPrefix: "/a" }) { nodes { id } }
           tlsEdges(filter: { search: "mail" }) { totalCount } } }
         ipPolicy(id: "${ids["used policy"]}") {
           rules(orderBy: { direction: ASC }, first: 1) { totalCount nodes { id } } }
         sshCertificateAuthority(id: "${ids["first authority"]}") {
           userCertificates(filter: { principal: "ada" }) { totalCount nodes { id } }
           hostCertificates(filter: { principal: "root" }) { totalCount nodes { id } } }
         endpointConfiguration(id: "${ids.tcp}") {
           reservedAddrs(filter: { region: US }) { totalCount nodes { id } } } }`,
    );
    expect(data).toEqual({
      httpsEdges: {
        nodes: [
          { routes: { totalCount: 1, nodes: [{ id: ids["site /api"] }] } },
          { routes: { totalCount: 1, nodes: [{ id: ids["shop /api"] }] } },
          { routes: { totalCount: 0, nodes: [] } },
        ],
      },
      staticBackends: {
        nodes: [
          { httpsEdgeRoutes: { nodes: [{ id: ids["site /api"] }] }, tlsEdges: { totalCount: 0 } },
        ],
      },
      ipPolicy: { rules: { totalCount: 2, nodes: [{ id: ids["allows ten"] }] } },
      sshCertificateAuthority: {
        userCertificates: { totalCount: 1, nodes: [{ id: ids.now }] },
        hostCertificates: { totalCount: 1, nodes: [{ id: ids["host now"] }] },
      },
      endpointConfiguration: { reservedAddrs: { totalCount: 0, nodes: [] } },
    });
  });
});

describe("a filter with wrong values", () => {
  it.each<[string, string, Fields]>([
    [
      "httpsEdges",
      `filter: { createdAfter: "yesterday", createdBefore: "2030-01-01", search: "a\\tb", hostport: "a", backendId: "ipp_1", ids: ["bkdsc_1"] }, first: 0`,
      {
        "filter.createdAfter": "must be a timestamp in RFC 3339, such as 2030-01-31T09:30:00Z",
        "filter.createdBefore": "must be a timestamp in RFC 3339, such as 2030-01-31T09:30:00Z",
        "filter.search": "must not contain control characters",
        "filter.hostport": "must be a host, a colon and a port, such as example.com:443",
        "filter.backendId": expect.stringContaining(
          "must be an id of the kind HTTP response backend",
        ),
        "filter.ids.0":
          "is the id of a static backend, and must be an id of the kind HTTPS edge (edghts_…)",
        first: "must be a whole number from 1 to 100",
      },
    ],
    [
      "httpsEdgeRoutes",
      `filter: { match: "${"x".repeat(1025)}", matchPrefix: "\\u0000", edgeId: "x", search: "a\\nb", module: { enabled: true } }`,
      {
        "filter.match": "must have at most 1024 bytes of UTF-8, and has 1025",
        "filter.matchPrefix": "must not contain NUL characters",
        "filter.edgeId": "must be an id of the kind HTTPS edge (edghts_…)",
        "filter.search": "must not contain control characters",
        "filter.module.kind": "is required where `enabled` is given",
      },
    ],
    [
      "ipPolicyRules",
      `filter: { cidr: "10.0.0.1/8", ipPolicyId: "x" }`,
      {
        "filter.cidr": "must begin with the lowest address of its network: 10.0.0.0/8",
        "filter.ipPolicyId": "must be an id of the kind IP policy (ipp_…)",
      },
    ],
    [
      "sshUserCertificates",
      `filter: { principal: "${"x".repeat(300)}", validAt: " ", expiringBefore: "x" }`,
      {
        "filter.principal": expect.stringContaining("bytes of UTF-8, and has 300"),
        "filter.validAt": expect.stringContaining("RFC 3339"),
        "filter.expiringBefore": expect.stringContaining("RFC 3339"),
      },
    ],
    [
      "sshUserCertificates",
      `filter: { validAt: "0000-01-01T00:00:00Z", expiringBefore: "9999-12-31T23:59:59-12:00" }`,
      {
        "filter.validAt": "must lie in the years 1 to 9999",
        "filter.expiringBefore": "must lie in the years 1 to 9999",
      },
    ],
    [
      "sshCredentials",
      `filter: { aclRule: "bind:${"x".repeat(600)}", ownerId: "${"x".repeat(256)}" }`,
      {
        "filter.aclRule": expect.stringContaining("at most 512 bytes of UTF-8, and has 605"),
        "filter.ownerId": expect.stringContaining("at most 255 bytes of UTF-8, and has 256"),
      },
    ],
    [
      "apiKeys",
      `filter: { search: "${"x".repeat(101)}", ids: ${JSON.stringify(Array(101).fill("ak_1"))} }`,
      {
        "filter.search": "must have at most 100 characters, and has 101",
        "filter.ids": "must have at most 100 items, and has 101",
      },
    ],
  ])("of %s is refused, every problem at once", async (list, args, issues) => {
    await expect(graphql(server, `{ ${list}(${args}) { nodes { id } } }`)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues,
    });
  });

  it("takes 100 characters of any alphabet", async () => {
    expect(await found("ipPolicies", { search: "😀".repeat(100) })).toEqual([]);
  });
});
