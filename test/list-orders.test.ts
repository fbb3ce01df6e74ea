import { randomBytes } from "node:crypto";
import fc from "fast-check";
import KSUID from "ksuid";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { recount } from "./harness/counts.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql } from "./harness/transports.js";

// The orders of a list, its cursors, and paging while rows come, change and go.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
afterEach(async () => {
  await server.context.db.tlsEdge.deleteMany();
  await server.context.db.backend.deleteMany();
});

interface Row {
  readonly id: string;
  readonly createdAt: Date;
  readonly description: string;
  readonly metadata: string;
  readonly hostports: string[];
}

const START = Date.parse("2026-05-01T00:00:00Z");

/** An id that was made so many seconds after the start. */
function idAt(prefix: string, second: number): string {
  const payload = randomBytes(16);
  payload.writeUInt16BE(0, 0);
  return `${prefix}_${KSUID.fromParts(START + second * 1000, payload).string}`;
}

async function insert(rows: readonly Row[]): Promise<void> {
  const data = rows.map((row) => ({ ...row, updatedAt: row.createdAt }));
  await server.context.db.tlsEdge.createMany({ data });
  await recount(server);
}

const row = (second: number, fields: Partial<Row> = {}): Row => ({
  id: idAt("edgtls", second),
  createdAt: new Date(START + second * 1000),
  description: "",
  metadata: "",
  hostports: [],
  ...fields,
});

interface Page {
  readonly ids: string[];
  readonly cursors: string[];
  readonly pageInfo: Fields;
  readonly totalCount: number;
}

