import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

// Which room of src may import which. A room is a folder, or a file directly in src.

const SRC = fileURLToPath(new URL("../src", import.meta.url));

const ARCHITECTURE = readFileSync(new URL("../ARCHITECTURE.md", import.meta.url), "utf8");

/** The rooms from the top down, as the table has them: a file imports from its own room and from rooms below it. */
const ROOMS: readonly string[] = [...ARCHITECTURE.matchAll(/^\| `([a-z/-]+)` \|/gm)].map(
  ([, room]) => room ?? "",
);

/** What the picture leaves out. */
const UNDRAWN: readonly string[] = [
  "config",
  "dashboard",
  "installation",
  "log",
  "openapi",
  "trace",
  "rest/transport/reference",
  "schema/transport/graphiql",
  "domain/lists/filters",
  "database/generated",
];

/** Which part may import which besides, as the rule says. A part is a top folder of src, or a file directly in it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = partsIn(ARCHITECTURE);

/** Packages that belong to some parts only. */
const PACKAGES: readonly { readonly name: RegExp; readonly parts: readonly string[] }[] = [
  { name: /^(@prisma\/|prisma$|pg$|pg-copy-streams$|@electric-sql\/)/, parts: ["database"] },
  { name: /^(hono|@hono\/)/, parts: ["rest", "app"] },
  { name: /^graphql$/, parts: ["schema", "openapi"] },
  { name: /^(graphql-|@pothos\/)/, parts: ["schema"] },
  { name: /^dataloader$/, parts: ["domain", "schema"] },
  { name: /^@marcbachmann\/cel-js$/, parts: ["domain"] },
  { name: /^pino$/, parts: ["app", "server", "installation", "log", "telemetry"] },
  { name: /^(prom-client$|@opentelemetry\/)/, parts: ["telemetry"] },
  { name: /^(commander|cli-progress)$/, parts: ["commands"] },
  { name: /^(compression|cors)$/, parts: ["http"] },
  { name: /^rate-limiter-flexible$/, parts: ["admission"] },
];

/** The only file of the database that others import. */
const DATABASE_ENTRIES: readonly string[] = ["database/index.ts"];
/** What opens the database needs besides. */
const INSTALLATION_ENTRIES: readonly string[] = [
  ...DATABASE_ENTRIES,
  "database/disk/data-directory.ts",
  "database/disk/key-file.ts",
];

interface Source {
  /** Relative to src, with `/`. */
  readonly file: string;
  readonly text: string;
}

/** One line for each import that is not allowed. */
function violations({ file, text }: Source): string[] {
  return importsOf(text).flatMap((specifier) => {
    const allowed = specifier.startsWith(".")
      ? mayImportFile(file, resolved(file, specifier))
      : mayImportPackage(partOf(file), specifier);
    return allowed ? [] : [`${file} must not import ${specifier}`];
  });
}

function mayImportFile(file: string, imported: string): boolean {
  if (!isBelow(roomOf(file), roomOf(imported))) return false;
  const [from, to] = [partOf(file), partOf(imported)];
  if (to === from) return true;
  if (!MAY_IMPORT[from]?.includes(to)) return false;
  if (to !== "database") return true;
  return (from === "installation" ? INSTALLATION_ENTRIES : DATABASE_ENTRIES).includes(imported);
}

/** Whether `to` is the room `from`, or stands below it. Both must be known. */
function isBelow(from: string, to: string): boolean {
  return ROOMS.includes(from) && ROOMS.indexOf(to) >= ROOMS.indexOf(from);
}

function mayImportPackage(from: string, specifier: string): boolean {
  const owned = PACKAGES.find(({ name }) => name.test(specifier));
  return owned === undefined || owned.parts.includes(from);
}

function partOf(file: string): string {
  return file.split("/", 1)[0]?.replace(/\.ts$/, "") ?? "";
}

