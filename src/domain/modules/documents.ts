import type { z } from "zod";
import { Prisma } from "../../database/index.js";
import { isSameJson } from "../formats/json.js";
import type { DocumentModule, StoringPlace } from "./module.js";

/** The document modules that a kind of owner carries, by the name of their column. */
export type DocumentModules = Readonly<Record<string, DocumentModule<unknown, object, unknown>>>;

type InputOf<Module> =
  Module extends DocumentModule<infer Input, infer _, infer __> ? Input : never;
type ValueOf<Module> =
  Module extends DocumentModule<infer _, infer __, infer Value> ? Value : never;

/** The modules in the view of an owner; null for a module that is not set. */
export type DocumentValues<Modules> = {
  readonly [Name in keyof Modules]: ValueOf<Modules[Name]> | null;
};

/** The modules in an input: absent keeps a module, null removes it, a value replaces it as a whole. */
export type DocumentInputs<Modules> = {
  readonly [Name in keyof Modules]?: InputOf<Modules[Name]> | null | undefined;
};

/** The fields of an owner's input for its modules, of either kind. */
export function moduleInputs<
  Modules extends Readonly<Record<string, { readonly rule: z.ZodType }>>,
>(modules: Modules) {
  const fields = Object.entries(modules).map(([name, { rule }]) => [name, rule.nullish()]);
  return Object.fromEntries(fields) as {
    [Name in keyof Modules]: z.ZodOptional<z.ZodNullable<Modules[Name]["rule"]>>;
  };
}

type Columns<Modules> = {
  [Name in keyof Modules]?: Prisma.InputJsonValue | typeof Prisma.DbNull;
};

/** The columns of a new owner, null for a module that is not given, and what it shows of them. */
export function newDocuments<Modules extends DocumentModules>(
  modules: Modules,
  inputs: DocumentInputs<Modules>,
  place: StoringPlace,
): {
  readonly columns: {
    readonly [Name in keyof Modules]: Prisma.InputJsonObject | typeof Prisma.DbNull;
  };
  readonly values: DocumentValues<Modules>;
} {
  const settled = Object.entries(modules).map(([name, module]) => {
    const input = inputs[name] ?? null;
    return [name, input === null ? null : module.store(input, place, null)] as const;
  });
  const columns = settled.map(([name, module]) => [name, module?.stored ?? Prisma.DbNull]);
  const values = settled.map(([name, module]) => [name, module?.value ?? null]);
  return {
    columns: Object.fromEntries(columns),
    values: Object.fromEntries(values) as DocumentValues<Modules>,
  };
}

/** The changes of `inputs`; a module that is given unchanged has none. */
export function changedDocuments<Modules extends DocumentModules>(
  modules: Modules,
  inputs: DocumentInputs<Modules>,
  current: DocumentValues<Modules>,
  stored: Readonly<Record<string, unknown>>,
  place: StoringPlace,
): { readonly columns: Columns<Modules>; readonly values: Partial<DocumentValues<Modules>> } {
  const columns: Record<string, object> = {};
  const values: Record<string, unknown> = {};
  for (const [name, module] of Object.entries(modules)) {
    const input = inputs[name];
    if (input === undefined) continue;
    const shown = current[name] ?? null;
    if (input === null) {
      if (shown === null) continue;
      columns[name] = Prisma.DbNull;
      values[name] = null;
      continue;
    }
    const previous = shown === null ? null : module.parse(stored[name]);
    const next = module.store(input, place, previous);
    if (previous !== null && isSameJson(shown, next.value)) continue;
    columns[name] = next.stored;
    values[name] = next.value;
  }
  return {
    columns: columns as Columns<Modules>,
    values: values as Partial<DocumentValues<Modules>>,
  };
}
