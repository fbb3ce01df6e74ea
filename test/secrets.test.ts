import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Keyring } from "../src/domain/core/keyring.js";
import { updateHttpsEdgeRoute } from "../src/domain/https-edge-routes.js";
import { privateKeyOfSshCertificateAuthority } from "../src/domain/ssh-certificate-authorities.js";
import { schema } from "../src/schema/index.js";
import { serverPair } from "./harness/certificates.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// Where secrets are, and where they are not.

/** Given by a caller; each is found again by its text. */
const GIVEN = {
  oauth: "oauth-secret-ZGVhZGJlZWY",
  oidc: "oidc-secret-Y2FmZWJhYmU",
  webhook: "webhook-secret-Zm9vYmFy",
};

const METADATA =
  '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example">' +
  '<IDPSSODescriptor><SingleSignOnService Binding="urn:x" Location="https://idp.example/sso"/>' +
  "</IDPSSODescriptor></EntityDescriptor>";

const MODULES = {
  oauth: {
    provider: { google: { client_id: "client", client_secret: GIVEN.oauth } },
  },
  oidc: {
    enabled: false,
    issuer: "https://id.example",
    client_id: "client",
    client_secret: GIVEN.oidc,
  },
  saml: { enabled: false, idp_metadata: METADATA },
  webhook_verification: { provider: "github", secret: GIVEN.webhook },
};

const log: string[] = [];
let server: TestServer;
let edgeId: string;
let routeId: string;
let authorityId: string;
let certificateId: string;
/** A certificate and its key, as a caller gives them. */
let pair: Awaited<ReturnType<typeof serverPair>>;
/** Made by the service: the token of an API key, and private keys as they are when opened. */
let token: string;
let sshKey: string;
let samlKey: string;
/** What must be found nowhere. */
let secrets: Record<string, string>;

beforeAll(async () => {
  server = await startServer({ log: { write: (line) => void log.push(line) } });
  const create = async (path: string, body: Fields) => {
    const answer = await rest(server, "POST", path, body);
    expect(answer.status).toBe(201);
    return answer.body;
  };
  edgeId = (await create("/edges/https", {})).id;
  const route = { match_type: "path_prefix", match: "/", ...MODULES };
  routeId = (await create(`/edges/https/${edgeId}/routes`, route)).id;
  authorityId = (await create("/ssh_certificate_authorities", {})).id;
  pair = await serverPair({ algorithm: "rsa2048" });
  const { certificatePem: certificate_pem, privateKeyPem: private_key_pem } = pair;
  certificateId = (await create("/tls_certificates", { certificate_pem, private_key_pem })).id;
  token = (await create("/api_keys", { scope: "read" })).token;
  sshKey = await privateKeyOfSshCertificateAuthority(server.context, authorityId);
  samlKey = await samlSigningKey();
  secrets = {
    ...GIVEN,
    token,
    secretOfToken: token.slice(token.indexOf("_") + 1),
    writeKey: server.writeKey,
    readKey: server.readKey,
    ...linesOf("sshKey", sshKey),
    ...linesOf("samlKey", samlKey),
    ...linesOf("tlsKey", pair.privateKeyPem),
  };
});
afterAll(() => server.stop());

async function samlSigningKey(): Promise<string> {
  const { saml } = await server.context.db.httpsEdgeRoute.findUniqueOrThrow({
    where: { id: routeId },
  });
  const sealed = (saml as { requestSigningKey: string }).requestSigningKey;
  return server.context.keyring.open(sealed, `${routeId}.saml.requestSigningKey`);
}

/** Every line of a PEM but its ends: a private key is not to be found in part, either. */
function linesOf(name: string, pem: string): Record<string, string> {
  expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  const lines = pem.split("\n").filter((line) => line !== "" && !line.startsWith("-----"));
  expect(lines.length).toBeGreaterThan(0);
  // A few characters at the end could stand anywhere.
  return Object.fromEntries(
    lines.flatMap((line, index) => (line.length > 8 ? [[`${name} line ${index}`, line]] : [])),
  );
}

/** The names of the secrets that stand in `text`, also in hex, base64, or escaped as in JSON. */
function leaked(text: string): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const bytes = Buffer.from(secret);
    const forms = [secret, bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, "")];
    return forms.some((form) => text.includes(form)) ? [name] : [];
  });
}

