import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contract } from "../src/rest/index.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// `filter` of the lists of REST: what it finds where the JSON of a list says nothing, pages, and what it refuses.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function create(path: string, body: Fields = {}): Promise<Fields> {
  const answer = await rest(server, "POST", path, body);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body;
}

const listed = (path: string, filter: string, more = "") =>
  rest(server, "GET", `${path}?filter=${encodeURIComponent(filter)}${more}`);

async function idsOf(path: string, filter: string): Promise<string[]> {
  const { status, body } = await listed(path, filter);
  expect([status, body.details]).toEqual([200, undefined]);
  return body[Object.keys(body)[0] ?? ""].map(({ id }: Fields) => id);
}

/** The problems of a filter, each of which begins with its column. */
async function problemsOf(filter: string, path = "/reserved_addrs"): Promise<string> {
  const { status, body } = await listed(path, filter);
  expect([status, body.error_code]).toEqual([400, "ERR_INVALID_REQUEST"]);
  const { operation_id, ...details } = body.details;
  expect(Object.keys(details)).toEqual(["filter"]);
  return details.filter;
}

describe("a filter", () => {
  it("is on every list, and names what it can find by", async () => {
    const edge = await create("/edges/https");
    const lists = contract.filter(({ query }) => query !== undefined);
    expect(lists.map(({ path }) => path)).toContain("/edges/https/:edgeId/routes");
    for (const { path, operation } of lists) {
      const url = path.replace(":edgeId", edge.id);
      expect((await listed(url, 'obj.id == "x" || obj.description == ""')).status, path).toBe(200);
      const fields = operation?.description?.match(/`[a-z_.]+`/g) ?? [];
      for (const field of fields.filter((name) => name !== "`filter`")) {
        const name = `obj.${field.slice(1, -1)}`;
        const [time, last] = [`${name} == timestamp("2026-01-01T00:00:00Z")`, name];
        const tried = [`${name} == ""`, time, `"" in ${name}`, `${name} == 0`, last];
        let isFound = false;
        for (const filter of tried) isFound ||= (await listed(url, filter)).status === 200;
        expect([path, name, isFound]).toEqual([path, name, true]);
      }
    }
  });

  it("takes an unset reference for an empty text, and compares it with null", async () => {
    const policy = await create("/endpoint_configurations", { type: "tcp" });
    const bound = await create("/reserved_addrs", { endpoint_configuration_id: policy.id });
    const free = await create("/reserved_addrs");
    const path = "/reserved_addrs";
    const configuration = "obj.endpoint_configuration";
    expect(await idsOf(path, `${configuration} == null`)).toEqual([free.id]);
    expect(await idsOf(path, `null != ${configuration}`)).toEqual([bound.id]);
    expect(await idsOf(path, `${configuration}.id == "${policy.id}"`)).toEqual([bound.id]);
    expect(await idsOf(path, `${configuration}.id != "${policy.id}"`)).toEqual([free.id]);
    expect(await idsOf(path, `${configuration}_id == ""`)).toEqual([free.id]);
    expect(await idsOf(path, `(${configuration}.id in ["x"]) == false`)).toEqual([
      free.id,
      bound.id,
    ]);
    const neither = `(${configuration}.id == "x") == (obj.id == "x")`;
    expect(await idsOf(path, neither)).toEqual([free.id, bound.id]);
    expect(await idsOf(path, `obj.addr == "${free.addr}"`)).toEqual([free.id]);
    expect(
      await idsOf(path, `obj.created_at == "${free.created_at}" && obj.id == "${free.id}"`),
    ).toEqual([free.id]);
  });

  it("finds weighted and failover backends by their children, and static ones by TLS", async () => {
    const plain = await create("/backends/static", { address: "a.internal:80" });
    const secure = await create("/backends/static", {
      address: "b.internal:443",
      tls: { enabled: true },
    });
    const weighted = await create("/backends/weighted", { backends: { [plain.id]: 1 } });
    const failover = await create("/backends/failover", { backends: [plain.id, secure.id] });
    expect(await idsOf("/backends/weighted", `"${plain.id}" in obj.backends`)).toEqual([
      weighted.id,
    ]);
    expect(await idsOf("/backends/weighted", `!("${plain.id}" in obj.backends)`)).toEqual([]);
    expect(await idsOf("/backends/failover", `"${secure.id}" in obj.backends`)).toEqual([
      failover.id,
    ]);
    expect(await idsOf("/backends/failover", "size(obj.backends) == 2")).toEqual([failover.id]);
    expect(await idsOf("/backends/static", "obj.tls.enabled")).toEqual([secure.id]);
    expect(await idsOf("/backends/static", "!obj.tls.enabled")).toEqual([plain.id]);
  });

  it("finds the routes of one edge alone", async () => {
    const [edge, other] = [await create("/edges/https"), await create("/edges/https")];
    const route = { match_type: "path_prefix", match: "/api" };
    const own = await create(`/edges/https/${edge.id}/routes`, route);
    await create(`/edges/https/${other.id}/routes`, route);
    const path = `/edges/https/${edge.id}/routes`;
    expect(await idsOf(path, 'obj.match.startsWith("/a")')).toEqual([own.id]);
    expect(await idsOf(path, 'obj.match.startsWith("/b")')).toEqual([]);
  });

  it("is kept from page to page, and absent where it is empty", async () => {
    const made = [];
    for (const name of ["a & b", "c", "a & b", "a & b"]) {
      made.unshift(await create("/ip_policies", { description: name }));
    }
    const wanted = made.filter(({ description }) => description === "a & b").map(({ id }) => id);
    const found: string[] = [];
    let url: string | null =
      `/ip_policies?filter=${encodeURIComponent('obj.description == "a & b"')}&limit=1`;
    while (url !== null) {
      const { status, body }: { status: number; body: Fields } = await rest(server, "GET", url);
      expect([status, body.uri]).toEqual([200, `${server.url}/ip_policies`]);
      found.push(...body.ip_policies.map(({ id }: Fields) => id));
      url = body.next_page_uri;
    }
    expect(found).toEqual(wanted);
    const { body } = await rest(server, "GET", "/ip_policies?filter=&limit=1");
    expect(body.next_page_uri).toBe(`${server.url}/ip_policies?limit=1&before_id=${made[0]?.id}`);
  });

  it("is refused twice, and together with what else is wrong with the query", async () => {
    const twice = await rest(server, "GET", "/ip_policies?filter=true&filter=true");
    expect([twice.status, twice.body.details.filter]).toEqual([400, "is given more than once"]);
    const { body } = await rest(server, "GET", "/ip_policies?limit=x&before_id=y&filter=obj");
    expect(Object.keys(body.details).sort()).toEqual([
      "before_id",
      "filter",
      "limit",
      "operation_id",
    ]);
  });

  it("may not say whether there are secrets", async () => {
    for (const [path, field] of [
      ["/ssh_certificate_authorities", "sealed_private_key"],
      ["/tls_certificates", "private_key_pem"],
      ["/api_keys", "token"],
      ["/api_keys", "token_hash"],
      ["/edges/https", "tls_termination"],
      ["/endpoint_configurations", "oauth"],
      ["/ip_policies", "version"],
      ["/ip_policies", "updated_at"],
      ["/ip_policies", "constructor"],
    ] as const) {
      expect(await problemsOf(`obj.${field} == ""`, path)).toContain(
        `there is no field "${field}"`,
      );
    }
  });
});

