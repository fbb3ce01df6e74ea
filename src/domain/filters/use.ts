import { z } from "zod";
import { Prisma } from "../../database/index.js";
import { type Table, waysToBackend } from "../graph.js";
import type { Condition } from "../lists.js";
import { BACKENDS, reference } from "../references.js";
import { findsUse } from "../use-marks.js";
import { member } from "./filter.js";

// Who uses what.

/** The owners whose requests can end at the given backend: `condition` says so of the ways to it. */
export function usesBackend(condition: (ways: Prisma.Sql) => Condition): z.ZodType<Condition> {
  return member(reference(...BACKENDS), (id) => condition(waysToBackend(id)));
}

/** True finds what nobody refers to, false what somebody does. */
export function unused(table: Table): z.ZodType<Condition> {
  return member(z.boolean(), (value) => findsUse(table, Prisma.sql`item.id`, !value));
}