it("looks for what there is", () => {
  expect(Object.keys(secrets).length).toBeGreaterThan(30);
  const found = leaked(`${Object.values(secrets).join("\n")}`);
  expect(found).toEqual(Object.keys(secrets));
  expect(leaked(Buffer.from(GIVEN.oauth).toString("hex"))).toEqual(["oauth"]);
});

it("is opened once by a change of its route, and sealed once by one of itself", async () => {
  const { context } = server;
  const calls: string[] = [];
  const keyring: Keyring = {
    ...context.keyring,
    seal(plaintext, purpose, keyId) {
      calls.push(`seal ${purpose.slice(purpose.indexOf(".") + 1)}`);
      return context.keyring.seal(plaintext, purpose, keyId);
    },
    open(sealed, purpose) {
      calls.push(`open ${purpose.slice(purpose.indexOf(".") + 1)}`);
      return context.keyring.open(sealed, purpose);
    },
  };
  const change = (input: Parameters<typeof updateHttpsEdgeRoute>[2]) =>
    updateHttpsEdgeRoute({ ...context, keyring }, routeId, input);
  const opened = [
    "open webhookVerification.secret",
    "open oauth.clientSecret",
    "open oidc.clientSecret",
  ];
  await change({ description: "Changed" });
  expect(calls).toEqual(opened);
  calls.length = 0;
  const webhookVerification = { enabled: true, provider: "github", secret: GIVEN.webhook };
  await change({ webhookVerification: { ...webhookVerification, enabled: false } });
  expect(calls).toEqual([...opened, "seal webhookVerification.secret"]);
  await change({ webhookVerification });
});

