import { Environment } from "@marcbachmann/cel-js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lowestKsuidOf, newId, RESOURCES, type ResourceKind } from "../src/domain/core/ids.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// What `filter` finds is what another implementation of the language finds in the JSON of the list without it: random
// expressions of the whole grammar, on rows of which many have the same values, and some have none.

const ROWS = 24;
const RUNS = Number(process.env.EXPRESSION_RUNS ?? 120);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await fill();
});
afterAll(() => server.stop());

/** Short and long, empty, alike but for the case, with what means something in SQL, and beyond ASCII. */
const TEXTS = [
  "",
  "a",
  "A",
  "ab",
  "Ab",
  "a_b",
  "a%b",
  "100%",
  "\\",
  `it's "quoted"`,
  "two\nlines",
  "\nlines",
  "lines",
  "ᚠ",
  "ᚠᚠ\nᚠ",
  "ΑΣ",
  "ΑΣΑ",
  "Σ",
  "ÄÖÜ äöü",
  "💥",
  "a💥b",
  "a rather long description of a shop",
  "a rather long description of the SHOP",
  "--",
  "x".repeat(150),
] as const;
const NAMES = ["shop.example.com:443", "SHOP.example.com:443", "[2001:db8::1]:443", "b.example:80"];
const IDS = [newId("ipPolicy"), newId("ipPolicy"), newId("ipPolicy")];
const START = Date.parse("2026-03-01T09:30:00Z");

const pick = <Item>(items: readonly Item[], n: number, step = 1): Item => {
  const item = items[(n * step) % items.length];
  if (item === undefined) throw new Error("There is nothing to pick from.");
  return item;
};

/** Several rows of each second. */
const madeAt = (n: number) => new Date(START + n * 400);

function row(kind: ResourceKind, n: number) {
  const time = madeAt(n);
  return {
    id: `${RESOURCES[kind].prefix}_${lowestKsuidOf(time)}`,
    createdAt: time,
    updatedAt: time,
    description: pick(TEXTS, n),
    metadata: pick(TEXTS, n, 3),
  };
}

const numbers = Array.from({ length: ROWS }, (_, n) => n);

async function fill(): Promise<void> {
  const { db } = server.context;
  const now = new Date();
  const policy = { createdAt: now, updatedAt: now, description: "", metadata: "" };
  await db.ipPolicy.createMany({ data: IDS.map((id) => ({ id, ...policy })) });
  const configuration = { ...row("endpointConfiguration", 0), type: "http" };
  await db.endpointConfiguration.create({ data: configuration });
  const authority = { ...row("sshCertificateAuthority", 0), keyType: "rsa", publicKey: "a" };
  await db.sshCertificateAuthority.create({ data: { ...authority, sealedPrivateKey: "" } });
  await db.reservedDomain.createMany({
    data: numbers.map((n) => ({
      ...row("reservedDomain", n),
      domain: `${pick(["Shop", "shop", "mail"], n)}-${n}.example.com`,
      region: pick([null, "us", "eu"], n),
      errorRedirectUrl: pick(TEXTS, n, 5),
      resolvesTo: [],
      httpEndpointConfigurationId: n % 2 === 0 ? null : configuration.id,
    })),
  });
  await db.httpsEdge.createMany({
    data: numbers.map((n) => ({ ...row("httpsEdge", n), hostports: NAMES.slice(0, n % 5) })),
  });
  await db.backend.createMany({
    data: numbers.flatMap((n) => [
      {
        ...row("httpResponseBackend", n),
        kind: "http_response",
        statusCode: pick([200, 404, 503], n),
        headers: Object.fromEntries(TEXTS.slice(1, 1 + (n % 4)).map((name) => [name, "a"])),
        body: pick(TEXTS, n, 7),
      },
      {
        ...row("staticBackend", n),
        kind: "static",
        address: pick(NAMES, n),
        tlsEnabled: n % 3 === 0,
      },
    ]),
  });
  await db.sshUserCertificate.createMany({
    data: numbers.map((n) => ({
      ...row("sshUserCertificate", n),
      publicKey: pick(TEXTS, n, 11),
      keyType: pick(["rsa", "ed25519"], n),
      principals: TEXTS.slice(n % 3, n % 7),
      criticalOptions: {},
      extensions: n % 2 === 0 ? {} : { "permit-pty": "" },
      validAfter: new Date(START + (n % 5) * 1000),
      validUntil: new Date(START + (n % 3) * 1000),
      certificate: "",
      sshCertificateAuthorityId: authority.id,
    })),
  });
  await db.ipRestriction.createMany({
    data: numbers.map((n) => ({
      ...row("ipRestriction", n),
      type: pick(["api", "agent"], n),
      enforced: n % 3 === 0,
    })),
  });
  await db.ipRestrictionIpPolicy.createMany({
    data: numbers.flatMap((n) =>
      IDS.slice(0, n % 4).map((ipPolicyId, position) => ({
        ownerId: row("ipRestriction", n).id,
        position,
        ipPolicyId,
      })),
    ),
  });
}

