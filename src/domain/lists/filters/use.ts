import { z } from "zod";
import { Prisma } from "../../../database/index.js";
import { reference } from "../../core/fields.js";
import type { ResourceKind } from "../../core/ids.js";
import { BACKENDS } from "../../core/ids.js";
import { withAncestors } from "../../storage/graph.js";
import { countOfUse, findsUse } from "../../storage/use-marks.js";
import { type Condition, withKeptCount } from "../sequences.js";
import { member } from "./filter.js";

// Who uses what.

/** The owners whose requests can end at the given backend: `condition` says so of it and its ancestors. */
export function usesBackend(condition: (backends: Prisma.Sql) => Condition): z.ZodType<Condition> {
  return member(reference(...BACKENDS), (id) => condition(withAncestors(id)));
}

/** True finds what nobody refers to, false what somebody does, of a list of `kinds` that are in one table. */
export function unused(...kinds: [ResourceKind, ...ResourceKind[]]): z.ZodType<Condition> {
  return member(z.boolean(), (value) =>
    withKeptCount(findsUse(kinds, Prisma.sql`item.id`, !value), countOfUse(kinds, !value)),
  );
}
