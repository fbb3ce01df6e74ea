import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverPair } from "../harness/certificates.js";
import { type Collector, startCollector } from "../harness/otlp.js";
import { runServer, type ServerProcess, urlOf } from "../harness/processes.js";
import { freshDatabase } from "../harness/server.js";
import type { Fields } from "../harness/transports.js";

// No secret is in what a process shows of itself: its log at level trace, its metrics, its traces, its refusals.

const canary = (name: string) => `canary-${name}-${randomBytes(9).toString("hex")}`;

/** What must be found nowhere, by its name. */
const secrets: Record<string, string> = {
  configuredKey: canary("configured"),
  encryptionKey: randomBytes(32).toString("base64"),
  databasePassword: canary("database"),
  idempotencyKey: canary("idempotency"),
  stranger: canary("stranger"),
  oauth: canary("oauth"),
  oidc: canary("oidc"),
  webhook: canary("webhook"),
  misplaced: canary("misplaced"),
  query: canary("query"),
};

let database: Awaited<ReturnType<typeof freshDatabase>>;
let collector: Collector;
let server: ServerProcess;
let url: string;
let metrics: string;
/** Answers that are no success: they show no secret either. */
const refusals: string[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  collector = await startCollector();
  const databaseUrl = new URL(database.url);
  databaseUrl.username ||= "postgres";
  databaseUrl.password = secrets.databasePassword ?? "";
  server = runServer({
    DATABASE_URL: databaseUrl.href,
    API_KEY: secrets.configuredKey ?? "",
    ENCRYPTION_KEY: secrets.encryptionKey ?? "",
    LOG_LEVEL: "trace",
    METRICS_PORT: "0",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "50",
    PERSISTED_OPERATIONS: "",
  });
  url = await urlOf(server);
  [, metrics = ""] = /Metrics are at (\S+)/.exec(server.output()) ?? [];
  const { privateKeyPem, certificatePem } = await serverPair();
  pair = { private_key_pem: privateKeyPem, certificate_pem: certificatePem };
  for (const [index, line] of privateKeyPem.split("\n").entries()) {
    if (line.length > 8 && !line.startsWith("-----")) secrets[`private key ${index}`] = line;
  }
});
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.exited;
  await collector.stop();
  await database.stop();
});

let pair: { readonly private_key_pem: string; readonly certificate_pem: string };

