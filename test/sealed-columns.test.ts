import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverPair } from "./harness/certificates.js";
import { everyRouteModule } from "./harness/modules.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, graphqlInput, rest } from "./harness/transports.js";

// What is sealed leaves the database only when a secret is asked for by who may see it.

const HOST = "sealed.example.com";

let server: TestServer;
let route: string;
beforeAll(async () => {
  server = await startServer();
  const input = (name: string, fields: Fields) => graphqlInput(name, fields);
  const create = async (type: string, fields: Fields): Promise<string> => {
    const query = `mutation($input: Create${type}Input!) { create${type}(input: $input) { changes { resourceId } } }`;
    const data = await graphql(server, query, { input: input(`Create${type}Input`, fields) });
    return data[`create${type}`].changes.at(-1).resourceId;
  };
  const backendId = await create("StaticBackend", { address: "a.internal:1" });
  const policyId = await create("IpPolicy", {});
  const edgeId = await create("HttpsEdge", { hostports: [`${HOST}:443`] });
  const modules = everyRouteModule(backendId, policyId);
  const matched = { edgeId, matchType: "path_prefix", match: "/" };
  route = await create("HttpsEdgeRoute", { ...matched, ...modules });
  const sshCertificateAuthorityId = await create("SshCertificateAuthority", {
    privateKeyType: "ed25519",
  });
  const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
  await create("SshUserCertificate", { sshCertificateAuthorityId, publicKey: key });
  await create("SshHostCertificate", { sshCertificateAuthorityId, publicKey: key });
  const { certificatePem, privateKeyPem } = await serverPair();
  await create("TlsCertificate", { certificatePem, privateKeyPem });
});
afterAll(() => server.stop());

/** The sealed texts that come from the database: each begins with the name of the key that sealed it. */
async function sealedTexts(action: () => Promise<unknown>): Promise<string[]> {
  const [key = ""] = server.context.keyring.fingerprints;
  const values = await server.received(action);
  return values.flatMap((value) => value.match(new RegExp(`${key}\\.[A-Za-z0-9+/=]+`, "g")) ?? []);
}

const MODULES = `webhookVerification { provider enabled } oauth { cookiePrefix provider { github { clientId } amazon { scopes } } }
  oidc { issuer clientId scopes ... on Session { maximumDuration } } saml { idpMetadata requestSigningCertificatePem entityId }`;
const SECRETS = `webhookVerification { secret } oauth { provider { github { ...Client } } } oidc { clientSecret }`;
const FRAGMENT = "fragment Client on OauthClient { clientSecret }";

const whereRoutesAre = (selection: string, fragment = ""): [string, string][] => [
  ["one route", `query($id: ID!) { httpsEdgeRoute(id: $id) { ${selection} } } ${fragment}`],
  [
    "a node",
    `query($id: ID!) { node(id: $id) { ... on HttpsEdgeRoute { ${selection} } } } ${fragment}`,
  ],
  [
    "nodes",
    `query($id: ID!) { nodes(ids: [$id]) { ... on HttpsEdgeRoute { ${selection} } } } ${fragment}`,
  ],
  ["a list", `{ httpsEdgeRoutes { nodes { ${selection} } } } ${fragment}`],
  [
    "a nested list",
    `{ httpsEdges { edges { node { routes { nodes { ${selection} } } } } } } ${fragment}`,
  ],
  [
    "users",
    `{ ipPolicies { nodes { usedBy { nodes { user { ... on HttpsEdgeRoute { ${selection} } } } } } } } ${fragment}`,
  ],
];

/** Three times, of which the last is compiled. */
async function ask(query: string, key: string): Promise<Fields> {
  const declared = query.startsWith("query(") ? { id: route } : {};
  await graphql(server, query, declared, key);
  await graphql(server, query, declared, key);
  return graphql(server, query, declared, key);
}

