import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { JsonSchema } from "../src/openapi/schemas.js";
import { everyRouteModule } from "./harness/modules.js";
import {
  agentIngress,
  httpResponseBackend,
  ipPolicy,
  reservedDomain,
  staticBackend,
  type TestResource,
  tunnelGroupBackend,
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest, restBody } from "./harness/transports.js";

// Clients whose optional members are structures send an empty object for each that nobody set. A PATCH with it changes
// nothing that was set, but for what is replaced as a whole.

const document = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8"));

/** The objects that a PATCH leaves as they are when it has them empty, by the path of their resource. */
const LEFT: Readonly<Record<string, readonly string[]>> = {
  "/agent_ingresses/{id}": ["certificate_management_policy"],
  "/backends/static/{id}": ["tls"],
  "/reserved_domains/{id}": ["certificate_management_policy"],
};

/** Maps are replaced as a whole: an empty one has nothing in it. */
const MAPS: Readonly<Record<string, readonly string[]>> = {
  "/backends/http_response/{id}": ["headers"],
  "/backends/tunnel_group/{id}": ["labels"],
  "/backends/weighted/{id}": ["backends"],
};

/** Besides the modules, which are replaced as a whole, what a module was called before. */
const FORMER_MODULES = ["policy"];

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** The members of the bodies of PATCH that take an object, by the path of their resource. */
function objectsInPatches(): Record<string, string[]> {
  const found = Object.entries<Fields>(document.paths).flatMap(([path, { patch }]) => {
    const body = patch && resolved(patch.requestBody.content["application/json"].schema);
    const names = Object.entries<JsonSchema>(body?.properties ?? {})
      .filter(([, schema]) => takesObject(schema))
      .map(([name]) => name);
    return names.length > 0 ? [[path, names] as const] : [];
  });
  return Object.fromEntries(found);
}

function resolved(schema: Fields): Fields {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : resolved(document.components.schemas[name]);
}

function takesObject(schema: Fields): boolean {
  const { type, anyOf = [] } = resolved(schema);
  return [type].flat().includes("object") || anyOf.some(takesObject);
}

it("knows what becomes of every object in a PATCH", () => {
  const isModule = (path: string, name: string) =>
    document.paths[`${path}/${name}`]?.put !== undefined;
  const others = Object.entries(objectsInPatches()).map(([path, names]) => [
    path,
    names.filter((name) => !(isModule(path, name) || FORMER_MODULES.includes(name))),
  ]);
  const told = others.filter(([, names]) => names?.length);
  expect(Object.fromEntries(told)).toEqual({ ...LEFT, ...MAPS });
});

const CASES: readonly { readonly of: TestResource; readonly set: Fields }[] = [
  {
    of: agentIngress,
    set: {
      certificateManagementPolicy: { authority: "letsencrypt", privateKeyType: "ecdsa" },
      description: "kept",
    },
  },
  {
    of: reservedDomain,
    set: {
      certificateManagementPolicy: { authority: "letsencrypt", privateKeyType: "rsa" },
      metadata: "kept",
    },
  },
  { of: staticBackend, set: { address: "kept.internal:443", tls: { enabled: true } } },
];

it.each(CASES)("leaves what is set of $of.title", async ({ of, set }) => {
  const required = await of.required?.(async () => ({}));
  const made = await rest(server, "POST", of.path, restBody({ ...required, ...set }, of));
  expect(made.status).toBe(201);
  const path = `${of.path}/${made.body.id}`;
  const names = LEFT[`${of.path}/{id}`] ?? [];
  const texts = fc.record(
    { description: fc.string(), metadata: fc.string() },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.subarray([...names]), fc.option(texts), async (empty, changed) => {
      const before = (await rest(server, "GET", path)).body;
      const body = { ...Object.fromEntries(empty.map((name) => [name, {}])), ...changed };
      const answer = await rest(server, "PATCH", path, body);
      expect(answer).toMatchObject({ status: 200, body: { ...before, ...changed } });
    }),
    { numRuns: 20 },
  );
});

it("empties a map, and replaces a module", async () => {
  for (const [of, set, empty] of [
    [httpResponseBackend, { headers: { "x-a": "1" } }, { headers: {} }],
    [tunnelGroupBackend, { labels: { a: "1" } }, { labels: {} }],
  ] as const) {
    const made = await rest(server, "POST", of.path, set);
    expect(made.body).toMatchObject(set);
    const answer = await rest(server, "PATCH", `${of.path}/${made.body.id}`, empty);
    expect(answer.body).toMatchObject(empty);
  }
  const edge = (await rest(server, "POST", "/edges/https", {})).body.id;
  const backend = (await rest(server, "POST", "/backends/static", { address: "a.internal:80" }))
    .body;
  const policy = (await rest(server, "POST", ipPolicy.path, {})).body;
  const { circuitBreaker } = everyRouteModule(backend.id, policy.id);
  const route = { match_type: "path_prefix", match: "/", ...restBody({ circuitBreaker }) };
  const path = `/edges/https/${edge}/routes`;
  const made = await rest(server, "POST", path, route);
  const answer = await rest(server, "PATCH", `${path}/${made.body.id}`, { circuit_breaker: {} });
  const asNew = await rest(server, "POST", path, { ...route, match: "/new", circuit_breaker: {} });
  expect(answer.body.circuit_breaker).toEqual(asNew.body.circuit_breaker);
  expect(answer.body.circuit_breaker).not.toEqual(made.body.circuit_breaker);
});
