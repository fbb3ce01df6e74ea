import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fill, timeAfterRows } from "./harness/bulk.js";
import { explain, problemOf } from "./harness/plans.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// An index serves the conditions that clients send in `filter`, whether they find no rows, few, most or all: of
// thousands of rows, none are read from one end to the other. What is explained is what the server sends.

const TABLES = [
  "backends",
  "endpoint_configurations",
  "https_edges",
  "ip_policies",
  "ip_policy_rules",
  "ip_restrictions",
  "ip_restriction_ip_policies",
  "reserved_addrs",
  "ssh_credentials",
  "tls_certificates",
  "reserved_domains",
];

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await fill(server, { rows: 6_000, tables: TABLES });
}, 120_000);
afterAll(() => server.stop());

/** The oldest item of a list, whose id filters can name. */
async function someItem(path: string): Promise<Fields> {
  const read = { Authorization: `Bearer ${server.readKey}` };
  const { body } = await rest(server, "GET", `${path}?limit=50`, undefined, read);
  const items: Fields[] = body[Object.keys(body)[0] ?? ""];
  return items.at(-1) ?? {};
}

const after = (rows: number) => `timestamp("${timeAfterRows(rows)}")`;

/** Filters of every list, of which `item` is one: those that find nothing, few, most and all. */
const OF_EVERY_LIST: readonly (readonly [found: string, filter: (item: Fields) => string])[] = [
  ["one", ({ id }) => `obj.id == "${id}"`],
  ["one", ({ id }) => `obj.id in ["${id}", "x"]`],
  ["none", () => 'obj.id == "x"'],
  ["one", ({ description }) => `obj.description == "${description}"`],
  ["none", () => 'obj.description == ""'],
  ["none", () => 'obj.description == "nowhere"'],
  ["all", () => 'obj.description != "nowhere"'],
  ["few", () => 'obj.description.contains("Rare needle")'],
  ["few", () => 'obj.description.endsWith("Rare needle")'],
  ["none", () => 'obj.description.contains("RARE NEEDLE")'],
  ["none", () => 'obj.description.startsWith("Rare needle")'],
  ["all", () => 'obj.description.contains("of many")'],
  ["all", () => 'obj.description.endsWith("y") || obj.metadata == "x"'],
  ["few", () => 'obj.metadata == "{\\"owner\\":\\"Rare team\\"}"'],
  ["few", () => 'obj.metadata.contains("Rare team")'],
  ["few", () => 'obj.metadata.startsWith("{\\"owner\\":")'],
  ["most", () => '!obj.metadata.contains("Rare team")'],
  ["most", () => 'obj.metadata == ""'],
  ["most", () => `obj.created_at > ${after(100)}`],
  ["few", () => `obj.created_at < ${after(100)}`],
  ["few", () => `obj.created_at >= ${after(500)} && obj.created_at < ${after(600)}`],
  ["few", () => `obj.description.contains("Rare needle") && obj.created_at > ${after(100)}`],
  ["few", ({ id }) => `obj.id == "${id}" || obj.description.contains("Rare needle")`],
  ["few", () => `!(obj.created_at >= ${after(100)} || obj.metadata != "")`],
];

const LISTS = [
  "/backends/static",
  "/edges/https",
  "/ip_policies",
  "/ip_policy_rules",
  "/ip_restrictions",
  "/reserved_addrs",
  "/reserved_domains",
  "/ssh_credentials",
  "/tls_certificates",
];

