import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { OpenApi } from "../src/openapi/document.js";
import type { JsonSchema } from "../src/openapi/schemas.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// Requests that the OpenAPI document suggests, right, nearly right and wrong, in any order. No answer is a 5xx, and none
// is outside of the document, which the harness checks of every answer. They are the same in every run;
// FUZZ_REQUESTS=200000 FUZZ_SEED=7 sends that many others.

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2000);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const AT_ONCE = 4;

const document: OpenApi = JSON.parse(
  readFileSync(new URL("../openapi.json", import.meta.url), "utf8"),
);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Ids of resources that were created, by their prefixes: what a path or a reference may name. */
const ids = new Map<string, string[]>();

interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);

const NOISE = fc.oneof(
  fc.constantFrom(null, "", 0, -1, 1.5, true, [], {}, "💥", "\0", "\ud800", "a".repeat(5000)),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Values as `schema` has them, and now and then others. */
function anyValue(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  const right = fittingValue(schema, depth);
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: NOISE });
}

function fittingValue(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const { $ref, anyOf, properties, items, additionalProperties } = schema;
  if (depth > 8) return fc.constant(null);
  if ($ref !== undefined) return anyValue(resolved($ref), depth + 1);
  if (anyOf) return fc.oneof(...anyOf.map((each) => anyValue(each, depth + 1)));
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  if (properties) {
    const members = Object.entries(properties).map(([name, member]) => [
      name,
      anyValue(member, depth + 1),
    ]);
    const some = fc.record(Object.fromEntries(members), { requiredKeys: [] });
    const all = fc.record(Object.fromEntries(members));
    const withNeeded = ([given, whole]: [Fields, Fields]) => ({
      ...Object.fromEntries((schema.required ?? []).map((name) => [name, whole[name]])),
      ...given,
    });
    return fc.oneof(
      { weight: 9, arbitrary: fc.tuple(some, all).map(withNeeded) },
      { weight: 1, arbitrary: some },
    );
  }
  if (items) return fc.array(anyValue(items, depth + 1), { maxLength: 4 });
  if (typeof additionalProperties === "object") {
    return fc.dictionary(fc.string({ maxLength: 12 }), anyValue(additionalProperties, depth + 1), {
      maxKeys: 3,
    });
  }
  switch (schema.type) {
    case "integer":
      return fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer(), fc.double());
    case "number":
      return fc.oneof(fc.double({ min: 0, max: 1 }), fc.double());
    case "boolean":
      return fc.boolean();
    default:
      return textOf(schema);
  }
}

function textOf({ pattern, format }: JsonSchema): fc.Arbitrary<unknown> {
  if (format === "date-time") {
    return fc
      .date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true })
      .map((time) => time.toISOString());
  }
  const [, prefixes = ""] = /^\^\(\?:([a-z|]+)\)_/.exec(String(pattern)) ?? [];
  if (prefixes !== "") return idOf(prefixes.split("|"));
  return fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constantFrom("example.com:443", "192.0.2.0/24", "/api", "https://id.example.com", "github"),
  );
}

function idOf(prefixes: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...prefixes), fc.nat()).map(([prefix, pick]) => {
    const known = ids.get(prefix) ?? [];
    return known[pick % (known.length + 1)] ?? `${prefix}_nobody`;
  });
}

function resolved($ref: string): JsonSchema {
  const found = document.components.schemas[$ref.split("/").at(-1) ?? ""];
  if (!found) throw new Error(`There is no ${$ref}.`);
  return found;
}

function bodyOf(operation: object): fc.Arbitrary<unknown> {
  const body = Reflect.get(operation, "requestBody")?.content["application/json"];
  if (!body) return fc.constant(undefined);
  const example = body.example;
  return fc.oneof(
    { weight: 3, arbitrary: anyValue(body.schema) },
    { weight: 1, arbitrary: fc.constant(example) },
    { weight: 1, arbitrary: fc.tuple(anyValue(body.schema)).map(([some]) => mixed(example, some)) },
  );
}

