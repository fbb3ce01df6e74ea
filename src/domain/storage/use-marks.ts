import { Prisma } from "../../database/index.js";
import { RESOURCES, type ResourceKind } from "../core/ids.js";
import { countOf } from "./counts.js";
import { ALL_REFERENCES, hasIdOfKind, isUsed, type Table, usersOf } from "./graph.js";
import type { Resource } from "./rows.js";

// Which resources are unused, and which are not, is found among few: `possibly_unused` has every resource that
// nobody uses, and `possibly_used` every one that somebody uses. Either may have more, and a list looks each one up.
//
// So no change has to know what others do at the same time, and what thousands use is no row that they all write.
// Whoever stops using a resource marks it as possibly unused, even if others still use it. Only who begins to use
// it takes the mark away: as long as it does, the resource is in use, and then it marks it again.

/** Ids of resources that a transaction changes, or whose users it changes. */
export interface UseChanges {
  readonly created: Set<string>;
  readonly deleted: Set<string>;
  /** Resources that are used now and were not before. */
  readonly taken: Set<string>;
  /** Resources that were used before and are not now. */
  readonly released: Set<string>;
}

export function noUseChanges(): UseChanges {
  return { created: new Set(), deleted: new Set(), taken: new Set(), released: new Set() };
}

/**
 * Adds to `changes` the effect of a change from `before` to `after`. A state is null before creation and after
 * deletion.
 */
export function changeUses(
  changes: UseChanges,
  kind: ResourceKind,
  before: Resource | null,
  after: Resource | null,
): void {
  const { table } = RESOURCES[kind];
  if (isMarked(table)) {
    if (!before && after) changes.created.add(after.id);
    if (before && !after) changes.deleted.add(before.id);
  }
  const [old, now] = [usedBy(table, before), usedBy(table, after)];
  for (const id of now) if (!old.has(id)) changes.taken.add(id);
  for (const id of old) if (!now.has(id)) changes.released.add(id);
}

/** Whether rows of `table` are in use or not: those of which others than their own parts refer to. */
function isMarked(table: Table): boolean {
  return usersOf(table).length > 0;
}

/** The ids that a row refers to. */
function usedBy(table: Table, row: Resource | null): Set<string> {
  const references = ALL_REFERENCES.filter(({ from, isPart }) => from === table && !isPart);
  const ids = references.flatMap(({ module, input }) => {
    const owner: unknown = module === null ? row : memberOf(row, module);
    return idsIn(memberOf(owner, input));
  });
  return new Set(ids);
}

function memberOf(owner: unknown, name: string): unknown {
  return typeof owner === "object" && owner !== null ? Reflect.get(owner, name) : undefined;
}

/** An id, a list of ids, or what stands under ids. */
function idsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : Object.keys(value);
}

/** The statements that store the changes; in order, so that two of them seldom wait for each other in a circle. */
export function storeUseMarks({ created, deleted, taken, released }: UseChanges): Prisma.Sql[] {
  const unused = [...created].filter((id) => !taken.has(id));
  const used = [...taken].filter((id) => !released.has(id));
  return [
    ...mark("possibly_unused", [...released, ...unused]),
    ...unmark(
      "possibly_unused",
      [...used, ...deleted].filter((id) => !released.has(id)),
    ),
    ...mark("possibly_used", [...taken]),
    ...unmark(
      "possibly_used",
      [...deleted].filter((id) => !taken.has(id)),
    ),
  ];
}

type MarkTable = "possibly_unused" | "possibly_used";

function mark(table: MarkTable, ids: readonly string[]): Prisma.Sql[] {
  if (ids.length === 0) return [];
  return [
    Prisma.sql`INSERT INTO ${Prisma.raw(table)} (id)
      SELECT DISTINCT id COLLATE "C" FROM unnest(${[...ids]}::text[]) AS marked(id) ORDER BY 1
      ON CONFLICT (id) DO NOTHING`,
  ];
}

function unmark(table: MarkTable, ids: readonly string[]): Prisma.Sql[] {
  if (ids.length === 0) return [];
  return [
    Prisma.sql`DELETE FROM ${Prisma.raw(table)} WHERE id IN (
      SELECT id FROM ${Prisma.raw(table)} WHERE id = ANY(${[...ids]}::text[]) ORDER BY id FOR UPDATE)`,
  ];
}

type Kinds = readonly [ResourceKind, ...ResourceKind[]];

/**
 * The condition that a resource of `kinds` is used, or is not used. All `kinds` are in one table, and `id` is the id of
 * a row. The condition looks up the marks, so that other rows are not read.
 */
export function findsUse(kinds: Kinds, id: Prisma.Sql, used: boolean): Prisma.Sql {
  return Prisma.sql`EXISTS (SELECT ${marksOf(kinds, used)}
    AND marked.id = ${id} AND ${isAsMarked(kinds, used)})`;
}

/** Marks that are looked at one by one for an exact count, where fewer tell it. */
const FEW = 10_000;

/**
 * The number of resources of `kinds` that are used, or are not used, as an SQL expression of type integer. All `kinds`
 * are in one table. It counts the smaller group and subtracts from the total when the other one is wanted.
 */
export function countOfUse(kinds: Kinds, used: boolean): Prisma.Sql {
  const areFew = (used: boolean) => Prisma.sql`
    (SELECT count(*) FROM (SELECT ${marksOf(kinds, used)} LIMIT ${FEW + 1}) AS few) <= ${FEW}`;
  const counted = (used: boolean) => Prisma.sql`
    (SELECT count(*)::integer ${marksOf(kinds, used)} AND ${isAsMarked(kinds, used)})`;
  return Prisma.sql`CASE WHEN ${areFew(!used)} AND NOT ${areFew(used)}
    THEN ${countOf(...kinds)} - ${counted(!used)} ELSE ${counted(used)} END`;
}

/** The marks of `kinds`. Their ids are ranges, of which the statistics know how many there are. */
function marksOf(kinds: Kinds, used: boolean): Prisma.Sql {
  const ranges = kinds.map((kind) => hasIdOfKind(Prisma.sql`marked.id`, kind));
  const table = Prisma.raw(used ? "possibly_used" : "possibly_unused");
  return Prisma.sql`FROM ${table} AS marked WHERE (${Prisma.join(ranges, " OR ")})`;
}

function isAsMarked([kind]: Kinds, used: boolean): Prisma.Sql {
  const isInUse = isUsed(RESOURCES[kind].table, Prisma.sql`marked.id`);
  return used ? isInUse : Prisma.sql`NOT ${isInUse}`;
}
