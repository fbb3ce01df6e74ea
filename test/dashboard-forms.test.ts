import fc from "fast-check";
import { print } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { helpOf } from "../dashboard/src/forms/help.js";
import {
  changedFields,
  filledIn,
  inputOf,
  isEmpty,
  isSame,
  merged,
  type Values,
} from "../dashboard/src/forms/values.js";
import { INPUTS } from "../dashboard/src/generated/inputs.js";
import { RESOURCE_OPERATIONS } from "../dashboard/src/generated/resource-operations.js";
import { fillWithDemo } from "./harness/demo.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// What forms of the dashboard hold, and what they send.

describe("a form that is filled with a resource", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await fillWithDemo(server);
    await rest(server, "POST", "/api_keys", { description: "Pipeline", scope: "read" });
  });
  afterAll(() => server.stop());

  const kinds = Object.entries(RESOURCE_OPERATIONS);

  it.each(kinds)(
    "has all of it, so sending it again changes nothing: %s",
    async (name, documents) => {
      const type = `Update${name}Input`;
      const { page } = await graphql(server, print(documents.list), { first: 100 });
      expect(page.nodes.length).toBeGreaterThan(0);
      for (const item of page.nodes as Fields[]) {
        const input = inputOf(type, item);
        expect(changedFields(input, structuredClone(input))).toEqual({});
        const { result } = await graphql(server, print(documents.update), {
          id: item.id,
          input: filledIn(input),
          expectedVersion: item.version,
          dryRun: true,
        });
        expect(result.changes).toEqual([]);
      }
    },
  );
});

const names = fc.constantFrom("a", "b", "c");
const parts = fc.letrec<{ value: unknown; part: Values }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("", "x", "y", 0, 1, true, false, null, undefined),
    fc.array(fc.constantFrom("x", "y"), { maxLength: 2 }),
    tie("part"),
  ),
  part: fc.dictionary(names, tie("value"), { maxKeys: 3 }),
})).part;

/** What the server has after an input: null clears, what is absent stays. */
const applied = (base: Values, sent: Values): Values => ({ ...base, ...sent });

describe("what a form sends", () => {
  it("is nothing when it holds what it was filled with", () =>
    fc.assert(
      fc.property(parts, (part) => {
        expect(changedFields(part, structuredClone(part))).toEqual({});
      }),
    ));

  it("makes of what it was filled with what it holds", () =>
    fc.assert(
      fc.property(parts, parts, (base, held) => {
        expect(isSame(applied(base, changedFields(base, held)), held)).toBe(true);
      }),
    ));

  it("is without what is empty, at any depth", () =>
    fc.assert(
      fc.property(parts, (part) => {
        expect(JSON.stringify(filledIn(part))).not.toMatch(/:(""|null)[,}]/);
      }),
    ));

  it("has nothing where nothing was filled in", () => {
    for (const value of [undefined, null, "", [], {}, { a: "", b: null }]) {
      expect(isEmpty(value)).toBe(true);
    }
    for (const value of [0, false, "x", [""], { a: false }, { a: {} }]) {
      expect(isEmpty(value)).toBe(false);
    }
  });

  it("is, after a conflict, what somebody typed together with what the other person changed", () =>
    fc.assert(
      fc.property(parts, parts, parts, (base, mine, theirs) => {
        const both = merged(base, mine, theirs);
        for (const name of ["a", "b", "c"]) {
          const isMine = !isSame(base[name], mine[name]);
          expect(isSame(both[name], isMine ? mine[name] : theirs[name])).toBe(true);
        }
      }),
    ));
});

describe("the help of a field", () => {
  const descriptions = Object.entries(INPUTS)
    .filter(([name]) => !name.endsWith("Filter"))
    .flatMap(([, { fields }]) => fields.map(({ description }) => description));

  it("says nothing of null or of empty objects, and is a sentence", () => {
    expect(descriptions.length).toBeGreaterThan(200);
    for (const description of descriptions) {
      const help = helpOf(description);
      expect(help).toMatch(/^[A-Z`].*\.$/s);
      expect(help).not.toMatch(/\bnull\b|`\{\}`|by its id|an update|of the map/i);
      expect(help).not.toMatch(/`[a-z]+[A-Z]\w*`|`[A-Z]{2}\w*`/);
    }
  });

  it.each([
    ["Compresses responses; null means no compression.", "Compresses responses."],
    [
      "The id of the authority that signs the certificate.",
      "The authority that signs the certificate.",
    ],
    ["The ids of the IP policies: 1 to 100.", "The IP policies: 1 to 100."],
    [
      "The type of the keys; default `LETSENCRYPT`.",
      "The type of the keys; default “Let's Encrypt”.",
    ],
    ["Give it together with `clientSecret`.", "Give it together with “Client secret”."],
    ["The address to forward to, as `host:port`.", "The address to forward to, as `host:port`."],
    ["The id of your own application.", "The id of your own application."],
  ])("%s → %s", (description, help) => expect(helpOf(description)).toBe(help));
});
