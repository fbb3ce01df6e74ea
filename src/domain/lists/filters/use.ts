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

/** Finds the owners whose requests can reach the given backend. `condition` takes this backend and its ancestors. */
export function usesBackend(
  condition: (backends: Prisma.Sql) => Condition,
): z.ZodType<Condition | null> {
  return member(reference(...BACKENDS), (id) => condition(withAncestors(id)));
}

/** True finds resources that nothing refers to, false finds the others. All `kinds` are in one table. */
export function unused(...kinds: [ResourceKind, ...ResourceKind[]]): z.ZodType<Condition | null> {
  return member(z.boolean(), (value) =>
    withKeptCount(findsUse(kinds, Prisma.sql`item.id`, !value), countOfUse(kinds, !value)),
  );
}