/** What an expression can say of a list: its fields by their types. */
interface Shape {
  readonly path: string;
  readonly key: string;
  readonly texts: readonly string[];
  readonly times?: readonly string[];
  readonly integers?: readonly string[];
  readonly booleans?: readonly string[];
  readonly lists?: readonly string[];
  readonly maps?: readonly string[];
  readonly references?: readonly string[];
}

const ALL = ["id", "description", "metadata"];

const SHAPES: readonly Shape[] = [
  {
    path: "/reserved_domains",
    key: "reserved_domains",
    texts: [...ALL, "domain", "region", "error_redirect_url", "http_endpoint_configuration_id"],
    references: ["http_endpoint_configuration", "certificate"],
  },
  { path: "/edges/https", key: "https_edges", texts: ALL, lists: ["hostports"] },
  {
    path: "/backends/http_response",
    key: "backends",
    texts: [...ALL, "body"],
    integers: ["status_code"],
    maps: ["headers"],
  },
  {
    path: "/backends/static",
    key: "backends",
    texts: [...ALL, "address"],
    booleans: ["tls.enabled"],
  },
  {
    path: "/ssh_user_certificates",
    key: "ssh_user_certificates",
    texts: [...ALL, "public_key", "key_type", "ssh_certificate_authority_id"],
    times: ["valid_after", "valid_until"],
    lists: ["principals"],
    maps: ["critical_options", "extensions"],
  },
  {
    path: "/ip_restrictions",
    key: "ip_restrictions",
    texts: [...ALL, "type"],
    booleans: ["enforced"],
    lists: ["ip_policy_ids"],
  },
];

const EQUAL = ["==", "!="] as const;
const ORDERED = [...EQUAL, "<", "<=", ">", ">="] as const;

/** Parts of the texts that rows have, so that much is found, and a few others. */
function texts(shown: readonly Fields[]): fc.Arbitrary<string> {
  const known = shown.flatMap((item) => Object.values(item)).filter((v) => typeof v === "string");
  const whole = fc.constantFrom(...TEXTS, ...NAMES, ...IDS, ...known, "us", "permit-pty", "rsa");
  const part = fc
    .tuple(whole, fc.nat(8), fc.nat(8))
    .map(([text, from, length]) => [...text].slice(from, from + length).join(""));
  return fc.oneof(whole, part);
}

const literal = (text: string) => JSON.stringify(text);

/** A time near those of the rows, whole or not, in UTC or elsewhere. */
const times = fc
  .tuple(
    fc.integer({ min: -2, max: 12 }),
    fc.constantFrom(0, 1, 500),
    fc.constantFrom(["Z", 0], ["+01:00", 1], ["-12:00", -12], ["+23:00", 23]),
  )
  .map(([second, part, [offset, hours]]) => {
    const shown = new Date(START + second * 1000 + part + Number(hours) * 3_600_000);
    const text = shown.toISOString().replace(/\.000Z$/, "Z");
    return `timestamp(${literal(text.replace("Z", String(offset)))})`;
  });

const LARGE = ["0", "1", "3", "24", "150", "200", "404", "-1", "9223372036854775807"];

