import { webcrypto } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "../src/domain/core/ids.js";
import { forgetMissing, noKeys, requireKeys, withKeys } from "../src/domain/core/slow-keys.js";
import { type SigningPair, signingPairFor } from "../src/domain/modules/signing-pairs.js";
import { SAML_METADATA } from "./harness/modules.js";
import { httpsEdge, routesOf } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, graphqlInput, rest, transports } from "./harness/transports.js";

// The keys that SAML signs with take long to make: how many are made, when, and for whom.

const KEY = "bootstrap-key-of-the-operator";

let server: TestServer;
beforeAll(async () => {
  const graphql = { maxBodyBytes: 2 ** 20, maxTokens: 10_000, deadlineMs: 120_000 };
  server = await startServer({ bootstrapKey: KEY, graphql });
});
afterAll(() => server.stop());

/** Keys that were made since the test began, that are being made, and the most that were at a time. */
const keys = { made: 0, running: 0, most: 0 };
beforeEach(() => {
  Object.assign(keys, { made: 0, running: 0, most: 0 });
  const generate = webcrypto.subtle.generateKey.bind(webcrypto.subtle);
  vi.spyOn(webcrypto.subtle, "generateKey").mockImplementation(async (...args: unknown[]) => {
    keys.made++;
    keys.most = Math.max(keys.most, ++keys.running);
    try {
      return await Reflect.apply(generate, undefined, args);
    } finally {
      keys.running--;
    }
  });
});
afterEach(() => vi.restoreAllMocks());

const saml = { saml: { idpMetadata: SAML_METADATA } };
const matched = (match: string, fields: Fields = saml) => ({
  matchType: "path_prefix",
  match,
  ...fields,
});
const samlRoutes = (count: number) => Array.from({ length: count }, (_, i) => matched(`/${i}`));

const SHOWN = "routes(first: 100) { nodes { match saml { requestSigningCertificatePem } } }";
const CREATE = `mutation($input: CreateHttpsEdgeInput!, $dryRun: Boolean) {
  createHttpsEdge(input: $input, dryRun: $dryRun) {
    httpsEdge { id ${SHOWN} } changes { resourceId differences { path before after } } } }`;
const APPLY = `mutation($input: ApplyHttpsEdgeInput!, $dryRun: Boolean) {
  applyHttpsEdge(key: "signing", input: $input, dryRun: $dryRun) {
    httpsEdge { ${SHOWN} } changes { action differences { path before after } } } }`;

const createEdge = async (routes: Fields[], dryRun = false, of = server): Promise<Fields> => {
  const input = graphqlInput("CreateHttpsEdgeInput", { routes });
  const { httpsEdge, changes } = (await graphql(of, CREATE, { input, dryRun })).createHttpsEdge;
  return httpsEdge ?? { changes };
};

const certificatesOf = ({ routes }: Fields): string[] =>
  routes.nodes.map(({ saml }: Fields) => saml?.requestSigningCertificatePem);

