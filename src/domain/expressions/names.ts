import { Prisma } from "../../database/index.js";
import { oneOfKind } from "../core/ids.js";
import { madeIn } from "../lists/filters/filter.js";
import { sequenceOf } from "../lists/sequences.js";
import type { PlainScalar } from "../reads/fields.js";
import { identifier } from "../storage/graph.js";
import { flag } from "./conditions.js";
import type { NamedField, Subject } from "./fields.js";
import { quoted } from "./parse.js";
import { TYPES, type Value } from "./values.js";

// What names in an expression stand for. A name that is unknown is told by a text.

const ROOT = "obj";

export function rootOf({ fields }: Subject, name: string): Value | string {
  if (name === ROOT) return { type: "object", name: ROOT, members: fields };
  const field = fields.has(name) ? `${ROOT}.${name}` : `${ROOT}.id`;
  return `there is no ${quoted(name)}: a field is named with ${ROOT}, as in ${field}, and a text stands in quotes`;
}

export function memberOf(subject: Subject, owner: Value, name: string): Value | string {
  if (owner.type === "reference") {
    if (name === "id") return scalarOf(subject, owner.id);
    return `another resource has no ${quoted(name)} here: only its id can be named`;
  }
  if (owner.type !== "object") return `${TYPES[owner.type].name} has no ${quoted(name)}`;
  const field = owner.members.get(name);
  if (field) return fieldValue(subject, field, name);
  const known = [...owner.members.keys()].sort().join(", ");
  const of = owner.name === ROOT ? oneOfKind(subject.kind) : owner.name;
  return `there is no field ${quoted(name)} of ${of}: the fields are ${known}`;
}

function fieldValue(subject: Subject, field: NamedField, name: string): Value {
  switch (field.type) {
    case "object":
      return { type: "object", name, members: field.members };
    case "reference":
    case "ids":
      return field;
    case "texts":
    case "map":
      return { type: field.type, name: field.column, column: columnOf(field.column) };
    default:
      return scalarOf(subject, field);
  }
}

/** Never null: what an unset value is shown as stands for it. */
function scalarOf({ kind }: Subject, field: PlainScalar): Value {
  const own = columnOf(field.column);
  switch (field.type) {
    case "text":
      return {
        type: "text",
        sql: field.isNullable ? Prisma.sql`coalesce(${own}, '')` : own,
        field,
      };
    case "integer":
      return { type: "integer", sql: field.isNullable ? Prisma.sql`coalesce(${own}, 0)` : own };
    case "boolean":
      return flag(field.column, field.isNullable);
    case "time":
      return {
        type: "time",
        sql: Prisma.sql`date_trunc('second', ${own})`,
        field:
          field.column === "created_at"
            ? madeIn(sequenceOf(kind))
            : {
                from: (second) => Prisma.sql`${own} >= ${second}::timestamptz`,
                before: (second) => Prisma.sql`${own} < ${second}::timestamptz`,
              },
      };
  }
}

function columnOf(column: string): Prisma.Sql {
  return Prisma.sql`item.${identifier(column)}`;
}
