import { z } from "zod";
import { Prisma } from "../../../database/index.js";
import type { ModuleOwner } from "../../modules/index.js";
import { moduleCountOf } from "../../storage/counts.js";
import { moduleWord } from "../../storage/module-words.js";
import { type Condition, withKeptCount } from "../sequences.js";
import { member } from "./filter.js";

/** The condition for owners that have the module. `row` is the name of their rows in the SQL. */
export function hasModule(row: string, { kind, enabled }: ModuleFilter): Condition {
  const states = enabled == null ? [true, false] : [enabled];
  const wanted = states.map((state) => moduleWord(kind, state));
  return Prisma.sql`${Prisma.raw(`${row}."modules"`)} && ${wanted}::text[]`;
}

/** The same condition for the owners in a list, with their stored count. */
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