describe("the database", () => {
  it("has no secret in clear, in any column of any table", async () => {
    const { db } = server.context;
    const tables = await db.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`;
    const dumps = new Map<string, string[]>();
    for (const { name } of tables) {
      const rows = await db.$queryRawUnsafe<{ row: string }[]>(
        `SELECT t::text AS row FROM "${name}" AS t`,
      );
      dumps.set(
        name,
        rows.map(({ row }) => row),
      );
    }
    expect(dumps.get("api_keys")).toHaveLength(3);
    expect(dumps.get("https_edge_routes")?.join()).toContain(routeId);
    expect(dumps.get("ssh_certificate_authorities")?.join()).toContain(authorityId);
    expect(dumps.get("tls_certificates")?.join()).toContain(certificateId);
    for (const [name, dump] of dumps) expect([name, leaked(dump.join())]).toEqual([name, []]);
    expect([...dumps.values()].join()).not.toContain("PRIVATE KEY");
  });
});

/** The secrets that a route shows over REST. */
function shown({ oauth, oidc, webhook_verification }: Fields) {
  return {
    oauth: oauth.provider.google.client_secret,
    oidc: oidc.client_secret,
    webhook: webhook_verification.secret,
  };
}

const HIDDEN = { oauth: "", oidc: "", webhook: "" };

describe("REST", () => {
  const asReader = () => ({ Authorization: `Bearer ${server.readKey}` });

  it("shows what was given to a key that may write, and nothing to one that may only read", async () => {
    const path = `/edges/https/${edgeId}`;
    const route = `${path}/routes/${routeId}`;
    for (const headers of [{}, asReader()]) {
      const expected = "Authorization" in headers ? HIDDEN : GIVEN;
      const get = async (target: string) =>
        (await rest(server, "GET", target, undefined, headers)).body;
      expect(shown(await get(route))).toEqual(expected);
      expect(shown((await get(path)).routes[0])).toEqual(expected);
      expect(shown((await get(`${path}/routes`)).routes[0])).toEqual(expected);
      expect(shown((await get("/edges/https")).https_edges[0].routes[0])).toEqual(expected);
      const [oauth, oidc, webhook_verification] = await Promise.all([
        get(`${route}/oauth`),
        get(`${route}/oidc`),
        get(`${route}/webhook_verification`),
      ]);
      expect(shown({ oauth, oidc, webhook_verification })).toEqual(expected);
    }
  });

  it("never shows a private key, and a token once", async () => {
    const paths = [
      `/edges/https/${edgeId}`,
      `/edges/https/${edgeId}/routes/${routeId}/saml`,
      "/ssh_certificate_authorities",
      `/ssh_certificate_authorities/${authorityId}`,
      "/tls_certificates",
      `/tls_certificates/${certificateId}`,
      "/api_keys",
    ];
    for (const path of paths) {
      const { status, body } = await rest(server, "GET", path);
      expect(status).toBe(200);
      const names = leaked(JSON.stringify(body)).filter((name) => !(name in GIVEN));
      expect([path, names]).toEqual([path, []]);
      expect(JSON.stringify(body)).not.toContain("PRIVATE KEY");
    }
  });

  it("shows no private key in the answer that creates or changes its certificate, nor in a refusal", async () => {
    const { certificatePem, privateKeyPem } = pair;
    const body = { certificate_pem: certificatePem, private_key_pem: privateKeyPem };
    const { certificatePem: another } = await serverPair();
    const answers = [
      await rest(server, "POST", "/tls_certificates", body),
      await rest(server, "PATCH", `/tls_certificates/${certificateId}`, { description: "a" }),
      await rest(server, "PATCH", `/tls_certificates/${certificateId}`, body),
      await rest(server, "POST", "/tls_certificates", { ...body, certificate_pem: another }),
      await rest(server, "POST", "/tls_certificates", { ...body, certificate_pem: privateKeyPem }),
      await rest(server, "POST", "/tls_certificates", { ...body, [privateKeyPem]: "" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 400, 400, 400, 400]);
    const shown = answers.slice(0, 5).map(({ body }) => JSON.stringify(body));
    expect(leaked(shown.join())).toEqual([]);
    expect(leaked(log.join(""))).toEqual([]);
  });

  it("keeps what it does not show: an update that gives no module changes no secret", async () => {
    const path = `/edges/https/${edgeId}/routes/${routeId}`;
    const { body } = await rest(server, "PATCH", path, { description: "a" });
    expect(shown(body)).toEqual(GIVEN);
  });
});

describe("GraphQL", () => {
  const QUERY = `query($id: ID!) { httpsEdgeRoute(id: $id) {
    oauth { provider { google { clientSecret } } } oidc { clientSecret } webhookVerification { secret } } }`;

  it.each([
    ["shows what was given to a key that may write", () => server.writeKey, GIVEN],
    ["shows nothing to a key that may only read", () => server.readKey, HIDDEN],
  ])("%s", async (_, key, expected) => {
    const { httpsEdgeRoute } = await graphql(server, QUERY, { id: routeId }, key());
    const { oauth, oidc, webhookVerification } = httpsEdgeRoute;
    expect({
      oauth: oauth.provider.google.clientSecret,
      oidc: oidc.clientSecret,
      webhook: webhookVerification.secret,
    }).toEqual(expected);
  });
});

describe("GraphQL's authorities and API keys", () => {
  it("have no field for a private key, and a token once", async () => {
    const data = await graphql(
      server,
      "{ sshCertificateAuthorities { nodes { id publicKey } } apiKeys { nodes { id token } } }",
    );
    expect(data.apiKeys.nodes.map(({ token }: Fields) => token)).toEqual([null, null, null]);
    const fields = Object.keys(
      (schema.getType("SshCertificateAuthority") as Fields | undefined)?.getFields() ?? {},
    );
    expect(fields).toContain("publicKey");
    expect(
      Object.keys((schema.getType("TlsCertificate") as Fields | undefined)?.getFields() ?? {}),
    ).not.toContain("privateKeyPem");
    expect(fields.filter((name) => /private|secret|sealed/i.test(name))).toEqual([]);
  });
});

describe("the changes of a TLS certificate", () => {
  it("have nothing of its private key, neither of a real change nor of a dry run", async () => {
    const { certificatePem, privateKeyPem } = pair;
    const data = await graphql(
      server,
      `mutation($input: CreateTlsCertificateInput!) {
        real: createTlsCertificate(input: $input) { changes { differences { path after } } }
        dry: createTlsCertificate(input: $input, dryRun: true) { changes { differences { path after } } }
      }`,
      { input: { certificatePem, privateKeyPem } },
    );
    const paths = (changes: Fields[]) =>
      changes.flatMap(({ differences }) => differences.map(({ path }: Fields) => path.join(".")));
    expect(paths(data.real.changes)).toEqual(paths(data.dry.changes));
    expect(paths(data.real.changes).sort()).toEqual([
      "certificatePem",
      "extendedKeyUsages",
      "issuerCommonName",
      "keyUsages",
      "notAfter",
      "notBefore",
      "privateKeyType",
      "serialNumber",
      "subjectAlternativeNames.dnsNames",
      "subjectCommonName",
      "subjectOrganization",
    ]);
    expect(leaked(JSON.stringify(data))).toEqual([]);
  });
});

describe("caches", () => {
  it("keep no answer of either transport, nor an event", async () => {
    const answers = await Promise.all([
      rest(server, "POST", "/api_keys", {}),
      rest(server, "GET", `/edges/https/${edgeId}`),
      rest(server, "GET", "/nowhere"),
      ...["{ apiKeys { nodes { id } } }", "subscription { changes { id } }"].map((query) =>
        fetch(`${server.url}/graphql?query=${encodeURIComponent(query)}`, {
          headers: {
            Authorization: `Bearer ${server.writeKey}`,
            Accept: "application/json, text/event-stream",
          },
        }),
      ),
    ]);
    const [, , , , subscription] = answers;
    expect(subscription?.headers.get("content-type")).toBe("text/event-stream");
    expect(answers.map(({ headers }) => headers.get("cache-control"))).toEqual(
      answers.map(() => "no-store"),
    );
    if (subscription instanceof Response) await subscription.body?.cancel();
  });
});

describe("the log at level trace", () => {
  it("has a line for each request, with no secret in it", async () => {
    expect(log.length).toBeGreaterThan(10);
    expect(leaked(log.join(""))).toEqual([]);
  });

  it("says nothing of the credential that a stranger presents", async () => {
    const stranger = "stranger-key-0123456789";
    for (const scheme of ["Bearer", "Basic", "bearer  "]) {
      const headers = { Authorization: `${scheme} ${stranger}` };
      const { status, body } = await rest(server, "GET", "/api_keys", undefined, headers);
      expect(status).toBe(401);
      expect(JSON.stringify(body)).not.toContain(stranger);
    }
    await expect(graphql(server, "{ __typename }", {}, stranger)).rejects.not.toThrow(stranger);
    expect(log.at(-1)).toContain('"path":"/graphql"');
    expect(log.join("")).not.toContain(stranger);
  });

  it("says nothing of a secret in a request that is refused, nor does the answer", async () => {
    const { body } = await rest(server, "POST", `/edges/https/${edgeId}/routes`, {
      match: "",
      oauth: { provider: { facebook: { client_secret: GIVEN.oauth } }, secret: GIVEN.oidc },
      webhook_verification: { provider: GIVEN.webhook, secret: GIVEN.webhook },
    });
    expect(body.status_code).toBe(400);
    expect(leaked(JSON.stringify(body))).toEqual([]);
    expect(leaked(log.join(""))).toEqual([]);
  });

  it("says nothing of a secret when a request fails by a defect, nor does the answer", async () => {
    const { db } = server.context;
    await db.$executeRaw`ALTER TABLE "https_edge_routes" RENAME COLUMN "saml" TO "saml_gone"`;
    await db.$executeRaw`ALTER TABLE "api_keys" RENAME COLUMN "owner_id" TO "owner_gone"`;
    const from = log.length;
    const route = await rest(server, "PATCH", `/edges/https/${edgeId}/routes/${routeId}`, MODULES);
    const put = `/edges/https/${edgeId}/routes/${routeId}/oauth`;
    const module = await rest(server, "PUT", put, { ...MODULES.oauth, auth_check_interval: 77 });
    const key = await rest(server, "POST", "/api_keys", {});
    await db.$executeRaw`ALTER TABLE "tls_certificates" RENAME COLUMN "ips" TO "ips_gone"`;
    const certificate = await rest(server, "POST", "/tls_certificates", {
      certificate_pem: pair.certificatePem,
      private_key_pem: pair.privateKeyPem,
    });
    await db.$executeRaw`ALTER TABLE "tls_certificates" RENAME COLUMN "ips_gone" TO "ips"`;
    const path = `/edges/https/${edgeId}/routes`;
    const created = await rest(server, "POST", path, {
      match_type: "exact_path",
      match: "/new",
      ...MODULES,
    });
    await db.$executeRaw`ALTER TABLE "https_edge_routes" RENAME COLUMN "saml_gone" TO "saml"`;
    await db.$executeRaw`ALTER TABLE "api_keys" RENAME COLUMN "owner_gone" TO "owner_id"`;
    for (const { status, body } of [route, module, key, certificate, created]) {
      expect(status).toBe(500);
      expect(leaked(JSON.stringify(body))).toEqual([]);
      expect(JSON.stringify(body)).not.toMatch(/_gone|column|prisma/i);
    }
    const lines = log.slice(from);
    expect(lines.filter((line) => line.includes('"msg":"request failed"'))).toHaveLength(5);
    expect(leaked(lines.join(""))).toEqual([]);
  });
});
