import { z } from "zod";
import { Prisma } from "../../database/index.js";
import type { Condition } from "../lists.js";
import { BACKENDS, reference } from "../references.js";
import { member } from "./filter.js";

// Who uses what.

/**
 * The ids, as an SQL array, of a backend and of the failover and weighted backends above it, at any depth: a
 * request that is sent to any of these can end at the backend.
 */
export function waysToBackend(id: string): Prisma.Sql {
  return Prisma.sql`ARRAY(
    WITH RECURSIVE above(id) AS (
      SELECT ${id}::text COLLATE "C"
      UNION SELECT link.parent_id FROM backend_children AS link
      JOIN above ON link.child_id = above.id
    ) SELECT id FROM above)`;
}

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
