import { Prisma } from "../../database/index.js";
import type { Services } from "../core/context.js";
import { identifier } from "./graph.js";
import { purposeAt, SEALED_PLACES, type SealedPlace, sealedTextAt } from "./sealed-places.js";

const BATCH = 500;

/** A sealed text that another key than the first of the ring has sealed. */
interface Outdated {
  readonly id: string;
  readonly sealed: string;
}

/**
 * Seals anew, with the first key of the ring, everything that another key has sealed; returns how many texts. Each text
 * is replaced only as it was read, so changes may go on meanwhile, and what was done stays done when this is interrupted.
 * The resources do not change: not their versions, nor the log. `db` has no time limits. Throws when the ring lacks a key.
 */
export async function resealAll({
  db,
  keyring,
}: Pick<Services, "db" | "keyring">): Promise<number> {
  const [current = ""] = keyring.fingerprints;
  let resealed = 0;
  for (const place of SEALED_PLACES) {
    for (let after = ""; ; ) {
      const batch = await readOutdated(db, place, current, after);
      for (const { id, sealed } of batch) {
        const purpose = purposeAt(place, id);
        const anew = keyring.seal(keyring.open(sealed, purpose), purpose);
        resealed += await replaceText(db, place, id, sealed, anew);
      }
      const last = batch.at(-1);
      if (!last) break;
      after = last.id;
    }
  }
  return resealed;
}

function readOutdated(
  db: Services["db"],
  place: SealedPlace,
  current: string,
  after: string,
): Promise<Outdated[]> {
  return db.$queryRaw<Outdated[]>`
    SELECT id, sealed FROM (
      SELECT owner.id, ${sealedTextAt(place, "owner")} AS sealed FROM ${identifier(place.table)} AS owner
    ) AS place
    WHERE sealed <> '' AND split_part(sealed, '.', 1) <> ${current} AND id > ${after}
    ORDER BY id LIMIT ${BATCH}`;
}

/** Returns 1, or 0 when the text has changed meanwhile. A sealed text stands nowhere else, so a document stays as it is. */
function replaceText(
  db: Services["db"],
  { table, column, path }: SealedPlace,
  id: string,
  before: string,
  after: string,
): Promise<number> {
  const place = identifier(column);
  const replaced = Prisma.sql`replace(${place}::text, ${before}, ${after})`;
  return db.$executeRaw`
    UPDATE ${identifier(table)} SET ${place} = ${path === null ? replaced : Prisma.sql`${replaced}::json`}
    WHERE id = ${id} AND strpos(${place}::text, ${before}) > 0`;
}
