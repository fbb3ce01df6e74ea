import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

// Which part of src may import which. A part is a folder of src, or a file directly in it.

const SRC = fileURLToPath(new URL("../src", import.meta.url));

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  server: ["app", "config", "database", "domain", "http"],
  app: ["schema", "rest", "domain", "http", "trace"],
  config: [],
  trace: [],
  http: [],
  schema: ["domain", "http", "trace"],
  rest: ["domain", "http", "trace"],
  domain: ["database"],
  database: [],
};

/** Packages that belong to some parts only. */
const PACKAGES: readonly { readonly name: RegExp; readonly parts: readonly string[] }[] = [
  { name: /^(@prisma\/|prisma$|pg$|@electric-sql\/)/, parts: ["database"] },
  { name: /^(hono|@hono\/)/, parts: ["rest", "app"] },
  { name: /^(graphql|@pothos\/)/, parts: ["schema"] },
  { name: /^dataloader$/, parts: ["domain", "schema"] },
  { name: /^pino$/, parts: ["app", "server"] },
];

/** The only file of the database that others import. */
const DATABASE_ENTRIES: readonly string[] = ["database/index.ts"];
/** What the start of the process needs besides. */
const SERVER_ENTRIES: readonly string[] = [...DATABASE_ENTRIES, "database/data-directory.ts"];

interface Source {
  /** Relative to src, with `/`. */
  readonly file: string;
  readonly text: string;
}

/** One line for each import that is not allowed. */
function violations({ file, text }: Source): string[] {
  const from = partOf(file);
  return importsOf(text).flatMap((specifier) => {
    const allowed = specifier.startsWith(".")
      ? mayImportFile(from, path.posix.join(path.posix.dirname(file), specifier))
      : mayImportPackage(from, specifier);
    return allowed ? [] : [`${file} must not import ${specifier}`];
  });
}

function mayImportFile(from: string, imported: string): boolean {
  const file = imported.replace(/\.js$/, ".ts");
  const to = partOf(file);
  if (to === from) return true;
  if (!MAY_IMPORT[from]?.includes(to)) return false;
  if (to !== "database") return true;
  return (from === "server" ? SERVER_ENTRIES : DATABASE_ENTRIES).includes(file);
}

function mayImportPackage(from: string, specifier: string): boolean {
  const owned = PACKAGES.find(({ name }) => name.test(specifier));
  return owned === undefined || owned.parts.includes(from);
}

function partOf(file: string): string {
  return file.split("/", 1)[0]?.replace(/\.ts$/, "") ?? "";
}

/** What a file imports or exports from elsewhere, also by `import()` and in types. */
function importsOf(text: string): string[] {
  const statement = /^(?:import|export)\b[^;]*?\bfrom\s*"([^"]+)"|^import\s*"([^"]+)"/gm;
  const call = /\bimport\(\s*["'`]([^"'`]+)/g;
  return [...text.matchAll(statement), ...text.matchAll(call)].map(
    ([, from, bare]) => from ?? bare ?? "",
  );
}

const sources: Source[] = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.split(path.sep).join("/"))
  .filter((file) => file.endsWith(".ts") && !file.startsWith("database/generated/"))
  .map((file) => ({ file, text: readFileSync(path.join(SRC, file), "utf8") }));

describe("the imports of src", () => {
  it("are read from every part", () => {
    const parts = new Set(sources.map(({ file }) => partOf(file)));
    expect([...parts].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
    expect(sources.length).toBeGreaterThan(80);
    const importing = sources.filter(({ text }) => importsOf(text).length > 0);
    expect(importing.length).toBeGreaterThan(sources.length * 0.9);
  });

  it("keep to the table", () => {
    expect(sources.flatMap(violations)).toEqual([]);
  });
});

describe("the checker", () => {
  it.each([
    ["domain/a.ts", 'import { contract } from "../rest/index.js";'],
    ["domain/modules/a.ts", 'import type { Row } from "../../rest/contract.js";'],
    ["domain/a.ts", 'import { builder } from "../schema/builder.js";'],
    ["domain/a.ts", 'import type { Trace } from "../trace.js";'],
    ["domain/a.ts", 'import { PrismaClient } from "../database/generated/client.js";'],
    ["domain/a.ts", 'import { PrismaPg } from "@prisma/adapter-pg";'],
    ["domain/a.ts", 'import { createGraphQLError } from "graphql-yoga";'],
    ["domain/a.ts", 'import { Hono } from "hono";'],
    ["schema/a.ts", 'import {\n  type Row,\n  contract,\n} from "../rest/contract.js";'],
    ["schema/modules/a.ts", 'export { contract } from "../../rest/contract.js";'],
    ["schema/a.ts", 'import { Prisma } from "../database/index.js";'],
    ["schema/a.ts", 'import { readConfig } from "../config.js";'],
    ["rest/a.ts", 'import "../schema/index.js";'],
    ["rest/a.ts", 'import type { Database } from "../database/index.js";'],
    ["rest/a.ts", 'import { Pool } from "pg";'],
    ["rest/a.ts", 'import { parse } from "graphql";'],
    ["rest/a.ts", 'const { schema } = await import("../schema/index.js");'],
    ["app.ts", 'import { openDatabase } from "./database/index.js";'],
    ["app.ts", 'import "./server.js";'],
    ["database/a.ts", 'import type { Context } from "../domain/context.js";'],
    ["config.ts", 'import { RESOURCES } from "./domain/ids.js";'],
  ])("refuses in %s: %s", (file, text) => {
    expect(violations({ file, text })).toHaveLength(1);
  });

  it.each([
    ["server.ts", 'import { createApp } from "./app.js";'],
    ["server.ts", 'import { openDataDirectory } from "./database/data-directory.js";'],
    ["app.ts", 'import { createRest, type RestOptions } from "./rest/server.js";'],
    ["schema/a.ts", 'import type { Trace } from "../trace.js";'],
    ["rest/a.ts", 'import { parse } from "../domain/fields.js";'],
    ["domain/modules/a.ts", 'import { Prisma } from "../../database/index.js";'],
    ["domain/a.ts", 'import { randomBytes } from "node:crypto";\nimport { z } from "zod";'],
  ])("allows in %s: %s", (file, text) => {
    expect(violations({ file, text })).toEqual([]);
  });
});
