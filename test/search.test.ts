import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql } from "./harness/transports.js";

// What a text search finds among texts of every shape, whatever it is made of.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Of each kind of characters that a search could take for something else, `ᚠ` among them: it begins stored lines. */
const characters = fc.constantFrom(
  ...["a", "B", "b", "ä", "Ä", "1", " ", ".", "%", "_", "\\", "'", '"', "{", "ᚠ", "😀", "字"],
);
const line = fc.string({ unit: characters, maxLength: 8 });
const lines = fc.array(line, { maxLength: 3 }).map((all) => all.join("\n"));
const searched = fc
  .string({ unit: characters, minLength: 1, maxLength: 4 })
  .filter((text) => text.trim() !== "");

interface Texts {
  readonly description: string;
  readonly metadata: string;
}

const SEARCH =
  "query($search: String!) { ipPolicies(first: 100, filter: { search: $search }) { totalCount nodes { description metadata } } }";

/** Those of `rows` that have `text`: at the beginning of a line when it is a single character. */
function having(rows: readonly Texts[], text: string): Texts[] {
  const wanted = text.trim().toLowerCase();
  const isSingle = [...text.trim()].length === 1;
  return rows.filter(({ description, metadata }) =>
    `${description}\n${metadata}`
      .toLowerCase()
      .split("\n")
      .some((line) => (isSingle ? line.startsWith(wanted) : line.includes(wanted))),
  );
}

const inOrder = (rows: readonly Texts[]) =>
  rows.map(({ description, metadata }) => `${description}\n\n${metadata}`).sort();

describe("a text search", () => {
  it("finds the rows with a line that has the text, or that begins with a single character, and no others", async () => {
    const { db } = server.context;
    const texts = fc.array(fc.record({ description: lines, metadata: lines }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.array(searched, { minLength: 1, maxLength: 8 }),
        async (rows, all) => {
          await db.ipPolicy.deleteMany();
          const at = new Date();
          await db.ipPolicy.createMany({
            data: rows.map((row, n) => ({
              ...row,
              id: `ipp_${String(n).padStart(27, "0")}`,
              createdAt: at,
              updatedAt: at,
            })),
          });
          for (const search of all) {
            const data: Fields = await graphql(server, SEARCH, { search });
            const expected = having(rows, search);
            expect(inOrder(data.ipPolicies.nodes)).toEqual(inOrder(expected));
            expect(data.ipPolicies.totalCount).toBe(expected.length);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