/** The age of the oldest transaction that is open in this database, in milliseconds. */
async function oldestTransaction(): Promise<number> {
  const [row] = await server.context.db.$queryRaw<{ age: number }[]>`
    SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 * 1000 AS age
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  return row?.age ?? 0;
}

describe("an edge with many SAML routes", () => {
  it("is created with a pair of its own for each, and no transaction is open meanwhile", async () => {
    const begin = performance.now();
    let done = false;
    const creating = createEdge(samlRoutes(24)).finally(() => {
      done = true;
    });
    let oldest = 0;
    while (!done) {
      oldest = Math.max(oldest, await oldestTransaction());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const certificates = certificatesOf(await creating);
    expect(new Set(certificates).size).toBe(24);
    expect(certificates).toEqual(certificates.map(() => expect.stringContaining("CERTIFICATE")));
    expect(keys.made).toBe(24);
    expect(keys.most).toBeLessThanOrEqual(2);
    expect(oldest).toBeLessThan((performance.now() - begin) / 3);
  }, 120_000);

  it("makes no more keys once its client has gone", async () => {
    const impatient = await startServer({
      bootstrapKey: KEY,
      graphql: { maxBodyBytes: 2 ** 20, maxTokens: 10_000, deadlineMs: 1_000 },
    });
    try {
      await expect(createEdge(samlRoutes(80), false, impatient)).rejects.toMatchObject({
        code: "DEADLINE_EXCEEDED",
      });
      const atAnswer = keys.made;
      for (let before = -1; before < keys.made; ) {
        before = keys.made;
        await new Promise((resolve) => setTimeout(resolve, 1_500));
      }
      expect(keys.made).toBeLessThanOrEqual(atAnswer + 2);
      expect(keys.made).toBeLessThan(80);
      expect(await impatient.context.db.httpsEdge.count()).toBe(0);
    } finally {
      await impatient.stop();
    }
  }, 60_000);
});

describe("a key", () => {
  it("is made for no dry run, which shows no certificate", async () => {
    const dry = await createEdge(samlRoutes(3), true);
    expect(dry.changes).toHaveLength(4);
    expect(JSON.stringify(dry)).not.toContain("CERTIFICATE");
    const input = graphqlInput("ApplyHttpsEdgeInput", { routes: samlRoutes(3) });
    const { applyHttpsEdge } = await graphql(server, APPLY, { input, dryRun: true });
    expect(applyHttpsEdge.changes).toHaveLength(4);
    expect(JSON.stringify(applyHttpsEdge)).not.toContain("CERTIFICATE");
    const { id } = await createEdge([matched("/", {})]);
    const [route] = (await rest(server, "GET", `/edges/https/${id}/routes`)).body.routes;
    const document = `mutation($id: ID!, $input: UpdateHttpsEdgeRouteInput!) {
      updateHttpsEdgeRoute(id: $id, input: $input, dryRun: true) {
        httpsEdgeRoute { saml { idpMetadata } } changes { differences { path before after } } } }`;
    const answer = await graphql(server, document, {
      id: route.id,
      input: graphqlInput("UpdateHttpsEdgeRouteInput", saml),
    });
    expect(answer.updateHttpsEdgeRoute.httpsEdgeRoute.saml).toBeNull();
    expect(JSON.stringify(answer)).toContain("idpMetadata");
    expect(JSON.stringify(answer)).not.toContain("CERTIFICATE");
    expect(keys.made).toBe(0);
  });

  it("is made by an apply for each route that gets SAML, and for no other", async () => {
    const apply = async (routes: Fields[]) => {
      const input = graphqlInput("ApplyHttpsEdgeInput", { routes });
      return (await graphql(server, APPLY, { input })).applyHttpsEdge;
    };
    await apply([matched("/a"), matched("/b"), matched("/c", {})]);
    expect(keys.made).toBe(2);
    const { httpsEdge } = await apply([matched("/a"), matched("/c"), matched("/d")]);
    expect(keys.made).toBe(4);
    expect(certificatesOf(httpsEdge).every((pem) => pem.includes("CERTIFICATE"))).toBe(true);
    expect((await apply([matched("/a"), matched("/c"), matched("/d")])).changes).toEqual([]);
    expect(keys.made).toBe(4);
  });

  it.each(transports)(
    "is made once for a route over $name, and stays while it is changed",
    async (transport) => {
      const edge = await transport.drive(server, httpsEdge).create();
      const routes = transport.drive(server, routesOf(edge.id));
      const certificateOf = async (id: string) =>
        (await routes.get(id)).saml?.requestSigningCertificatePem;
      const created = await routes.create({ edgeId: edge.id, ...matched("/") });
      expect(created.saml.requestSigningCertificatePem).toContain("CERTIFICATE");
      await routes.update(created.id, { saml: { ...saml.saml, forceAuthn: true } });
      expect(await certificateOf(created.id)).toBe(created.saml.requestSigningCertificatePem);
      expect(keys.made).toBe(1);
      const plain = await routes.create({ edgeId: edge.id, ...matched("/later", {}) });
      await routes.update(plain.id, saml);
      expect(await certificateOf(plain.id)).toContain("CERTIFICATE");
      expect(keys.made).toBe(2);
    },
  );

  it("is made for the module that is put over REST", async () => {
    const { id } = await createEdge([matched("/", {})]);
    const [route] = (await rest(server, "GET", `/edges/https/${id}/routes`)).body.routes;
    const url = `/edges/https/${id}/routes/${route.id}/saml`;
    const put = (await rest(server, "PUT", url, { idp_metadata: SAML_METADATA })).body;
    expect(put.request_signing_certificate_pem).toContain("CERTIFICATE");
    const again = (await rest(server, "PUT", url, { idp_metadata: SAML_METADATA })).body;
    expect(again).toEqual(put);
    expect(keys.made).toBe(1);
  });

  it("is made for nothing that is refused", async () => {
    const { id } = await createEdge([matched("/", {})]);
    const [route] = (await rest(server, "GET", `/edges/https/${id}/routes`)).body.routes;
    const path = `/edges/https/${id}/routes`;
    const body = { match_type: "path_prefix", match: "/", saml: { idp_metadata: SAML_METADATA } };
    const backend = { backend_id: "bkdsc_000000000000000000000000000" };
    expect((await rest(server, "POST", path, body)).status).toBe(409);
    expect((await rest(server, "POST", path, { ...body, match: "/x", backend })).status).toBe(400);
    const readOnly = { Authorization: `Bearer ${server.readKey}` };
    expect((await rest(server, "POST", path, { ...body, match: "/y" }, readOnly)).status).toBe(403);
    const document = `mutation($id: ID!, $input: UpdateHttpsEdgeRouteInput!) {
      updateHttpsEdgeRoute(id: $id, expectedVersion: 7, input: $input) { httpsEdgeRoute { id } } }`;
    const input = graphqlInput("UpdateHttpsEdgeRouteInput", saml);
    await expect(graphql(server, document, { id: route.id, input })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(keys.made).toBe(0);
  });
});

it("is not looked for without end by a transaction that needs another one in each run", async () => {
  const pairs = noKeys<SigningPair>();
  const needing = withKeys(undefined, [pairs], async () => {
    forgetMissing(pairs);
    signingPairFor(pairs, newId("endpointConfiguration"));
    requireKeys(pairs);
  });
  await expect(needing).rejects.toThrow("Each run of the transaction lacks other keys.");
  expect(keys.made).toBeLessThanOrEqual(10);
});