/** An expression about a list, of some depth. */
function expressions(shape: Shape, shown: readonly Fields[]): fc.Arbitrary<string> {
  const { times: timed = [], integers = [], booleans = [], lists = [], maps = [] } = shape;
  const { references = [] } = shape;
  const named = (names: readonly string[]) => names.map((name) => `obj.${name}`);
  const value = texts(shown).map(literal);
  const text = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...named(shape.texts)) },
    { weight: 2, arbitrary: value },
  );
  const time = fc.oneof(fc.constantFrom(...named(["created_at", ...timed])), times);
  const sized = fc.constantFrom(...named([...lists, ...maps, ...shape.texts]));
  const integer = fc.oneof(
    sized.map((name) => `size(${name})`),
    sized.map((name) => `${name}.size()`),
    fc.constantFrom(...LARGE, ...named(integers)),
  );
  const infix = (
    left: fc.Arbitrary<string>,
    operators: readonly string[],
    right: fc.Arbitrary<string>,
  ) => fc.tuple(left, fc.constantFrom(...operators), right).map((parts) => parts.join(" "));
  const items = (item: fc.Arbitrary<string>) =>
    fc.array(item, { maxLength: 4 }).map((each) => `[${each.join(", ")}]`);
  const method = fc.constantFrom("contains", "startsWith", "endsWith");
  const simple = fc.oneof(
    infix(text, ORDERED, text),
    fc.tuple(text, method, text).map(([own, name, part]) => `${own}.${name}(${part})`),
    infix(text, ["in"], items(value)),
    infix(time, ORDERED, time),
    infix(time, ["in"], items(times)),
    infix(integer, ORDERED, integer),
    infix(integer, ["in"], items(fc.constantFrom(...LARGE))),
    ...[...lists, ...maps].map((name) => infix(text, ["in"], fc.constant(`obj.${name}`))),
    ...references.map((name) => infix(fc.constant(`obj.${name}`), EQUAL, fc.constant("null"))),
    fc.constantFrom("true", "false", ...named(booleans)),
  );
  const { nested } = fc.letrec<{ nested: string }>((tie) => ({
    nested: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      simple,
      tie("nested").map((inner) => `!(${inner})`),
      infix(tie("nested"), ["&&", "||"], tie("nested")).map((inner) => `(${inner})`),
      infix(
        tie("nested").map((inner) => `(${inner})`),
        EQUAL,
        tie("nested").map((inner) => `(${inner})`),
      ),
    ),
  }));
  return nested;
}

const language = new Environment({ homogeneousAggregateLiterals: false }).registerVariable(
  "obj",
  "dyn",
);

const TIMES = ["created_at", "valid_after", "valid_until"];

/** An item as the language has its values: what answers show, and ids as requests name them. */
function asValues(item: Fields): Fields {
  const values = Object.entries(item).map(([name, value]) => {
    if (TIMES.includes(name)) return [name, new Date(value)];
    return [name, typeof value === "number" ? BigInt(value) : value];
  });
  const { ip_policies = [], http_endpoint_configuration = null } = item;
  return {
    ...Object.fromEntries(values),
    ip_policy_ids: ip_policies.map(({ id }: Fields) => id),
    http_endpoint_configuration_id: http_endpoint_configuration?.id ?? "",
  };
}

async function found(path: string, key: string, filter: string): Promise<string[]> {
  const answer = await rest(server, "GET", `${path}?filter=${encodeURIComponent(filter)}`);
  expect([answer.status, answer.body.details]).toEqual([200, undefined]);
  return answer.body[key].map(({ id }: Fields) => id);
}

describe("an expression finds what it finds in the JSON of the list", () => {
  it.each(SHAPES.map((shape) => [shape.path, shape] as const))("%s", async (path, shape) => {
    const { body } = await rest(server, "GET", path);
    const shown: Fields[] = body[shape.key];
    expect(shown).toHaveLength(ROWS);
    const values = shown.map((item) => ({ id: item.id, obj: asValues(item) }));
    const counts = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(expressions(shape, shown), async (expression) => {
        fc.pre(expression.length <= 4000);
        const run = language.parse(expression);
        const expected = values.filter(({ obj }) => run({ obj }) === true).map(({ id }) => id);
        const ids = await found(path, shape.key, expression);
        expect(ids, expression).toEqual(expected);
        counts.set(ids.length, (counts.get(ids.length) ?? 0) + 1);
      }),
      { numRuns: RUNS, seed: 7 },
    );
    // It tells rows apart, and does not only find all or none.
    const [none = 0, every = 0] = [counts.get(0), counts.get(ROWS)];
    expect(RUNS - none - every).toBeGreaterThan(RUNS / 5);
  });
});
