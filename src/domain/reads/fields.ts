import { z } from "zod";
import { Prisma } from "../../database/index.js";
import type { DocumentModule, Place } from "../modules/module.js";
import {
  enabledColumn,
  identifier,
  type ModuleReference,
  type Reference,
} from "../storage/graph.js";

// How the fields of a resource are read: PostgreSQL puts the JSON text of each together, which costs less than its
// functions for JSON do and much less than results column by column.

/** The way in which one field of a resource is read. */
export interface Field<Value = unknown> {
  /**
   * The field of `row` as JSON text, never SQL's null. `linked` are further members of its object: what the reference
   * of the field leads to.
   */
  text(row: Prisma.Sql, linked: Prisma.Sql): Prisma.Sql;
  /** What the JSON stands for, unless it is null; the JSON itself without it. */
  readonly decode?: (json: unknown, place: Place) => Value;
  /** Where the field leads to. */
  readonly reference?: Reference;
  /** The field with "" for the secrets in it, when it has some. */
  readonly withoutSecrets?: Field<Value>;
  /** Of a module whether it is enabled, and nothing else. */
  readonly outline?: Field;
  /** What there is to compare; absent for documents, and for all that may have secrets. */
  readonly plain?: Plain;
}

/** The type of a value that can be compared in SQL, and the column or the reference that has it. */
export type Plain =
  | PlainScalar
  | { readonly type: "texts" | "map"; readonly column: string }
  | { readonly type: "ids"; readonly reference: Reference }
  | { readonly type: "object"; readonly members: Readonly<Record<string, Plain>> };

/** A single value. A column that may be null is shown as an empty text or false. */
export interface PlainScalar {
  readonly type: "text" | "integer" | "boolean" | "time";
  readonly column: string;
  readonly isNullable: boolean;
}

function scalar(type: PlainScalar["type"], column: string, isNullable = false): PlainScalar {
  return { type, column, isNullable };
}

/** The detail in which a field is read: everything, everything except secrets, or only whether a module is enabled. */
export type Detail = "whole" | "withoutSecrets" | "outline";

/** The field in this detail; in the next greater one when it makes no difference. */
export function detailed(field: Field, detail: Detail): Field {
  if (detail === "outline") return field.outline ?? detailed(field, "withoutSecrets");
  return detail === "withoutSecrets" ? (field.withoutSecrets ?? field) : field;
}

/** The type of the values that `fields` read. */
export type ValuesOf<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never;
};

/** Fields for all members of a resource. */
export type FieldsOf<Value> = { readonly [Name in keyof Value]-?: Field<Value[Name]> };

const NULL = Prisma.sql`'null'`;

const of = (row: Prisma.Sql, column: string) => Prisma.sql`${row}.${identifier(column)}`;

