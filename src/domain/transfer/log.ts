import { Prisma, type TransactionClient } from "../../database/index.js";
import { HORIZON, HORIZON_OF_NEW } from "../changes/horizon.js";
import { RESOURCE_KINDS, RESOURCES } from "../core/ids.js";
import { hasIdOfKind, identifier } from "../storage/graph.js";
import { LOG } from "./tables.js";

/** The change log of the database that an import writes to. */
export interface ImportLog {
  /**
   * Appends entries of an export, in their order, with their times: those of resources that the log did not know.
   * Returns how many.
   */
  append(entries: readonly string[], columns: readonly string[]): Promise<number>;
  /** Notes that the resources of `ids`, a query, were created, where no entry of the export says so. */
  noteCreated(ids: Prisma.Sql, operationId: string): Promise<void>;
}

interface Place {
  readonly horizon: bigint;
  /** The number of the last entry from before the import. */
  readonly last: bigint;
}

/** The entries get positions of this database: those of an export mean nothing in another one. */
export function openLog(db: TransactionClient): ImportLog {
  let place: Promise<Place> | undefined;
  const placeOf = () => {
    place ??= takePlace(db);
    return place;
  };
  return {
    async append(entries, columns) {
      const { horizon, last } = await placeOf();
      const kept = columns.filter((name) => name !== "id" && name !== "horizon").map(identifier);
      return db.$executeRaw`
        INSERT INTO changes (horizon, ${Prisma.join(kept)})
        SELECT ${horizon}, ${Prisma.join(kept)}
        FROM json_array_elements(${`[${entries.join(",")}]`}::json) WITH ORDINALITY AS given(entry, position),
          json_populate_record(NULL::${identifier(LOG)}, entry) AS entry
        WHERE ${isUnknown(Prisma.sql`entry.resource_id`, Prisma.sql`id <= ${last}`)}
        ORDER BY position`;
    },
    async noteCreated(ids, operationId) {
      const { horizon, last } = await placeOf();
      await db.$executeRaw`
        INSERT INTO changes (horizon, at, operation_id, kind, resource_id, action, version, differences)
        SELECT ${horizon}, now(), ${operationId}, kind, id, 'created', version, '[]'
        FROM (${versions(ids)}) AS resource
        WHERE ${isUnknown(Prisma.sql`resource.id`, Prisma.sql`id > ${last}`)} ORDER BY id`;
    },
  };
}

/**
 * A place at the end of the log: nobody has read beyond it, and while this transaction has its lock of the table, nobody
 * does. See `settledHorizon`.
 */
async function takePlace(db: TransactionClient): Promise<Place> {
  await db.$executeRaw`LOCK TABLE changes IN ROW EXCLUSIVE MODE`;
  // New tables of an earlier version do not have the function.
  const [known] = await db.$queryRaw<{ isThere: boolean }[]>`
    SELECT to_regprocedure('earlier_transactions()') IS NOT NULL AS "isThere"`;
  const [place] = await db.$queryRaw<Place[]>`
    SELECT ${known?.isThere ? HORIZON : HORIZON_OF_NEW} AS horizon,
      (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM changes_id_seq) AS last`;
  if (!place) throw new Error("The change log has no end.");
  return place;
}

/** Whether no entry with a number as `numbers` says is about the resource. */
function isUnknown(resourceId: Prisma.Sql, numbers: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`NOT EXISTS (
    SELECT FROM changes AS known WHERE known.resource_id = ${resourceId} AND known.${numbers})`;
}

function versions(ids: Prisma.Sql): Prisma.Sql {
  const kinds = RESOURCE_KINDS.map((kind) => {
    const { table } = RESOURCES[kind];
    return Prisma.sql`
      SELECT ${kind}::text AS kind, id, version FROM ${identifier(table)}
      WHERE ${hasIdOfKind(Prisma.sql`id`, kind)} AND id IN (${ids})`;
  });
  return Prisma.join(kinds, " UNION ALL ");
}
