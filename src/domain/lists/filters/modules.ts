import { z } from "zod";
import { Prisma } from "../../../database/index.js";
import type { ModuleOwner } from "../../modules/index.js";
import { moduleCountOf } from "../../storage/counts.js";
import { type Condition, withKeptCount } from "../sequences.js";
import { member } from "./filter.js";

// The column `modules` of every kind of owner, which PostgreSQL makes of the others, has a word for each of its
// modules, such as `oauth:true`.

/** The owners with a module as asked. `row` is what their rows are called in the SQL. */
export function hasModule(row: string, { kind, enabled }: ModuleFilter): Condition {
  const wanted = enabled == null ? [`${kind}:true`, `${kind}:false`] : [`${kind}:${enabled}`];
  return Prisma.sql`${Prisma.raw(`${row}."modules"`)} && ${wanted}::text[]`;
}

/** The same of the owners that are listed; how many there are of these is kept. */
export function itemHasModule(owner: ModuleOwner, filter: ModuleFilter): Condition {
  const count = moduleCountOf(owner, filter.kind, filter.enabled ?? null);
  return withKeptCount(hasModule("item", filter), count);
}

interface ModuleFilter {
  readonly kind: string;
  readonly enabled?: boolean | null | undefined;
}

/** A module of one of `kinds`: set, and enabled or not if asked. */
export function moduleMember(
  kinds: readonly string[],
  condition: (filter: ModuleFilter) => Condition,
): z.ZodType<Condition> {
  return member(z.strictObject({ kind: z.enum(kinds), enabled: z.boolean().nullish() }), condition);
}