/** Filters of single lists. */
const OF_ONE_LIST: readonly (readonly [
  path: string,
  found: string,
  filter: (item: Fields) => string,
])[] = [
  ["/reserved_addrs", "one", () => 'obj.addr == "77.tcp:10000"'],
  ["/reserved_addrs", "one", () => '"77.tcp:10000" == obj.addr'],
  ["/reserved_addrs", "none", () => 'obj.addr == "nowhere"'],
  ["/reserved_addrs", "few", () => 'obj.addr in ["77.tcp:10000", "78.tcp:10000"]'],
  ["/reserved_addrs", "few", () => 'obj.addr.startsWith("1999")'],
  ["/reserved_addrs", "few", () => 'obj.region == "sa"'],
  ["/reserved_addrs", "most", () => 'obj.region == "us"'],
  ["/reserved_addrs", "few", () => 'obj.region == "sa" || obj.addr == "77.tcp:10000"'],
  ["/reserved_addrs", "few", () => "obj.endpoint_configuration != null"],
  ["/reserved_addrs", "most", () => "obj.endpoint_configuration == null"],
  ["/reserved_domains", "one", () => 'obj.domain == "Domain-77.example.com"'],
  ["/reserved_domains", "few", () => 'obj.domain in ["Domain-77.example.com", "x"]'],
  ["/reserved_domains", "few", () => 'obj.region == "sa"'],
  ["/reserved_domains", "most", () => 'obj.region == ""'],
  ["/reserved_domains", "few", () => "obj.certificate != null"],
  [
    "/tls_certificates",
    "one",
    () => '"Host-77.example.com" in obj.subject_alternative_names.dns_names',
  ],
  ["/tls_certificates", "few", () => `obj.not_after < timestamp("${nextDays(30)}")`],
  ["/edges/https", "one", () => '"site-77.example.com:443" in obj.hostports'],
  ["/edges/https", "none", () => '"nowhere.example.com:443" in obj.hostports'],
  ["/edges/https", "none", () => '"SITE-77.example.com:443" in obj.hostports'],
  ["/backends/static", "one", () => 'obj.address == "host-77.internal:80"'],
  ["/backends/static", "most", () => 'obj.address == "Shared.internal:80"'],
  ["/ssh_credentials", "one", () => '"bind:host-77.example.com" in obj.acl'],
  ["/ssh_credentials", "few", () => 'obj.owner_id == "owner-77"'],
  ["/ip_policy_rules", "few", () => 'obj.action == "deny"'],
  ["/ip_policy_rules", "one", () => 'obj.cidr == "10.0.7.0/24"'],
  ["/ip_policy_rules", "one", ({ ip_policy }) => `obj.ip_policy_id == "${ip_policy.id}"`],
  ["/ip_policy_rules", "one", ({ ip_policy }) => `obj.ip_policy.id == "${ip_policy.id}"`],
  ["/ip_restrictions", "few", () => "obj.enforced"],
  ["/ip_restrictions", "most", () => "!obj.enforced"],
  ["/ip_restrictions", "few", () => "obj.enforced == true"],
  ["/ip_restrictions", "few", ({ ip_policies: [first] }) => `"${first.id}" in obj.ip_policy_ids`],
];

const nextDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** How many items of the first page there are to be. */
const FOUND: Readonly<Record<string, (count: number) => boolean>> = {
  none: (count) => count === 0,
  one: (count) => count === 1,
  few: (count) => count > 0 && count <= 100,
  most: (count) => count === 100,
  all: (count) => count === 100,
};

describe("the page of a list with a filter", () => {
  const cases = [
    ...LISTS.flatMap((path) => OF_EVERY_LIST.map(([found, filter]) => ({ path, found, filter }))),
    ...OF_ONE_LIST.map(([path, found, filter]) => ({ path, found, filter })),
  ];

  it.each([...new Set(cases.map(({ path }) => path))])(
    "is found by indexes in two statements: %s",
    async (path) => {
      const item = await someItem(path);
      const problems: string[] = [];
      for (const { filter, found } of cases.filter((each) => each.path === path)) {
        const expression = filter(item);
        const url = `${path}?filter=${encodeURIComponent(expression)}`;
        const read = { Authorization: `Bearer ${server.readKey}` };
        let count = -1;
        const sent = await server.queries(async () => {
          const { status, body } = await rest(server, "GET", url, undefined, read);
          expect([status, body.msg]).toEqual([200, undefined]);
          count = body[Object.keys(body)[0] ?? ""].length;
        });
        if (!FOUND[found]?.(count))
          problems.push(`${expression}: finds ${count}, and not ${found}`);
        if (sent.length !== 2) problems.push(`${expression}: ${sent.length} statements`);
        for (const query of sent) {
          const problem = problemOf(await explain(server, query));
          if (problem) problems.push(`${expression}: ${problem}`);
        }
      }
      expect(problems).toEqual([]);
    },
    60_000,
  );
});