function orNull(text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce(${text}, ${NULL})`;
}

/** Texts of letters, digits and `_`, which need no escapes. */
export function id(column: string): Field<string> {
  return {
    text: (row) => Prisma.sql`'"' || ${of(row, column)} || '"'`,
    plain: scalar("text", column),
  };
}

export function idOrNull(column: string): Field<string | null> {
  return {
    text: (row) => orNull(Prisma.sql`'"' || ${of(row, column)} || '"'`),
    plain: scalar("text", column, true),
  };
}

export function text(column: string): Field<string> {
  return {
    text: (row) => Prisma.sql`to_json(${of(row, column)})::text`,
    plain: scalar("text", column),
  };
}

/** A text that is one of a closed list. */
export function oneOf<Value extends string>(column: string, list: ClosedList<Value>): Field<Value> {
  const known: ReadonlyMap<unknown, Value> = new Map(list.options.map((value) => [value, value]));
  return {
    text: (row) => Prisma.sql`'"' || ${of(row, column)} || '"'`,
    decode: (json) => known.get(json) ?? list.parse(json),
    plain: scalar("text", column),
  };
}

interface ClosedList<Value> {
  readonly options: readonly Value[];
  /** Throws for what is none of them. */
  parse(value: unknown): Value;
}

export function integer(column: string): Field<number> {
  return {
    text: (row) => Prisma.sql`${of(row, column)}::text`,
    plain: scalar("integer", column),
  };
}

export function boolean(column: string): Field<boolean> {
  return {
    text: (row) => Prisma.sql`${of(row, column)}::text`,
    plain: scalar("boolean", column),
  };
}

/** A time in milliseconds. */
export function time(column: string): Field<Date> {
  return {
    text: (row) => Prisma.sql`(extract(epoch FROM ${of(row, column)}) * 1000)::bigint::text`,
    decode: (json) => new Date(Number(json)),
    plain: scalar("time", column),
  };
}

export function texts(column: string): Field<readonly string[]> {
  return {
    text: (row) => Prisma.sql`array_to_json(${of(row, column)})::text`,
    plain: { type: "texts", column },
  };
}

/** An object of fields that need no decoding. */
export function object<Value extends object>(fields: FieldsOf<Value>): Field<Value> {
  const members: readonly (readonly [string, Field])[] = Object.entries(fields);
  return {
    text: (row, linked) => {
      const texts = members.map(
        ([name, field]) => Prisma.sql`${Prisma.raw(`'"${name}":'`)} || ${field.text(row, linked)}`,
      );
      return Prisma.sql`'{' || ${Prisma.join(texts, " || ',' || ")} || '}'`;
    },
    plain: { type: "object", members: plainOf(fields) },
  };
}

/** Those of `fields` that are plain, by their names. */
export function plainOf(fields: Readonly<Record<string, Field>>): Record<string, Plain> {
  const named = Object.entries(fields).flatMap(([name, { plain }]) =>
    plain ? [[name, plain] as const] : [],
  );
  return Object.fromEntries(named);
}

/** A column of JSON, as it was stored. */
function json<Value>(column: string, parse: (json: unknown) => Value): Field<Value> {
  return { text: (row) => orNull(Prisma.sql`${of(row, column)}::text`), decode: parse };
}

/** A column of JSON that fits `rule`. */
export function documentOf<Value>(column: string, rule: z.ZodType<Value>): Field<Value> {
  return json(column, (json) => rule.parse(json));
}

/** A column of JSON that fits `rule`, or null. */
export function documentOrNull<Value>(column: string, rule: z.ZodType<Value>): Field<Value | null> {
  return json(column, (json) => rule.parse(json));
}

const textsByName = z.record(z.string(), z.string());

/** A column of JSON that maps names to texts. */
export function stringMap(column: string): Field<Readonly<Record<string, string>>> {
  const field = json(column, (json) => textsByName.parse(json));
  return { ...field, plain: { type: "map", column } };
}

/** A field that no row shows. */
export function never<Value>(): Field<Value | null> {
  return { text: () => NULL };
}

/** A column that may be null, in the words of `field`. */
export function nullable<Value>(field: Field<Value>): Field<Value | null> {
  const { plain } = field;
  return {
    ...field,
    text: (row, linked) => orNull(field.text(row, linked)),
    ...(plain && "isNullable" in plain && { plain: { ...plain, isNullable: true } }),
  };
}

/** A module that refers to others: the id, or the ids in order, as `name`, and whether it is enabled. */
export function referringModule(reference: ModuleReference, name: string): Field {
  return {
    reference,
    text: (row, linked) => {
      const enabled = of(row, enabledColumn(reference.module));
      const id = of(row, reference.column);
      const [isSet, ids] = reference.isList
        ? [enabled, idsOf(reference, row)]
        : [id, Prisma.sql`'"' || ${id} || '"'`];
      return Prisma.sql`CASE WHEN ${isSet} IS NULL THEN ${NULL} ELSE '{"enabled":' || coalesce(${enabled}, true)::text
        || ${Prisma.raw(`',"${name}":'`)} || ${ids} ${linked} || '}' END`;
    },
  };
}

/** The ids that the row itself refers to, in order. */
export function linkedIds(reference: Reference): Field<readonly string[]> {
  return {
    reference,
    text: (row) => idsOf(reference, row),
    plain: { type: "ids", reference },
  };
}

/** The ids that the row refers to, as a JSON array in order. */
export function idsOf({ table, owner, column }: Reference, row: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT '[' || coalesce(string_agg('"' || link.${identifier(column)} || '"', ',' ORDER BY link.position), '') || ']'
    FROM ${identifier(table)} AS link WHERE link.${identifier(owner)} = ${row}.id)`;
}

/** A module that is one document. */
export function document<Value>(
  column: string,
  module: DocumentModule<unknown, object, Value>,
): Field<Value | null> {
  const decode = (json: unknown, place: Place) => module.read(module.parse(json), place);
  const whole: Field<Value | null> = {
    text: (row) => orNull(Prisma.sql`${of(row, column)}::text`),
    decode,
    outline: {
      text: (row) => {
        const enabled = Prisma.sql`(${of(row, column)} ->> 'enabled')`;
        return orNull(Prisma.sql`'{"enabled":' || ${enabled} || '}'`);
      },
    },
  };
  const { sealed } = module;
  if (!sealed) return whole;
  return {
    ...whole,
    withoutSecrets: {
      text: (row) => orNull(Prisma.sql`${emptied(of(row, column), sealed)}::text`),
      decode,
    },
  };
}

/** The document with "" at `paths`, where there is something. */
function emptied(document: Prisma.Sql, paths: readonly (readonly string[])[]): Prisma.Sql {
  return paths.reduce(
    (sql, path) =>
      Prisma.sql`jsonb_set(${sql}, ${Prisma.raw(`'{${path.join(",")}}'`)}, '""', false)`,
    Prisma.sql`${document}::jsonb`,
  );
}