/** A right body with some members of another. */
function mixed(example: unknown, other: unknown): unknown {
  const isObject = typeof other === "object" && other !== null && !Array.isArray(other);
  return isObject ? { ...Object(example), ...other } : other;
}

/** Fields and values of all kinds, and what is none. */
const OPERANDS = [
  ...["id", "description", "metadata", "created_at", "addr", "hostports", "labels", "backends"],
  ...["endpoint_configuration", "tls.enabled", "status_code", "nobody", "__proto__"],
].map((name) => `obj.${name}`);
const VALUES = [
  '""',
  '"a\\u0000"',
  "'%_'",
  "3",
  "-9e9",
  "null",
  "true",
  "obj",
  "[]",
  '["a", 1]',
  "{}",
];

/** Expressions for `filter`, right, nearly right and wrong. */
const filters: fc.Arbitrary<string> = fc.letrec<{ filter: string; operand: string }>((tie) => ({
  operand: fc.oneof(
    fc.constantFrom(...OPERANDS),
    fc.constantFrom(...VALUES),
    fc.string({ maxLength: 12, unit: "binary" }).map((text) => JSON.stringify(text)),
    fc
      .constantFrom("size", "timestamp", "has")
      .chain((name) => tie("operand").map((argument) => `${name}(${argument})`)),
  ),
  filter: fc.oneof(
    { depthSize: "small" },
    fc
      .tuple(
        tie("operand"),
        fc.constantFrom("==", "!=", "<", ">=", "in", "+", "&&", "||"),
        tie("operand"),
      )
      .map((parts) => parts.join(" ")),
    fc
      .tuple(tie("operand"), fc.constantFrom("contains", "startsWith", "map"), tie("operand"))
      .map(([own, method, argument]) => `${own}.${method}(${argument})`),
    tie("filter").map((inner) => `!(${inner})`),
    fc.tuple(tie("filter"), fc.constantFrom("&&", "||"), tie("filter")).map((all) => all.join(" ")),
    fc.string({ maxLength: 30 }),
  ),
})).filter;

const anyRequest: fc.Arbitrary<FuzzedRequest> = fc
  .constantFrom(...operations)
  .chain(({ method, path, operation }) => {
    const [, prefix = ""] = /"example":"([a-z]+)_/.exec(JSON.stringify(operation)) ?? [];
    const own = /"name":"id"[^}]*"example":"([a-z]+)_/.exec(JSON.stringify(operation))?.[1];
    const isList = JSON.stringify(operation).includes("#/components/parameters/filter");
    const query = fc.oneof(
      fc.constantFrom("", "?limit=3", "?limit=", "?before_id=", "?nope=1", "?limit=-1"),
      ...(isList ? [filters.map((text) => `?limit=3&filter=${encoded(text)}`)] : []),
    );
    return fc
      .tuple(
        idOf([own ?? prefix]),
        idOf(["edghts"]),
        method === "get" ? query : fc.constant(""),
        bodyOf(operation),
      )
      .map(([id, edgeId, query, body]) => ({
        method: method.toUpperCase(),
        path: path.replace("{id}", id).replace("{edge_id}", edgeId) + query,
        body,
      }));
  });

/** A text in a query; what is no Unicode cannot be sent. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

it(`answers ${REQUESTS} fuzzed requests as the document says`, async () => {
  const statuses = new Map<number, number>();
  const send = async ({ method, path, body }: FuzzedRequest) => {
    // The revocation list is no JSON.
    if (path.endsWith("/revocation_list")) return;
    const answer = await rest(server, method, path, body);
    expect(answer.status, `${method} ${path} ${JSON.stringify(body)}`).toBeLessThan(500);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const { id } = answer.body;
    if (answer.status === 201 && typeof id === "string") {
      const prefix = id.split("_", 1)[0] ?? "";
      ids.set(prefix, [...(ids.get(prefix) ?? []), id].slice(-20));
    }
  };
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    await Promise.all(fc.sample(anyRequest, { numRuns: AT_ONCE, seed: SEED + sent }).map(send));
  }
  // It gets through, and does not only knock.
  for (const status of [200, 201, 204, 400, 404]) expect(statuses.get(status)).toBeGreaterThan(0);
}, 3_600_000);
