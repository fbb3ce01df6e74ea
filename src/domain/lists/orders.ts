import { z } from "zod";
import { Prisma } from "../../database/index.js";
import { description, requiredText, withDefault } from "../core/fields.js";
import { cidr, domainOrWildcard, hostport } from "../formats/networks.js";
import { MAX_MATCH_BYTES } from "../formats/route-matches.js";

// The fields by which lists can be ordered. Everything about an order is said here once: the SQL that compares rows, and
// what a cursor says of a row. Each list says which of them it has.

/** A field by which a list can be ordered. Resources with equal values are in the order of creation. */
export interface OrderField {
  readonly name: OrderName;
  /** What comes before the time of creation; null in the order of creation itself. */
  readonly key: OrderKey | null;
}

/** What a list is ordered by: the value of a resource, of a row in SQL, and in a cursor. */
export interface OrderKey {
  /** The member of the resource that has the value. */
  readonly member: string;
  /** The value in SQL, of the rows that are called `row`. */
  readonly column: (row: string) => Prisma.Sql;
  /** The type of the value in SQL. */
  readonly type: Prisma.Sql;
  /** What is compared, of a value in SQL. The indexes of the order are on this expression. */
  readonly compared: (value: Prisma.Sql) => Prisma.Sql;
  /** What a cursor says of a resource: what is in the member, when it is as it should be. */
  readonly shown: z.ZodType<CursorValue>;
  /** The rule of what a cursor says, which the caller could have made up. */
  readonly rule: z.ZodType<CursorValue>;
}

/** The value of a row when it was listed: a time is in ISO 8601, and null stands for no value. */
export type CursorValue = string | null;

export type OrderName = (typeof ORDER_NAMES)[number];
const ORDER_NAMES = [
  "created_at",
  "updated_at",
  "description",
  "hostport",
  "addr",
  "address",
  "match",
  "domain",
  "cidr",
  "not_after",
  "valid_until",
] as const;

const TEXT = Prisma.sql`text`;

/** Texts: `compared` is compared byte by byte, independent of the collation of the database. */
function byText(
  name: OrderName,
  rule: z.ZodType<string>,
  compared: (value: Prisma.Sql) => Prisma.Sql,
): OrderField {
  const column = (row: string) => Prisma.raw(`${row}."${name}"`);
  return { name, key: { member: name, column, type: TEXT, compared, shown: z.string(), rule } };
}

/** A time with the milliseconds that a row has. PostgreSQL knows no year 0. */
const time = z.iso
  .datetime({ precision: 3 })
  .refine((value) => !value.startsWith("0000"), "must lie in the years 1 to 9999");

function byTime(name: OrderName, member: string): OrderField {
  return {
    name,
    key: {
      member,
      column: (row) => Prisma.raw(`${row}."${name}"`),
      type: Prisma.sql`timestamptz`,
      compared: (value) => value,
      shown: z.date().transform((date) => date.toISOString()),
      rule: time,
    },
  };
}

/** A hostport as it is compared: in lower case, and an IPv6 address in its shortest form. */
export const hostportKey = (value: Prisma.Sql) => Prisma.sql`hostport_key(${value}) COLLATE "C"`;

/** A description as it is compared: without regard to the case of ASCII letters. */
export const descriptionKey = (value: Prisma.Sql) => Prisma.sql`lower(${value} COLLATE "C")`;

/** A domain as it is compared: in lower case. */
export const domainKey = (value: Prisma.Sql) => Prisma.sql`lower(${value} COLLATE "C")`;

const CREATED_AT: OrderField = { name: "created_at", key: null };
const UPDATED_AT = byTime("updated_at", "updatedAt");
export const NOT_AFTER = byTime("not_after", "notAfter");
export const VALID_UNTIL = byTime("valid_until", "validUntil");
const DESCRIPTION = byText("description", description, descriptionKey);
export const ADDR = byText("addr", hostport, hostportKey);
export const ADDRESS = byText("address", hostport, hostportKey);
/** With the hostname, if it has one, in lower case. */
export const MATCH = byText(
  "match",
  requiredText(MAX_MATCH_BYTES),
  (value) => Prisma.sql`match_key(${value}) COLLATE "C"`,
);
export const DOMAIN = byText("domain", domainOrWildcard, domainKey);
/** By address as a number, IPv4 first; of networks that begin with the same address the larger one first. */
export const CIDR = byText("cidr", cidr, (value) => Prisma.sql`(${value}::inet)`);
/** By the first hostport. Those without any are like one that is empty. */
export const HOSTPORT: OrderField = {
  name: "hostport",
  key: {
    member: "hostports",
    column: (row) => Prisma.raw(`${row}."hostports"[1]`),
    type: TEXT,
    compared: (value) => Prisma.sql`coalesce(hostport_key(${value}), '') COLLATE "C"`,
    shown: z.array(z.string()).transform(([first]) => first ?? null),
    rule: hostport.nullable(),
  },
};

/** Of every list. */
export const COMMON_ORDERS: readonly OrderField[] = [CREATED_AT, UPDATED_AT, DESCRIPTION];

/** The order of a list. */
export interface Order {
  readonly field: OrderField;
  readonly direction: "asc" | "desc";
}

export const NEWEST_FIRST: Order = { field: CREATED_AT, direction: "desc" };
export const OLDEST_FIRST: Order = { field: CREATED_AT, direction: "asc" };

/** The rule of an order by one of `fields`: by default newest first. */
export function orderRule(fields: readonly OrderField[]): z.ZodType<Order> {
  const names = fields.map(({ name }) => name);
  return z
    .strictObject({
      field: withDefault(z.enum(names), CREATED_AT.name),
      direction: withDefault(z.enum(["asc", "desc"]), "desc"),
    })
    .transform(({ field, direction }) => ({ field: fieldOf(fields, field), direction }));
}

function fieldOf(fields: readonly OrderField[], name: string): OrderField {
  const found = fields.find((field) => field.name === name);
  if (!found) throw new Error(`No list is ordered by ${name}.`);
  return found;
}