/** The names of the secrets that stand in `text`, also in hex, base64, percent-encoded or escaped. */
function leaked(text: string): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const bytes = Buffer.from(secret);
    const forms = [
      secret,
      bytes.toString("hex"),
      bytes.toString("base64").replace(/=+$/, ""),
      encodeURIComponent(secret),
    ];
    return forms.some((form) => text.includes(form)) ? [name] : [];
  });
}

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Fields> {
  const response = await fetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${secrets.configuredKey}`,
      "Service-Version": "2",
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: Fields = text.startsWith("{") ? JSON.parse(text) : {};
  if (response.status >= 400 || answer.errors) refusals.push(text);
  return { ...answer, httpStatus: response.status };
}

const graphql = (query: string, variables: Fields = {}, headers: Record<string, string> = {}) =>
  send("POST", "/graphql", { query, variables }, headers);

const MODULES = () => ({
  oauth: { provider: { google: { client_id: "client", client_secret: secrets.oauth } } },
  oidc: {
    enabled: false,
    issuer: "https://id.example",
    client_id: "client",
    client_secret: secrets.oidc,
  },
  webhook_verification: { provider: "github", secret: secrets.webhook },
});
const MODULE_INPUTS = () => ({
  oauth: { provider: { google: { clientId: "client", clientSecret: secrets.oauth } } },
  oidc: {
    enabled: false,
    issuer: "https://id.example",
    clientId: "client",
    clientSecret: secrets.oidc,
  },
  webhookVerification: { provider: "github", secret: secrets.webhook },
});
const CREATE_ROUTE = `mutation Canary($input: CreateHttpsEdgeRouteInput!) {
  createHttpsEdgeRoute(input: $input) { httpsEdgeRoute { oidc { clientSecret } webhookVerification { secret } } } }`;
const CREATE_CERTIFICATE =
  "mutation ($input: CreateTlsCertificateInput!) { createTlsCertificate(input: $input) { tlsCertificate { id } } }";

/** Everything with a secret over both transports. */
async function sendAll(edgeId: string, name: string): Promise<Fields[]> {
  const keyed = (each: number) => ({
    "Idempotency-Key": `${secrets.idempotencyKey}-${name}-${each}`,
  });
  const route = { match_type: "exact_path", match: `/${name}`, ...MODULES() };
  const input = { edgeId, matchType: "EXACT_PATH", match: `/graphql-${name}`, ...MODULE_INPUTS() };
  const { private_key_pem: privateKeyPem, certificate_pem: certificatePem } = pair;
  return [
    await send("POST", `/edges/https/${edgeId}/routes`, route, keyed(1)),
    await send("POST", `/edges/https/${edgeId}/routes`, { ...route, match: "" }, keyed(2)),
    await send("POST", "/tls_certificates", pair, keyed(3)),
    await graphql(CREATE_ROUTE, { input }, keyed(4)),
    await graphql(CREATE_CERTIFICATE, { input: { privateKeyPem, certificatePem } }),
  ];
}

async function everywhere(): Promise<string[]> {
  const answer = await fetch(metrics);
  return leaked(
    [server.output(), await answer.text(), ...collector.bodies, ...refusals].join("\n"),
  );
}

describe("a process that shows all that it can", () => {
  let edgeId: string;
  it("shows no secret of requests that succeed", async () => {
    edgeId = (await send("POST", "/edges/https", {})).id;
    const answers = await sendAll(edgeId, "first");
    expect(answers.map(({ httpStatus, errors }) => [httpStatus, errors])).toEqual([
      [201, undefined],
      [400, undefined],
      [201, undefined],
      [200, undefined],
      [200, undefined],
    ]);
    const { token } = await send("POST", "/api_keys", { scope: "read" });
    const made = await graphql("mutation { createApiKey(input: {}) { apiKey { token } } }");
    secrets.token = token;
    secrets.graphqlToken = made.data.createApiKey.apiKey.token;
    for (const key of [secrets.token, secrets.graphqlToken]) {
      await send("GET", "/self", undefined, { Authorization: `Bearer ${key}` });
    }
    expect(leaked(Object.values(secrets).join("\n"))).toEqual(Object.keys(secrets));
    expect(await everywhere()).toEqual([]);
  });

  it("shows no secret of requests that are refused", async () => {
    for (const scheme of ["Bearer", "Basic"]) {
      const headers = { Authorization: `${scheme} ${secrets.stranger}` };
      await send("GET", "/self", undefined, headers);
      await graphql("{ __typename }", {}, headers);
    }
    const { misplaced } = secrets;
    await send("POST", "/tls_certificates", { ...pair, certificate_pem: pair.private_key_pem });
    await send("POST", "/edges/https", `{"description": "${misplaced}"`);
    await send("POST", `/edges/https/${edgeId}/routes`, { oauth: { provider: misplaced } });
    await send("GET", `/ip_policies?limit=${secrets.query}`);
    await send("GET", `/ip_policies?filter=${encodeURIComponent(`obj.id == "${secrets.query}`)}`);
    await graphql(
      `mutation { createIpPolicy(input: { description: 5, metadata: "${misplaced}" }) { ipPolicy { id } } }`,
    );
    await graphql(`{ ipPolicy(id: "${misplaced}`);
    await graphql(CREATE_ROUTE, { input: { edgeId, oauth: misplaced, ...pair } });
    const inQuery = encodeURIComponent(`{ search(text: "${secrets.query}") { nodes { id } } }`);
    await send("GET", `/graphql?query=${inQuery}`);
    expect(refusals.length).toBeGreaterThan(10);
    expect(await everywhere()).toEqual([]);
  });

  it("shows no secret of requests that meet a defect, or a database that is gone", async () => {
    await database.administer(`ALTER TABLE https_edge_routes RENAME COLUMN saml TO gone`);
    await database.administer(`ALTER TABLE tls_certificates RENAME COLUMN serial_number TO gone`);
    const failed = await sendAll(edgeId, "second");
    expect(failed.filter(({ httpStatus }) => httpStatus >= 500).length).toBeGreaterThan(2);
    await database.administer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await sendAll(edgeId, "third");
    expect(await everywhere()).toEqual([]);
    server.child.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    expect(leaked([server.output(), ...collector.bodies, ...refusals].join("\n"))).toEqual([]);
    const log = server.output().split("\n");
    expect(log.filter((line) => line.includes('"msg":"request failed"')).length).toBeGreaterThan(2);
    expect(collector.spans.length).toBeGreaterThan(50);
  });
});