/** What the rule about parts says: "`a` imports from `b` and `c`; `d` and `e` from `f`; the others from nothing." */
function partsIn(text: string): Record<string, string[]> {
  const rule = /\*\*Parts\.\*\*([^.]*)\./.exec(text)?.[1] ?? "";
  const named = (list = "") => [...list.matchAll(/`([a-z]+)`/g)].map(([, part]) => part ?? "");
  const said = rule.split(";").flatMap((clause) => {
    const [importing, imported] = clause.split(/\bfrom\b/);
    return named(importing).map((part) => [part, named(imported)] as const);
  });
  const silent = ROOMS.map((room) => [room.split("/", 1)[0] ?? "", []] as const);
  return Object.fromEntries([...silent, ...said]);
}

function roomOf(file: string): string {
  return file.includes("/") ? path.posix.dirname(file) : partOf(file);
}

/** The file of src that `specifier` names in `file`. */
function resolved(file: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, ".ts");
}

/** The files of each circle of imports, types included. */
function circles(sources: readonly Source[]): string[][] {
  const imports = new Map(
    sources.map(({ file, text }) => [
      file,
      importsOf(text)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => resolved(file, specifier)),
    ]),
  );
  // Whoever is imported by nobody that is left, or imports nobody that is left, is in no circle.
  for (;;) {
    const imported = new Set([...imports.values()].flat());
    const free = [...imports].filter(
      ([file, others]) => !imported.has(file) || !others.some((other) => imports.has(other)),
    );
    if (free.length === 0) return imports.size === 0 ? [] : [[...imports.keys()].sort()];
    for (const [file] of free) imports.delete(file);
  }
}

/**
 * What a file imports or exports from elsewhere, also by `import()`, `require` and in types. Throws for a name that is
 * no literal, which nobody could check.
 */
