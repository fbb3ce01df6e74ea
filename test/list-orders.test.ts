import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { markAgain } from "./harness/marks.js";
import { idAt, type Page as PlainPage, START, walkBy } from "./harness/paging.js";
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
  readonly updatedAt: Date;
  readonly description: string;
  readonly metadata: string;
  readonly hostports: string[];
}

async function insert(rows: readonly Row[]): Promise<void> {
  await server.context.db.tlsEdge.createMany({ data: [...rows] });
  await markAgain(server);
}

const row = (second: number, fields: Partial<Row> = {}): Row => ({
  id: idAt("edgtls", second),
  createdAt: new Date(START + second * 1000),
  updatedAt: new Date(START + second * 1000),
  description: "",
  metadata: "",
  hostports: [],
  ...fields,
});

interface Page extends PlainPage {
  readonly cursors: string[];
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
/** Seconds after the start at which they were changed. */
const CHANGED = [9.001, 50, 7, 7, 9, 30, 30, 7, 12.5, 9.999];
/** How they are served first; one is served nowhere. */
const SERVED = [
  ...["b.example:1", "B.example:1", "a.example:2", "A.example:10", "a.b.example:1"],
  ...["[2001:DB8::A]:443", "*.a.example:1", null, "[2001:db8:0::a]:443", "10.0.0.1:1"],
];

function rowsOfEveryShape(): Row[] {
  return DESCRIBED.map((description, index) => {
    const updatedAt = new Date(START + (CHANGED[index] ?? 0) * 1000);
    const first = SERVED[index];
    return row(index, { description, updatedAt, hostports: first ? [first, "0.example:443"] : [] });
  });
}

const FIELDS = ["CREATED_AT", "UPDATED_AT", "DESCRIPTION", "HOSTPORT"];

describe("an order", () => {
  it.each<Fields | null>([
    null,
    {},
    { field: null, direction: null },
    { direction: "ASC" },
    ...FIELDS.flatMap((field) => [{ field }, { field, direction: "ASC" }]),
  ])("of %j is kept from page to page, forwards and backwards", async (orderBy) => {
    const rows = rowsOfEveryShape();
    await insert(rows);
    const expected = inOrder(rows, orderBy ?? {}).map(({ id }) => id);
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

  it.each([
    ["DESCRIPTION", { description: "z" }],
    ["UPDATED_AT", { updatedAt: new Date(START + 99_000) }],
    ["HOSTPORT", { hostports: ["z.example:443"] }],
  ])(
    "by %s goes on where a cursor was, also when that row changes or is deleted",
    async (field, data) => {
      const rows = ["a", "b", "c", "d"].map((name, index) =>
        row(index, { description: name, hostports: [`${name}.example:443`] }),
      );
      await insert(rows);
      const ids = rows.map(({ id }) => id);
      const orderBy = { field, direction: "ASC" };
      const after = (await page({ orderBy, first: 2 })).pageInfo.endCursor;
      const where = { id: ids[1] ?? "" };
      await server.context.db.tlsEdge.update({ where, data });
      expect((await page({ orderBy, after })).ids).toEqual([ids[2], ids[3], ids[1]]);
      await server.context.db.tlsEdge.delete({ where });
      expect((await page({ orderBy, after })).ids).toEqual([ids[2], ids[3]]);
    },
  );

  it("refuses the cursors of every other", async () => {
    await insert(rowsOfEveryShape());
    for (const field of FIELDS) {
      const after = (await page({ orderBy: { field } })).cursors[0];
      for (const other of FIELDS.filter((other) => other !== field)) {
        await expect(page({ after, orderBy: { field: other } })).rejects.toMatchObject({
          issues: {
            after: `is a cursor of a list ordered by ${field}, and this one is ordered by ${other}`,
          },
        });
      }
    }
  });

  it.each([
    ["DESCRIPTION", ["a\0", "\ud800", "x".repeat(256), null, 1]],
    ["UPDATED_AT", ["", "yesterday", "2026-01-01", "0000-01-01T00:00:00.000Z", null, 1]],
    ["HOSTPORT", ["", "a", "[::x]:1", "a\0:1", 1]],
  ])("by %s refuses a cursor that was made up", async (field, values) => {
    const name = field.toLowerCase();
    const forged = [
      ...values.map((value) => JSON.stringify([name, value, "edgtls_1"])),
      ...['["a"]', "{}", "", "x", "null", `["${name}","a","1"]`, `["${name}","a:1"]`],
    ];
    for (const text of forged) {
      const after = Buffer.from(text).toString("base64url");
      await expect(page({ after, orderBy: { field } })).rejects.toMatchObject({
        issues: { after: "is not a cursor of this API" },
      });
    }
  });

  it("by creation refuses what is no cursor, and cursors of other lists", async () => {
    await expect(page({ after: "?" })).rejects.toMatchObject({
      issues: { after: "is not a cursor of this API" },
    });
    for (const after of ["ipp_1", "chg_1Z1", "nothing_1"]) {
      await expect(page({ after })).rejects.toMatchObject({
        issues: { after: "is a cursor of another list" },
      });
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
      (
        await graphql(
          server,
          `{ backends(${args}) { totalCount nodes { id } pageInfo { endCursor } } }`,
        )
      ).backends;
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
    // Their descriptions are equal, and the changes of every two of them.
    const byDescription = "orderBy: { field: DESCRIPTION }";
    expect(await idsOf(byDescription)).toEqual(newest);
    const { endCursor } = (await read(`first: 3, ${byDescription}`)).pageInfo;
    expect(await idsOf(`${byDescription}, after: "${endCursor}"`)).toEqual(newest.slice(3));
    await server.context.db.backend.updateMany({ data: { updatedAt: new Date(START) } });
    expect(await idsOf("orderBy: { field: UPDATED_AT, direction: ASC }")).toEqual(
      [...newest].reverse(),
    );
    expect(await idsOf("filter: { kind: STATIC }, orderBy: { field: UPDATED_AT }")).toEqual([
      newest[1],
      newest[5],
    ]);
  });
});

/** Every id of a list, page by page. */
function walk(
  variables: Fields,
  size: number,
  way: "forwards" | "backwards",
  meanwhile: () => Promise<void> = async () => {},
): Promise<string[]> {
  const forwards = way === "forwards";
  return walkBy(
    forwards,
    (cursor) =>
      page({
        ...variables,
        ...(forwards ? { first: size, after: cursor } : { last: size, before: cursor }),
      }),
    meanwhile,
  );
}

const fold = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const KEYS: Readonly<Record<string, (row: Row) => string>> = {
  UPDATED_AT: ({ updatedAt }) => updatedAt.toISOString(),
  DESCRIPTION: ({ description }) => fold(description),
  HOSTPORT: ({ hostports: [first = ""] }) => fold(first).replace("2001:db8:0::a", "2001:db8::a"),
};

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
const hostports = fc.uniqueArray(
  fc.constantFrom("a.example:1", "A.Example:1", "B.example:2", "abc.d:3", "[2001:DB8::A]:1"),
  { maxLength: 2 },
);
const second = fc.integer({ min: 0, max: 12 });
const anyRow = fc
  .record({ second, updated: second, description: texts, metadata: texts, hostports })
  .map(({ second, updated, ...fields }) =>
    row(second, { ...fields, updatedAt: new Date(at(updated)) }),
  );

const anyFilter = fc.record(
  {
    search: fc.constantFrom(
      "",
      "a",
      "AB",
      "bc",
      "%y",
      "e!",
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
    updatedAfter: second.map(at),
    updatedBefore: second.map(at),
    hostport: fc.constantFrom("", "a.example:1", "ABC.D:3", "none.example:9"),
  },
  { requiredKeys: [] },
);
const anyOrder = fc.record(
  {
    field: fc.constantFrom(...FIELDS),
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
  readonly updatedAfter?: string;
  readonly updatedBefore?: string;
  readonly hostport?: string;
}

function isFound(row: Row, { search = "", hostport = "", ...times }: Filter): boolean {
  const lines = [row.description, row.metadata, ...row.hostports].map(fold);
  const text = fold(search);
  const { createdAfter, createdBefore, updatedAfter, updatedBefore } = times;
  return (
    lines.some((line) => (text.length < 2 ? line.startsWith(text) : line.includes(text))) &&
    (createdAfter === undefined || row.createdAt >= new Date(createdAfter)) &&
    (createdBefore === undefined || row.createdAt < new Date(createdBefore)) &&
    (updatedAfter === undefined || row.updatedAt >= new Date(updatedAfter)) &&
    (updatedBefore === undefined || row.updatedAt < new Date(updatedBefore)) &&
    (hostport === "" || row.hostports.some((each) => fold(each) === fold(hostport)))
  );
}

function inOrder(rows: readonly Row[], { field, direction }: Fields): Row[] {
  const key = KEYS[field ?? ""] ?? (() => "");
  const ascending = [...rows].sort(
    (one, other) => compare(key(one), key(other)) || compare(one.id, other.id),
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
              what: fc.constantFrom("insert", "delete", "change"),
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
            const { description, updatedAt, hostports } = change.row;
            const data = { description, updatedAt, hostports };
            if (known) versions.push({ ...known, ...data });
            await server.context.db.tlsEdge.updateMany({ where: { id }, data });
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
      { numRuns: 60 },
    );
  });
});
