import { afterAll, beforeAll, expect, it } from "vitest";
import { ALL_REFERENCES } from "../src/domain/storage/graph.js";
import { startServer, type TestServer } from "./harness/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Tables that have references of their own and hold no resources and no links between them. */
const OTHERS = ["applied_keys", "ssh_serials"];

interface ForeignKey {
  readonly table: string;
  readonly column: string;
  readonly to: string;
  /** `c` for cascade, `r` for restrict. */
  readonly onDelete: string;
}

it("has every foreign key between resources, and no other reference", async () => {
  const keys = await server.context.db.$queryRaw<ForeignKey[]>`
    SELECT key.conrelid::regclass::text AS table, attribute.attname AS column,
      key.confrelid::regclass::text AS to, key.confdeltype::text AS "onDelete"
    FROM pg_constraint AS key JOIN pg_attribute AS attribute
      ON attribute.attrelid = key.conrelid AND attribute.attnum = key.conkey[1]
    WHERE key.contype = 'f' AND NOT key.conrelid::regclass::text = ANY(${OTHERS}::text[])`;
  // A link goes with the row that it is of.
  const ownLinks = ALL_REFERENCES.filter(({ isList }) => isList).map(({ table, owner, from }) => ({
    table,
    column: owner,
    to: from,
    onDelete: "c",
  }));
  const references = ALL_REFERENCES.map(({ table, column, to, isPart }) => ({
    table,
    column,
    to,
    onDelete: isPart ? "c" : "r",
  }));
  expect(new Set([...references, ...ownLinks].map(textOf))).toEqual(new Set(keys.map(textOf)));
});

function textOf({ table, column, to, onDelete }: ForeignKey): string {
  return `${table}.${column} -> ${to} (${onDelete})`;
}
