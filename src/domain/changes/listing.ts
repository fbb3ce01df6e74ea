import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { inRange, orderBy } from "../lists/keyset.js";
import type { PageRequest } from "../lists/pages.js";
import { readJsonRows } from "../storage/json-rows.js";
import {
  beginningAt,
  type Change,
  type ChangeFilter,
  cursorOf,
  ENTRY_COLUMNS,
  inLog,
  keyAt,
  type LogPosition,
  readCursor,
  toEntry,
} from "./entries.js";
import { below, type LogView } from "./horizon.js";

/** A page of the log as `view` shows it, oldest first. Throws INVALID_REQUEST for a cursor that is not of the log. */
export async function listChanges(
  context: Context,
  { horizon }: LogView,
  { limit, after, before, fromEnd }: PageRequest,
  filter: ChangeFilter,
): Promise<Change[]> {
  const range = inRange(inLog("changes"), {
    after: after === undefined ? null : keyAt(readCursor(after, "after")),
    before: before === undefined ? null : keyAt(readCursor(before, "before")),
  });
  const first = (of: string) => Prisma.sql`${orderBy(inLog(of), fromEnd)} LIMIT ${limit}`;
  const page = (filters: readonly Prisma.Sql[]) => Prisma.sql`
    SELECT * FROM changes
    WHERE ${Prisma.join([below(horizon), ...range, ...filters], " AND ")} ${first("changes")}`;
  const found = Prisma.sql`${pagesOf(filter, page)} AS found`;
  const rows = await readJsonRows(
    context,
    Prisma.sql`SELECT ${ENTRY_COLUMNS} FROM ${found} ${first("found")}`,
  );
  return rows.map((row) => toEntry(row).change);
}

/** A page of each resource, key or kind, so that a request for a few of them reads no others. */
function pagesOf(
  { kinds, ids, actorIds }: ChangeFilter,
  page: (filters: readonly Prisma.Sql[]) => Prisma.Sql,
): Prisma.Sql {
  const ofKinds = kinds?.length ? [Prisma.sql`kind = ANY(${[...kinds]}::text[])`] : [];
  if (ids?.length) {
    const ofActors = actorIds?.length ? [byOneOf(actorIds)] : [];
    return Prisma.sql`unnest(${[...new Set(ids)]}::text[]) AS wanted(resource_id)
      CROSS JOIN LATERAL (
        ${page([Prisma.sql`resource_id = wanted.resource_id COLLATE "C"`, ...ofKinds, ...ofActors])})`;
  }
  if (actorIds?.length) {
    const pages = [...new Set(actorIds)].map((id) => page([byOneOf([id]), ...ofKinds]));
    return Prisma.sql`(${Prisma.join(
      pages.map((each) => Prisma.sql`(${each})`),
      " UNION ALL ",
    )})`;
  }
  if (kinds?.length) {
    return Prisma.sql`unnest(${[...new Set(kinds)]}::text[]) AS wanted(kind)
      CROSS JOIN LATERAL (${page([Prisma.sql`kind = wanted.kind`])})`;
  }
  return Prisma.sql`(${page([])})`;
}

/** Whether one of these keys made a change; null stands for the bootstrap key. */
function byOneOf(ids: readonly (string | null)[]): Prisma.Sql {
  const [first, ...others] = ids.filter((id) => id !== null);
  if (first === undefined) return Prisma.sql`actor_id IS NULL`;
  const stored =
    others.length === 0
      ? Prisma.sql`actor_id = ${first}`
      : Prisma.sql`actor_id = ANY(${[first, ...others]}::text[])`;
  return ids.includes(null) ? Prisma.sql`(${stored} OR actor_id IS NULL)` : stored;
}

const POSITION_COLUMNS = { horizon: true, id: true } as const;

/** The position of the last entry below `horizon`; null when there is none. */
export async function lastPosition({ db }: Context, horizon: bigint): Promise<LogPosition | null> {
  const last = await db.change.findFirst({
    where: { horizon: { lt: horizon } },
    orderBy: [{ horizon: "desc" }, { id: "desc" }],
    select: POSITION_COLUMNS,
  });
  return last && { horizon: last.horizon.toString(), id: last.id.toString() };
}

/** The cursor of the last entry that `view` shows, or of its beginning when it shows none. */
export async function endOf(context: Context, view: LogView): Promise<string> {
  const last = await lastPosition(context, view.horizon);
  return cursorOf(last ?? beginningAt(view.at));
}

/** The number of changes that `view` shows. */
export async function countChanges(
  context: Context,
  { horizon }: LogView,
  filter: ChangeFilter,
): Promise<number> {
  const { kinds, ids, actorIds } = filter;
  return context.db.change.count({
    where: {
      horizon: { lt: horizon },
      ...(kinds?.length ? { kind: { in: [...kinds] } } : {}),
      ...(ids?.length ? { resourceId: { in: [...ids] } } : {}),
      ...(actorIds?.length ? { OR: actorIds.map((actorId) => ({ actorId })) } : {}),
    },
  });
}