const FIELDS =
  "addr, created_at, description, endpoint_configuration, endpoint_configuration_id, id, metadata, region";

describe("a filter is refused", () => {
  it.each([
    [
      'obj.adr == "x"',
      `column 5: there is no field "adr" of a reserved address: the fields are ${FIELDS}`,
    ],
    [
      'obj.adr == "x" || obj.id == 3',
      `column 5: there is no field "adr" of a reserved address: the fields are ${FIELDS}; column 29: a text is expected, such as "a", and this is a whole number`,
    ],
    [
      'addr == "x"',
      'column 1: there is no "addr": a field is named with obj, as in obj.addr, and a text stands in quotes',
    ],
    ["obj.addr > 3", 'column 12: a text is expected, such as "a", and this is a whole number'],
    ["3 == obj.addr", 'column 1: a text is expected, such as "a", and this is a whole number'],
    [
      'obj.created_at > "yesterday"',
      'column 18: a time is expected, such as timestamp("2030-01-31T09:30:00Z"), and this is a text',
    ],
    [
      'obj.created_at > timestamp("yesterday")',
      'column 28: timestamp() takes a time in RFC 3339, such as timestamp("2030-01-31T09:30:00Z")',
    ],
    [
      "timestamp(obj.id) > obj.created_at",
      'column 11: timestamp() takes a text in quotes, such as timestamp("2030-01-31T09:30:00Z")',
    ],
    ["obj.addr", 'column 1: a condition is expected, such as obj.id == "…", and this is a text'],
    [
      '!obj.addr && "a"',
      'column 2: a condition is expected, such as obj.id == "…", and this is a text; column 14: a condition is expected, such as obj.id == "…", and this is a text',
    ],
    ["obj.addr == null", 'column 13: what is compared here is never null: an unset text is ""'],
    [
      'obj.endpoint_configuration == "x"',
      "column 1: another resource cannot be compared: compare it with null, or its id with a text, as in obj.….id",
    ],
    [
      'obj.endpoint_configuration.uri == "x"',
      'column 28: another resource has no "uri" here: only its id can be named',
    ],
    ['obj.addr.host == "x"', 'column 10: a text has no "host"'],
    [
      'obj.addr.matches("x")',
      'column 10: there is no method "matches": the methods are contains(), endsWith(), startsWith() and size()',
    ],
    ["obj.addr.contains(1, 2)", "column 10: contains() takes one argument, and has 2"],
    [
      "obj.addr.contains(1)",
      'column 19: a text is expected, such as "a", and this is a whole number',
    ],
    [
      "lower(obj.addr)",
      'column 1: there is no function "lower": the functions are size() and timestamp()',
    ],
    [
      "has(obj.addr)",
      'column 1: there is no function "has": the functions are size() and timestamp()',
    ],
    ["size() == 1", "column 1: size() takes one argument, and has 0"],
    [
      "size(1) == 1",
      "column 6: size() takes a text, a list or a map of obj, and this is a whole number",
    ],
    [
      'obj.addr + "x" == "y"',
      "column 10: the operator + is not supported: the operators are ! && || < <= == != >= > in ()",
    ],
    [
      "true ? true : false",
      "column 1: the operator ? : is not supported: the operators are ! && || < <= == != >= > in ()",
    ],
    [
      "obj.addr[0] == 1",
      "column 1: an index in brackets is not supported: the operators are ! && || < <= == != >= > in ()",
    ],
    ["-obj.addr == 1", "column 1: - stands only before a whole number, such as -1"],
    ["size(obj.addr) == 1.5", "column 19: a number must be a whole one, such as 80"],
    ["size(obj.addr) == b'1'", 'column 19: bytes cannot be compared: write a text, such as "a"'],
    [
      "size(obj.addr) == 9223372036854775808",
      "column 19: a whole number must lie between -9223372036854775808 and 9223372036854775807",
    ],
    [
      'obj.region in "us"',
      'column 15: a list is expected, such as ["a", "b"] or a field that is one, and this is a text',
    ],
    [
      'obj.region in ["us", 3, obj.id]',
      'column 25: the items of a list are values, such as "a", 80 or timestamp("2030-01-31T09:30:00Z")',
    ],
    [
      'obj.region in ["us", 3]',
      'column 22: a text is expected, such as "a", and this is a whole number',
    ],
    ['(obj.region == "us") < true', "column 2: < does not compare conditions: write == or !="],
    ['obj.addr == "\\u0000"', "column 13: a text must not contain NUL characters"],
    ['obj.addr = "x"', 'column 10: "=" is no operator: write =='],
    ['not obj.addr == "x"', 'column 1: "not" is no operator: write !'],
    ['obj.addr == "x" && NOT true', 'column 20: "NOT" is no operator: write !'],
    ['obj.addr == b"x"', 'column 13: bytes cannot be compared: write a text, such as "a"'],
    ['obj.addr == "x" and true', 'column 17: "and" is no operator: write &&'],
    ["not true", 'column 1: "not" is no operator: write !'],
    ["obj.addr == “x”", 'column 13: "“" is no quote: write " or \''],
    ['obj.addr == "x', "column 13: the text that begins here has no closing quote"],
    ["obj.addr ==", 'column 12: the expression ends where a field, a value or "(" is expected'],
    ["(true", 'column 6: the expression ends where ")" is expected'],
    ["obj. == 1", 'column 6: "==" stands where a name is expected'],
    ["true)", 'column 5: ")" stands where an operator or the end is expected'],
    [" ", 'column 2: the expression ends where a field, a value or "(" is expected'],
    [
      '"💥" == obj.adr',
      `column 12: there is no field "adr" of a reserved address: the fields are ${FIELDS}`,
    ],
  ])("%s", async (filter, problems) => {
    expect(await problemsOf(filter)).toBe(problems);
  });

  it.each([
    [`obj.id == "${"a".repeat(4085)}"`, "must have at most 4096 characters, and has 4097"],
    [
      Array.from({ length: 101 }, () => 'obj.id == "a"').join(" || "),
      "column 1: the expression may have at most 100 conditions, and has 101",
    ],
    [
      `${"(".repeat(40)}true${")".repeat(40)}`,
      "column 33: the expression may be nested at most 32 levels deep",
    ],
    [`${"!".repeat(1900)}true`, "column 33: the expression may be nested at most 32 levels deep"],
    [
      `obj.id in [${Array.from({ length: 101 }, () => '"a"').join(",")}]`,
      "column 412: a list may have at most 100 items",
    ],
    [`${"!".repeat(4000)}true`, "column 2001: the expression may have at most 2000 parts"],
    [
      Array.from({ length: 900 }, () => "1").join("+"),
      "column 1798: the operator + is not supported: the operators are ! && || < <= == != >= > in ()",
    ],
  ])("past a limit: %#", async (filter, problem) => {
    expect(await problemsOf(filter)).toBe(problem);
  });

  it("and no time that RFC 3339 can write", async () => {
    for (const offset of ["Z", "+15:59", "+16:00", "+23:59", "-23:59"]) {
      const [one, other] = [`2020-01-01T00:00:00${offset}`, "2020-01-01T00:00:00.123456789Z"];
      const filter = `timestamp("${one}") <= timestamp("${other}") || obj.created_at > timestamp("${one}")`;
      expect((await listed("/reserved_addrs", filter)).status).toBe(200);
    }
  });

  it("and not up to the limits", async () => {
    const many = Array.from({ length: 100 }, () => 'obj.id == "a"').join(" || ");
    const list = `obj.id in [${Array.from({ length: 100 }, () => '"a"').join(",")}]`;
    const long = `obj.id == "${"a".repeat(4084)}"`;
    for (const filter of [many, list, long, `${"!".repeat(30)}true`]) {
      expect((await listed("/reserved_addrs", filter)).status).toBe(200);
    }
  });
});