function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/.*$/gm, "");
  const unknown = /\b(?:import|require)\s*\(\s*[^"'`\s]/.exec(code);
  if (unknown) throw new Error(`Only literals are imported, and not ${unknown[0]}…`);
  const statement = /\b(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']/g;
  const bare = /\bimport\s*["']([^"']+)["']/g;
  const call = /\b(?:import|require)\s*\(\s*["'`]([^"'`]+)/g;
  return [statement, bare, call].flatMap((form) =>
    [...code.matchAll(form)].map(([, specifier]) => specifier ?? ""),
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

  it("have a place for every room", () => {
    const rooms = new Set(sources.map(({ file }) => roomOf(file))).add("database/generated");
    expect([...rooms].sort()).toEqual([...ROOMS].sort());
  });

  it("are drawn by their names", () => {
    const picture = /```([\s\S]*?)```/.exec(ARCHITECTURE)?.[1] ?? "";
    const drawn = new Set(picture.match(/[a-z]+/g));
    const names = ROOMS.filter((room) => !UNDRAWN.includes(room)).map((room) =>
      path.basename(room),
    );
    expect(names.filter((name) => !drawn.has(name))).toEqual([]);
  });

  it("make every arrow between parts that the rule allows", () => {
    const arrows = new Set(
      sources.flatMap(({ file, text }) =>
        importsOf(text)
          .filter((specifier) => specifier.startsWith("."))
          .map((specifier) => `${partOf(file)} ${partOf(resolved(file, specifier))}`),
      ),
    );
    const allowed = Object.entries(MAY_IMPORT).flatMap(([from, to]) =>
      to.map((part) => `${from} ${part}`),
    );
    expect(allowed.filter((arrow) => !arrows.has(arrow))).toEqual([]);
    expect(allowed).toHaveLength(48);
  });

  it("form no circle of files", () => {
    expect(circles(sources)).toEqual([]);
  });

  it("keep to the table", () => {
    expect(sources.flatMap(violations)).toEqual([]);
  });
});

describe("the checker", () => {
  it.each([
    ["domain/a.ts", 'import { contract } from "../rest/index.js";'],
    ["domain/modules/a.ts", 'import type { Row } from "../../rest/contract/contract.js";'],
    ["domain/a.ts", 'import { builder } from "../schema/builder/builder.js";'],
    ["domain/a.ts", 'import type { Trace } from "../trace.js";'],
    ["domain/a.ts", 'import { PrismaClient } from "../database/generated/client.js";'],
    ["domain/a.ts", 'import { PrismaPg } from "@prisma/adapter-pg";'],
    ["domain/a.ts", 'import { createGraphQLError } from "graphql-yoga";'],
    ["domain/a.ts", 'import { Hono } from "hono";'],
    ["schema/a.ts", 'import {\n  type Row,\n  contract,\n} from "../rest/contract/contract.js";'],
    ["schema/modules/a.ts", 'export { contract } from "../../rest/contract/contract.js";'],
    ["schema/a.ts", 'import { Prisma } from "../database/index.js";'],
    ["schema/a.ts", 'import { readConfig } from "../config.js";'],
    ["rest/a.ts", 'import "../schema/index.js";'],
    ["rest/a.ts", 'import type { Database } from "../database/index.js";'],
    ["rest/a.ts", 'import { Pool } from "pg";'],
    ["rest/a.ts", 'import { parse } from "graphql";'],
    ["rest/a.ts", 'const { schema } = await import("../schema/index.js");'],
    ["app.ts", 'import { openDatabase } from "./database/index.js";'],
    ["app.ts", 'import "./server/serve.js";'],
    ["database/a.ts", 'import type { Context } from "../domain/core/context.js";'],
    ["config.ts", 'import { RESOURCES } from "./domain/core/ids.js";'],
    ["domain/storage/a.ts", 'import type { HttpsEdge } from "../https-edges.js";'],
    ["domain/core/a.ts", 'import { lockRow } from "../storage/rows.js";'],
    ["domain/lists/a.ts", 'import { member } from "./filters/filter.js";'],
    ["domain/a.ts", 'import { usersOfBackend } from "./questions/usage.js";'],
    ["schema/builder/a.ts", 'import { IpPolicyType } from "../ip-policies.js";'],
    ["schema/transport/limits/a.ts", 'import { createGraphql } from "../server.js";'],
    ["database/disk/a.ts", 'import { openPool } from "../connection/pool.js";'],
    ["domain/utilities/a.ts", 'import { newId } from "../core/ids.js";'],
    ["rest/a.ts", "import { parse } from 'graphql';"],
    ["rest/a.ts", '  import { parse } from "graphql";'],
    ["rest/a.ts", '/* first */ import { parse } from "graphql";'],
    ["rest/a.ts", 'import { parse /* ; */ } from "graphql";'],
    ["rest/a.ts", 'const { parse } = await import(/* later */ "graphql");'],
    ["rest/a.ts", 'import graphql = require("graphql");'],
  ])("refuses in %s: %s", (file, text) => {
    expect(violations({ file, text })).toHaveLength(1);
  });

  it("refuses to guess the name of what is imported", () => {
    expect(() => importsOf("const found = await import(name);")).toThrow(/literals/);
  });

  it.each([
    ["server/serving.ts", 'import { createApp } from "../app.js";'],
    [
      "installation/storage.ts",
      'import { openDataDirectory } from "../database/disk/data-directory.js";',
    ],
    ["app.ts", 'import { createRest, type RestOptions } from "./rest/transport/server.js";'],
    ["schema/a.ts", 'import type { Trace } from "../trace.js";'],
    ["rest/a.ts", 'import { parse } from "../domain/core/fields.js";'],
    ["domain/modules/a.ts", 'import { Prisma } from "../../database/index.js";'],
    ["domain/a.ts", 'import { randomBytes } from "node:crypto";\nimport { z } from "zod";'],
  ])("allows in %s: %s", (file, text) => {
    expect(violations({ file, text })).toEqual([]);
  });
});

describe("circles", () => {
  const source = (file: string, ...imported: string[]) => ({
    file,
    text: imported.map((other) => `import type { A } from "${other}";`).join("\n"),
  });

  it("are found, however long, and of types as well", () => {
    const found = circles([
      source("domain/a.ts", "./b.js"),
      source("domain/b.ts", "./core/c.js"),
      source("domain/core/c.ts", "../a.js"),
      source("domain/d.ts", "./a.js"),
    ]);
    expect(found).toEqual([["domain/a.ts", "domain/b.ts", "domain/core/c.ts"]]);
  });

  it("are none where two ways lead to one file", () => {
    const sources = [
      source("domain/a.ts", "./b.js", "./c.js"),
      source("domain/b.ts", "./c.js"),
      source("domain/c.ts"),
    ];
    expect(circles(sources)).toEqual([]);
  });
});
