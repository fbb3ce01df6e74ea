import { z } from "zod";
import { Prisma } from "../../database/index.js";
import type { Condition } from "../lists.js";
import { BACKENDS, reference } from "../references.js";
import { waysToBackend } from "../related.js";
import { member } from "./filter.js";

// Who uses what.

/** The owners whose requests can end at the given backend: `condition` says so of the ways to it. */
export function usesBackend(condition: (ways: Prisma.Sql) => Condition): z.ZodType<Condition> {
  return member(reference(...BACKENDS), (id) => condition(waysToBackend(id)));
}

/** A column that refers to the rows of a list. */
interface User {
  readonly table: string;
  readonly column: string;
}

/** True finds what nobody refers to from any of `users`, false what somebody refers to. */
export function unused(...users: readonly User[]): z.ZodType<Condition> {
  const uses = users.map(({ table, column }) => {
    const [from, reference] = [table, column].map((name) => Prisma.raw(`"${name}"`));
    // The offset has PostgreSQL look up one row after the other, in place of reading all of `table`.
    return Prisma.sql`EXISTS (SELECT FROM ${from} AS by WHERE by.${reference} = item.id OFFSET 0)`;
  });
  const isUsed = Prisma.sql`(${Prisma.join(uses, " OR ")})`;
  return member(z.boolean(), (value) => (value ? Prisma.sql`NOT ${isUsed}` : isUsed));
}