describe("no sealed text comes from the database", () => {
  it.each(whereRoutesAre(MODULES))("for all but the secrets of modules: %s", async (_, query) => {
    expect(await sealedTexts(() => ask(query, server.writeKey))).toEqual([]);
    const statements = await server.statements(() => ask(query, server.writeKey));
    const reading = statements.filter((text) => text.includes('"oauth"'));
    expect(reading.length).toBeGreaterThan(0);
    for (const text of reading) expect(text).toContain(`'{provider,github,clientSecret}', '""'`);
  });

  it.each(whereRoutesAre(SECRETS, FRAGMENT))(
    "for a key that may only read: %s",
    async (_, query) => {
      expect(await sealedTexts(() => ask(query, server.readKey))).toEqual([]);
    },
  );

  it("for a resolved route of which no secret is asked", async () => {
    const query = `{ resolveRoute(url: "https://${HOST}/") { outcome route { id ${MODULES} }
      modules { kind module { enabled } } } }`;
    for (const key of [server.writeKey, server.readKey]) {
      expect(await sealedTexts(() => ask(query, key))).toEqual([]);
    }
  });

  it("for authorities and certificates of SSH, and certificates of TLS", async () => {
    const query = `{ sshCertificateAuthorities { nodes { publicKey keyType revocationList
      userCertificates { nodes { certificate sshCertificateAuthority { publicKey } } }
      hostCertificates { nodes { certificate sshCertificateAuthority { publicKey } } } } }
      tlsCertificates { nodes { certificatePem privateKeyType } } }`;
    expect(await sealedTexts(() => ask(query, server.writeKey))).toEqual([]);
    const kinds = ["certificate_authorities", "host_certificates", "user_certificates"];
    const paths = [...kinds.map((kind) => `/ssh_${kind}`), "/tls_certificates"];
    const overRest = () => Promise.all(paths.map((path) => rest(server, "GET", path)));
    expect(await sealedTexts(overRest)).toEqual([]);
    expect((await server.statements(overRest)).join()).not.toContain("sealed_private_key");
  });

  it("over REST for a key that may only read", async () => {
    const headers = { Authorization: `Bearer ${server.readKey}` };
    const { edge } = (await graphql(server, `{ httpsEdgeRoute(id: "${route}") { edge { id } } }`))
      .httpsEdgeRoute;
    const paths = ["/edges/https", `/edges/https/${edge.id}/routes/${route}`];
    for (const path of paths) {
      expect(await sealedTexts(() => rest(server, "GET", path, undefined, headers))).toEqual([]);
    }
  });
});

describe("a secret that is asked for", () => {
  it.each(whereRoutesAre(SECRETS, FRAGMENT))(
    "is shown to a key that may write: %s",
    async (_, query) => {
      const shown = JSON.stringify(await ask(query, server.writeKey));
      expect(shown).toContain('"webhookVerification":{"secret":"whsec_1"}');
      expect(shown).toContain('"github":{"clientSecret":"secret"}');
      expect(shown).toContain('"oidc":{"clientSecret":"secret"}');
      const redacted = JSON.stringify(await ask(query, server.readKey));
      expect(redacted).toBe(shown.replaceAll('"whsec_1"', '""').replaceAll('"secret"}', '""}'));
    },
  );

  it("brings no other with it", async () => {
    const query = `{ httpsEdgeRoutes { nodes { ${MODULES} oidc { clientSecret } } } }`;
    const texts = await sealedTexts(() => graphql(server, query));
    expect(texts).toHaveLength(1);
  });

  it("depends on the variables of its conditions, and on nothing that was asked before", async () => {
    const query = `query($all: Boolean!) { httpsEdgeRoutes { nodes { webhookVerification {
      provider ... @include(if: $all) { secret } } } } }`;
    const texts = (all: boolean) => sealedTexts(() => graphql(server, query, { all }));
    const counts = [];
    for (const all of [true, false, true, false, false]) counts.push((await texts(all)).length);
    expect(counts).toEqual([1, 0, 1, 0, 0]);
  });
});