const PAGE = `query($first: Int, $after: String, $last: Int, $before: String, $filter: TlsEdgeFilter, $orderBy: TlsEdgeOrder) {
  tlsEdges(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    totalCount edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

async function page(variables: Fields): Promise<Page> {
  const { edges, ...rest } = (await graphql(server, PAGE, variables)).tlsEdges;
  return {
    ...rest,
    ids: edges.map(({ node }: Fields) => node.id),
    cursors: edges.map(({ cursor }: Fields) => cursor),
  };
}

const DESCRIBED = ["b", "", "A", "a", "a!", "B", "é", "Z", "zz", "a"];

describe("an order", () => {
  it.each<[Fields | null, (rows: Row[]) => Row[]]>([
    [null, (rows) => rows.reverse()],
    [{}, (rows) => rows.reverse()],
    [{ field: null, direction: null }, (rows) => rows.reverse()],
    [{ direction: "ASC" }, (rows) => rows],
    [{ field: "CREATED_AT", direction: "ASC" }, (rows) => rows],
    [{ field: "DESCRIPTION", direction: "ASC" }, (rows) => rows.sort(byDescription)],
    [{ field: "DESCRIPTION" }, (rows) => rows.sort(byDescription).reverse()],
  ])("of %j is kept from page to page, forwards and backwards", async (orderBy, ordered) => {
    const rows = DESCRIBED.map((description, index) => row(index, { description }));
    await insert(rows);
    const expected = ordered([...rows]).map(({ id }) => id);
    expect((await page({ orderBy })).ids).toEqual(expected);
    expect(await walk({ orderBy }, 3, "forwards")).toEqual(expected);
    expect(await walk({ orderBy }, 3, "backwards")).toEqual(expected);
  });

  it("says where a page stands", async () => {
    await insert(DESCRIBED.map((description, index) => row(index, { description })));
    const orderBy = { field: "DESCRIPTION", direction: "ASC" };
    const first = await page({ orderBy, first: 4 });
    expect(first.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: first.cursors[0],
      endCursor: first.cursors[3],
    });
    const second = await page({ orderBy, first: 6, after: first.pageInfo.endCursor });
    expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect(second.totalCount).toBe(10);
    const last = await page({ orderBy, last: 2, before: first.cursors[3] });
    expect(last.ids).toEqual(first.ids.slice(1, 3));
    expect(last.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const between = { after: first.cursors[0], before: first.cursors[3] };
    expect((await page({ orderBy, ...between })).ids).toEqual(first.ids.slice(1, 3));
  });

  it("by description goes on where a cursor was, also when that row is renamed or deleted", async () => {
    const rows = ["a", "b", "c", "d"].map((description, index) => row(index, { description }));
    await insert(rows);
    const ids = rows.map(({ id }) => id);
    const orderBy = { field: "DESCRIPTION", direction: "ASC" };
    const after = (await page({ orderBy, first: 2 })).pageInfo.endCursor;
    const where = { id: ids[1] ?? "" };
    await server.context.db.tlsEdge.update({ where, data: { description: "z" } });
    expect((await page({ orderBy, after })).ids).toEqual([ids[2], ids[3], ids[1]]);
    await server.context.db.tlsEdge.delete({ where });
    expect((await page({ orderBy, after })).ids).toEqual([ids[2], ids[3]]);
  });

  it("refuses the cursors of another, and what is none", async () => {
    await insert([row(1, { description: "x" }), row(2)]);
    const byDescription = { field: "DESCRIPTION" };
    const described = (await page({ orderBy: byDescription })).cursors[0];
    const created = (await page({})).cursors[0];
    const refused = (variables: Fields, after: string) =>
      expect(page(variables)).rejects.toMatchObject({ issues: { after } });
    await refused(
      { after: described },
      "is a cursor of a list ordered by DESCRIPTION, and this one is ordered by CREATED_AT",
    );
    await refused(
      { after: created, orderBy: byDescription },
      "is a cursor of a list ordered by CREATED_AT, and this one is ordered by DESCRIPTION",
    );
    const forged = [
      '["a"]',
      '["a\\u0000","edgtls_1"]',
      '["a","1"]',
      "{}",
      '["\\ud800","edgtls_1"]',
    ];
    for (const text of ["", "x", ...forged]) {
      const after = Buffer.from(text).toString("base64url");
      await refused({ after, orderBy: byDescription }, "is not a cursor of this API");
    }
    await refused({ after: "?" }, "is not a cursor of this API");
    for (const after of ["ipp_1", "chg_1Z1", "nothing_1"]) {
      await refused({ after }, "is a cursor of another list");
    }
  });

  it("by creation holds over all kinds of backends, whose ids begin differently", async () => {
    const kinds = ["bkdwd weighted", "bkdfo failover", "bkdsc static", "bkdhr http_response"];
    const made = [...kinds, ...kinds].map((kind, index) => {
      const [prefix = "", name = ""] = kind.split(" ");
      return { id: idAt(prefix, index), kind: name, createdAt: new Date(START + index * 1000) };
    });
    await server.context.db.backend.createMany({
      data: made.map((each) => ({
        ...each,
        updatedAt: each.createdAt,
        description: "",
        metadata: "",
      })),
    });
    const newest = made.map(({ id }) => id).reverse();
    const read = async (args: string) =>
      (await graphql(server, `{ backends(${args}) { totalCount nodes { id } } }`)).backends;
    const idsOf = async (args: string) => (await read(args)).nodes.map(({ id }: Fields) => id);
    expect(await idsOf("first: 100")).toEqual(newest);
    expect(await idsOf(`first: 3, after: "${newest[1]}"`)).toEqual(newest.slice(2, 5));
    expect(await idsOf(`last: 3, before: "${newest[5]}"`)).toEqual(newest.slice(2, 5));
    const time = (second: number) => new Date(START + second * 1000).toISOString();
    expect(
      await idsOf(`filter: { createdAfter: "${time(2)}", createdBefore: "${time(5)}" }`),
    ).toEqual(newest.slice(3, 6));
    expect(await idsOf("filter: { kind: STATIC }, orderBy: { direction: ASC }")).toEqual([
      newest[5],
      newest[1],
    ]);
  });
});

/** Every id of a list, page by page. */
async function walk(
  variables: Fields,
  size: number,
  way: "forwards" | "backwards",
  meanwhile: () => Promise<void> = async () => {},
): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const forwards = way === "forwards";
    const place: Fields = forwards
      ? { first: size, after: cursor }
      : { last: size, before: cursor };
    const { ids, pageInfo } = await page({ ...variables, ...place });
    if (forwards) found.push(...ids);
    else found.unshift(...ids);
    if (!(forwards ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return found;
    cursor = forwards ? pageInfo.endCursor : pageInfo.startCursor;
    await meanwhile();
  }
}

const fold = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function byDescription(one: Row, other: Row): number {
  return (
    Buffer.compare(Buffer.from(fold(one.description)), Buffer.from(fold(other.description))) ||
    compare(one.id, other.id)
  );
}

function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

// The model of a list: what it must find, and in which order.

const word = fc.constantFrom(
  "",
  "a",
  "Ab",
  "abc",
  "ABCd",
  "x_%y",
  "b\\c",
  "long needle",
  "Needle!",
);
const texts = fc.array(word, { maxLength: 3 }).map((words) => words.join(" "));
const hostports = fc.uniqueArray(fc.constantFrom("a.example:1", "B.example:2", "abc.d:3"), {
  maxLength: 2,
});
const second = fc.integer({ min: 0, max: 12 });
const anyRow = fc
  .record({ second, description: texts, metadata: texts, hostports })
  .map(({ second, ...fields }) => row(second, fields));

const anyFilter = fc.record(
  {
    search: fc.constantFrom(
      "a",
      "AB",
      "abc",
      "needle",
      "x_%Y",
      "b\\c",
      "example",
      "D:3",
      "nothing",
      "%",
    ),
    createdAfter: second.map(at),
    createdBefore: second.map(at),
    hostport: fc.constantFrom("a.example:1", "abc.d:3", "none.example:9"),
  },
  { requiredKeys: [] },
);
const anyOrder = fc.record(
  {
    field: fc.constantFrom("CREATED_AT", "DESCRIPTION"),
    direction: fc.constantFrom("ASC", "DESC"),
  },
  { requiredKeys: [] },
);

function at(second: number): string {
  return new Date(START + second * 1000).toISOString();
}

interface Filter {
  readonly search?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly hostport?: string;
}

function isFound(row: Row, { search, createdAfter, createdBefore, hostport }: Filter): boolean {
  const lines = [row.description, row.metadata, ...row.hostports].map(fold);
  const text = search === undefined ? undefined : fold(search);
  return (
    (text === undefined ||
      lines.some((line) => (text.length < 3 ? line.startsWith(text) : line.includes(text)))) &&
    (createdAfter === undefined || row.createdAt >= new Date(createdAfter)) &&
    (createdBefore === undefined || row.createdAt < new Date(createdBefore)) &&
    (hostport === undefined || row.hostports.includes(hostport))
  );
}

function inOrder(rows: readonly Row[], { field, direction }: Fields): Row[] {
  const ascending = [...rows].sort(
    field === "DESCRIPTION" ? byDescription : (one, other) => compare(one.id, other.id),
  );
  return direction === "ASC" ? ascending : ascending.reverse();
}

describe("paging through a filtered and ordered list", () => {
  it("finds what the model finds, in its order, while rows come, change and go", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          rows: fc.array(anyRow, { minLength: 3, maxLength: 14 }),
          filter: anyFilter,
          orderBy: anyOrder,
          size: fc.integer({ min: 1, max: 4 }),
          way: fc.constantFrom("forwards" as const, "backwards" as const),
          changes: fc.array(
            fc.record({
              what: fc.constantFrom("insert", "delete", "rename"),
              which: fc.nat(),
              row: anyRow,
            }),
            { maxLength: 4 },
          ),
        }),
        async ({ rows, filter, orderBy, size, way, changes }) => {
          await server.context.db.tlsEdge.deleteMany();
          await insert(rows);
          const untouched = new Map(rows.map((each) => [each.id, each]));
          const versions = [...rows];
          const pending = [...changes];
          const found = await walk({ filter, orderBy }, size, way, async () => {
            const change = pending.shift();
            if (!change) return;
            const id = rows[change.which % rows.length]?.id ?? "";
            if (change.what === "insert") {
              versions.push(change.row);
              return insert([change.row]);
            }
            const known = versions.find((each) => each.id === id);
            untouched.delete(id);
            if (change.what === "delete") {
              await server.context.db.tlsEdge.deleteMany({ where: { id } });
              return;
            }
            const { description } = change.row;
            if (known) versions.push({ ...known, description });
            await server.context.db.tlsEdge.updateMany({ where: { id }, data: { description } });
          });
          const stayed = [...untouched.values()].filter((each) => isFound(each, filter));
          const expected = inOrder(stayed, orderBy).map(({ id }) => id);
          // What stays as it is, is found once and in order.
          expect(found.filter((id) => untouched.has(id))).toEqual(expected);
          // All else has met the filter at some time.
          for (const id of found) {
            expect(versions.some((each) => each.id === id && isFound(each, filter))).toBe(true);
          }
          // At rest, the list is the model's, and its count too.
          const now = await server.context.db.tlsEdge.findMany();
          const rest = inOrder(
            now.filter((each) => isFound(each, filter)),
            orderBy,
          );
          const whole = await page({ filter, orderBy, first: 100 });
          expect(whole.ids).toEqual(rest.map(({ id }) => id));
          expect(whole.totalCount).toBe(rest.length);
        },
      ),
      { numRuns: 40 },
    );
  });
});
