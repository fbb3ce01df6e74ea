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

const NO_KIND = { path: ["kind"], message: "is required where `enabled` is given" };

/** A module of one of `kinds`: set, and enabled or not if asked. Without a kind it demands nothing. */
export function moduleMember(
  kinds: readonly string[],
  condition: (filter: ModuleFilter) => Condition,
): z.ZodType<Condition | null> {
  const rule = z
    .strictObject({ kind: z.enum(kinds).nullish(), enabled: z.boolean().nullish() })
    .refine(({ kind, enabled }) => kind != null || enabled == null, NO_KIND);
  return member(rule, ({ kind, enabled }) => (kind == null ? null : condition({ kind, enabled })));
}
