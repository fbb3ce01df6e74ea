import type { z } from "zod";
import { Prisma } from "../../database/index.js";
import { isSameJson } from "../rows.js";
import type { DocumentModule, Place } from "./module.js";

/** The document modules that a kind of owner carries, by the name of their column. */
export type DocumentModules = Readonly<Record<string, DocumentModule<unknown, object, unknown>>>;

type InputOf<Module> =
  Module extends DocumentModule<infer Input, infer _, infer __> ? Input : never;
type ValueOf<Module> =
  Module extends DocumentModule<infer _, infer __, infer Value> ? Value : never;

/** What an owner shows of its modules: null for one that is not set. */
export type DocumentValues<Modules> = {
  readonly [Name in keyof Modules]: ValueOf<Modules[Name]> | null;
};

/** What a caller gives: absent leaves a module as it is, null removes it, a value replaces all of it. */
export type DocumentInputs<Modules> = {
  readonly [Name in keyof Modules]?: InputOf<Modules[Name]> | null | undefined;
};

type Columns<Modules> = { readonly [Name in keyof Modules]: Prisma.JsonValue };
type ChangedColumns<Modules> = {
  [Name in keyof Modules]?: Prisma.InputJsonValue | typeof Prisma.DbNull;
};

/** The fields of an owner's input for its modules. */
export function documentFields<Modules extends DocumentModules>(modules: Modules) {
  const fields = Object.entries(modules).map(([name, { rule }]) => [name, rule.nullish()]);
  return Object.fromEntries(fields) as {
    [Name in keyof Modules]: z.ZodOptional<z.ZodNullable<Modules[Name]["rule"]>>;
  };
}

export function readDocuments<Modules extends DocumentModules>(
  modules: Modules,
  columns: Columns<Modules>,
  place: Place,
): DocumentValues<Modules> {
  const values = Object.entries(modules).map(([name, module]) => {
    const column = columns[name];
    return [name, column == null ? null : module.read(module.parse(column), place)];
  });
  return Object.fromEntries(values) as DocumentValues<Modules>;
}

/** The columns of a new owner: null for a module that is not given. */
export function newDocuments<Modules extends DocumentModules>(
  modules: Modules,
  inputs: DocumentInputs<Modules>,
  place: Place,
): { readonly [Name in keyof Modules]: Prisma.JsonObject | null } {
  const columns = Object.entries(modules).map(([name, module]) => {
    const input = inputs[name] ?? null;
    return [name, input === null ? null : module.store(input, place, null)];
  });
  return Object.fromEntries(columns);
}

/** The columns that `inputs` changes; none for a module that is given as it already is. */
export function changedDocuments<Modules extends DocumentModules>(
  modules: Modules,
  inputs: DocumentInputs<Modules>,
  current: Columns<Modules> | null,
  place: Place,
): ChangedColumns<Modules> {
  const changed: Record<string, object> = {};
  for (const [name, module] of Object.entries(modules)) {
    const input = inputs[name];
    if (input === undefined) continue;
    const column = current?.[name] ?? null;
    const previous = column === null ? null : module.parse(column);
    if (input === null) {
      if (previous) changed[name] = Prisma.DbNull;
      continue;
    }
    const stored = module.store(input, place, previous);
    const isSame =
      previous !== null && isSameJson(module.read(previous, place), module.read(stored, place));
    if (!isSame) changed[name] = stored;
  }
  return changed as ChangedColumns<Modules>;
}
