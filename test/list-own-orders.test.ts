import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idAt, START, walkBy } from "./harness/paging.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql } from "./harness/transports.js";

// The orders that only some lists have.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** What a row of any kind has. */
function base(prefix: string, second: number) {
  const createdAt = new Date(START + second * 1000);
  const texts = { description: "", metadata: "" };
  return { id: idAt(prefix, second), ...texts, createdAt, updatedAt: createdAt };
}

/** What a TLS certificate has besides. */
const TLS_CERTIFICATE = {
  certificatePem: "",
  sealedPrivateKey: "",
  privateKeyType: "ecdsa",
  subjectCommonName: "",
  subjectOrganization: "",
  subjectOrganizationalUnit: "",
  subjectLocality: "",
  subjectProvince: "",
  subjectCountry: "",
  issuerCommonName: "",
  serialNumber: "",
  notBefore: new Date(0),
};

/** A list with an order of its own. */
interface OwnOrder {
  readonly list: string;
  readonly field: string;
  readonly prefix: string;
  /** The values of rows, in the order in which they are made. */
  readonly values: readonly string[];
  /** Their indexes in ascending order. */
  readonly ascending: readonly number[];
  make(value: string, row: ReturnType<typeof base>): Promise<unknown>;
}

describe("an order that only some lists have", () => {
  const edge = base("edghts", 0);
  const policy = base("ipp", 0);
  const authority = base("sshca", 0);
  beforeAll(async () => {
    const { db } = server.context;
    await db.httpsEdge.create({ data: edge });
    await db.ipPolicy.create({ data: policy });
    const key = { keyType: "ed25519", publicKey: "", sealedPrivateKey: "" };
    await db.sshCertificateAuthority.create({ data: { ...authority, ...key } });
  });

  const sshCertificate = (validUntil: string, row: ReturnType<typeof base>) => ({
    ...{ ...row, publicKey: "", keyType: "rsa", certificate: "", validAfter: new Date(0) },
    ...{ validUntil: new Date(validUntil), sshCertificateAuthorityId: authority.id },
  });

  const orders: readonly OwnOrder[] = [
    {
      list: "agentIngresses",
      field: "DOMAIN",
      prefix: "agin",
      values: ["b.test", "A.b.test", "a.test", "B-1.test", "a-b.test"],
      ascending: [4, 1, 2, 3, 0],
      make: (domain, row) => server.context.db.agentIngress.create({ data: { ...row, domain } }),
    },
    {
      list: "reservedAddrs",
      field: "ADDR",
      prefix: "ra",
      values: ["b.tcp.test:1", "a.tcp.test:2", "A.tcp.test:1"],
      ascending: [2, 1, 0],
      make: (addr, row) =>
        server.context.db.reservedAddr.create({ data: { ...row, addr, region: "us" } }),
    },
    {
      list: "reservedDomains",
      field: "DOMAIN",
      prefix: "rd",
      values: ["b.test", "A.b.test", "*.b.test", "a.test", "B-1.test", "a-b.test"],
      ascending: [2, 5, 1, 3, 4, 0],
      make: (domain, row) =>
        server.context.db.reservedDomain.create({
          data: { ...row, domain, errorRedirectUrl: "", resolvesTo: [] },
        }),
    },
    {
      list: "staticBackends",
      field: "ADDRESS",
      prefix: "bkdsc",
      values: ["b.test:1", "[::1]:1", "a.test:80", "B.test:1", "[0:0::1]:1", "10.0.0.1:1"],
      ascending: [5, 1, 4, 2, 0, 3],
      make: (address, row) =>
        server.context.db.backend.create({
          data: { ...row, kind: "static", address, tlsEnabled: false },
        }),
    },
    {
      list: "httpsEdgeRoutes",
      field: "MATCH",
      prefix: "edghtsrt",
      values: ["/a", "w.TEST/b", "/ab", "/", "W.test/a", "*.a.test", "/B", "/a/b"],
      ascending: [5, 3, 6, 0, 7, 2, 4, 1],
      make: (match, row) =>
        server.context.db.httpsEdgeRoute.create({
          data: { ...row, match, matchType: "path_prefix", edgeId: edge.id },
        }),
    },
    {
      list: "ipPolicyRules",
      field: "CIDR",
      prefix: "ipr",
      values: ["::/0", "10.0.0.0/16", "100.0.0.0/8", "9.0.0.0/8", "2001:DB8::/32", "10.0.0.0/8"],
      ascending: [3, 5, 1, 2, 0, 4],
      make: (cidr, row) =>
        server.context.db.ipPolicyRule.create({
          data: { ...row, cidr, action: "allow", ipPolicyId: policy.id },
        }),
    },
    {
      list: "certificateAuthorities",
      field: "NOT_AFTER",
      prefix: "ca",
      values: ["2026-01-02", "9999-12-31", "2026-01-01", "1999-01-01", "2026-01-01"],
      ascending: [3, 2, 4, 0, 1],
      make: (day, row) =>
        server.context.db.certificateAuthority.create({
          data: {
            ...{ ...row, caPem: "", subjectCommonName: "", notBefore: new Date(0) },
            notAfter: new Date(day),
          },
        }),
    },
    {
      list: "sshHostCertificates",
      field: "VALID_UNTIL",
      prefix: "shcrt",
      values: ["2026-01-02", "9999-12-31", "2026-01-01", "1999-01-01", "2026-01-01"],
      ascending: [3, 2, 4, 0, 1],
      make: (day, row) =>
        server.context.db.sshHostCertificate.create({ data: sshCertificate(day, row) }),
    },
    {
      list: "tlsCertificates",
      field: "NOT_AFTER",
      prefix: "cert",
      values: ["2026-01-02", "9999-12-31", "2026-01-01", "1999-01-01", "2026-01-01"],
      ascending: [3, 2, 4, 0, 1],
      make: (day, row) =>
        server.context.db.tlsCertificate.create({
          data: { ...row, ...TLS_CERTIFICATE, notAfter: new Date(day) },
        }),
    },
    {
      list: "sshUserCertificates",
      field: "VALID_UNTIL",
      prefix: "sucrt",
      values: ["2026-01-02", "9999-12-31", "2026-01-01", "1999-01-01", "2026-01-01"],
      ascending: [3, 2, 4, 0, 1],
      make: (day, row) =>
        server.context.db.sshUserCertificate.create({
          data: { ...sshCertificate(day, row), criticalOptions: {}, extensions: {} },
        }),
    },
  ];

  it.each(orders)("is kept from page to page: $list by $field", async (order) => {
    const { list, field, prefix, values, ascending, make } = order;
    const ids: string[] = [];
    for (const [second, value] of values.entries()) {
      const row = base(prefix, second);
      ids.push(row.id);
      await make(value, row);
    }
    const expected = ascending.map((index) => ids[index]);
    const all = (direction: string, size: string, from: "after" | "before") =>
      walkBy(size === "first", async (cursor) => {
        const place = cursor === null ? "" : `, ${from}: "${cursor}"`;
        const args = `${size}: 2${place}, orderBy: { field: ${field}, direction: ${direction} }`;
        const query = `{ ${list}(${args}) { nodes { id }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
        const { nodes, pageInfo } = (await graphql(server, query))[list];
        return { ids: nodes.map(({ id }: Fields) => id), pageInfo };
      });
    expect(await all("ASC", "first", "after")).toEqual(expected);
    expect(await all("ASC", "last", "before")).toEqual(expected);
    expect(await all("DESC", "first", "after")).toEqual([...expected].reverse());
    expect(await all("DESC", "last", "before")).toEqual([...expected].reverse());
  });

  it("is that of nested lists too, with its cursors", async () => {
    const args = "orderBy: { field: MATCH, direction: ASC }";
    const read = async (place: string) => {
      const query = `{ httpsEdge(id: "${edge.id}") { routes(${place}, ${args}) {
        nodes { match } pageInfo { endCursor } } } }`;
      const { routes } = (await graphql(server, query)).httpsEdge;
      const matches: string[] = routes.nodes.map(({ match }: Fields) => match);
      return { matches, end: routes.pageInfo.endCursor };
    };
    const first = await read("first: 3");
    expect(first.matches).toEqual(["*.a.test", "/", "/B"]);
    expect((await read(`first: 2, after: "${first.end}"`)).matches).toEqual(["/a", "/a/b"]);
  });
});
