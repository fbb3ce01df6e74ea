import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import type { ResourceKind } from "../core/ids.js";
import { MODULE_OWNERS, type ModuleOwner, moduleNamesOf } from "../modules/index.js";
import type { Resource } from "./rows.js";

// Every change updates stored counts: of the resources of each kind, and of the owners with each module enabled or
// disabled. So the time to read a count does not depend on the number of rows.

/** The names of the modules of each kind of owner. */
const CARRIED: ReadonlyMap<ResourceKind, ReadonlySet<string>> = new Map(
  MODULE_OWNERS.map((owner) => [owner, new Set(moduleNamesOf(owner))]),
);

/** The difference for each count. */
export type CountChanges = Map<string, number>;

/**
 * Rows that each count is spread over, so that changes made at the same time, over different connections, seldom
 * wait for each other: the count is their sum.
 */
const SLOTS = 32;

/**
 * Adds to `changes` the effect of a change from `before` to `after`. A state is null before creation and after
 * deletion.
 */
export function changeCounts(
  changes: CountChanges,
  kind: ResourceKind,
  before: Resource | null,
  after: Resource | null,
): void {
  for (const name of before ? countedOf(kind, before) : []) add(changes, name, -1);
  for (const name of after ? countedOf(kind, after) : []) add(changes, name, 1);
}

function add(changes: CountChanges, name: string, change: number): void {
  const sum = (changes.get(name) ?? 0) + change;
  if (sum === 0) changes.delete(name);
  else changes.set(name, sum);
}

/** The names of the counts that a resource is part of. */
function countedOf(kind: ResourceKind, row: Resource): string[] {
  const carried = CARRIED.get(kind);
  if (!carried) return [kind];
  const modules = Object.entries(row).flatMap(([name, module]) =>
    isModule(module) && carried.has(name) ? [moduleCount(kind, name, module.enabled)] : [],
  );
  return [kind, ...modules];
}

function moduleCount(kind: ResourceKind, module: string, enabled: boolean): string {
  return `${kind}.${module}.${enabled ? "enabled" : "disabled"}`;
}

function isModule(value: unknown): value is { enabled: boolean } {
  return typeof value === "object" && value !== null && "enabled" in value;
}

/** The statement that stores the changes; ordered by name, so that two of them never wait for each other in a circle. */
export function storeCounts(changes: CountChanges): Prisma.Sql {
  const rows = [...changes].map(([name, count]) => ({ name, count }));
  return Prisma.sql`
    INSERT INTO counts (name, slot, count)
    SELECT name, pg_backend_pid() % ${SLOTS}::integer, count
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS change(name text, count bigint)
    ORDER BY name COLLATE "C"
    ON CONFLICT (name, slot) DO UPDATE SET count = counts.count + excluded.count`;
}

/** The number of resources of all `kinds` together, as an SQL expression of type integer. */
export function countOf(...kinds: readonly [ResourceKind, ...ResourceKind[]]): Prisma.Sql {
  return sumOf(kinds);
}

/**
 * The number of owners of a kind with a module that is enabled, disabled or (null) either, as an SQL expression of type
 * integer.
 */
export function moduleCountOf(
  owner: ModuleOwner,
  module: string,
  enabled: boolean | null,
): Prisma.Sql {
  const states = enabled === null ? [true, false] : [enabled];
  return sumOf(states.map((state) => moduleCount(owner, module, state)));
}

function sumOf(names: readonly string[]): Prisma.Sql {
  return Prisma.sql`(SELECT coalesce(sum(kept.count), 0)::integer FROM counts AS kept
    WHERE kept.name IN (${Prisma.join([...names])}))`;
}

/** How many there are. */
export interface Counts {
  of(kind: ResourceKind): number;
  modules(owner: ModuleOwner, module: string): { enabled: number; disabled: number };
}

/** All counts, in one statement over a table of a few hundred rows at most. */
export async function readCounts({ db }: Context): Promise<Counts> {
  const rows = await db.count.groupBy({ by: ["name"], _sum: { count: true } });
  const counts = new Map(rows.map(({ name, _sum }) => [name, Number(_sum.count ?? 0)]));
  return {
    of: (kind) => counts.get(kind) ?? 0,
    modules: (owner, module) => ({
      enabled: counts.get(moduleCount(owner, module, true)) ?? 0,
      disabled: counts.get(moduleCount(owner, module, false)) ?? 0,
    }),
  };
}
