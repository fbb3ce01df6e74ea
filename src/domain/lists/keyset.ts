import { Prisma } from "../../database/index.js";

// Pages by a keyset: a page begins behind what its cursor says of a row, whether that row is still there or not, so no
// row is skipped or shown twice when others come and go. All lists that have pages are read so.

/** The order of a list: the parts of its key as SQL, most important first, and their common direction. */
export interface Keyset {
  readonly key: readonly Prisma.Sql[];
  readonly direction: "asc" | "desc";
}

/** What a cursor says of each part of the key, as SQL or as a value. */
type KeyValues = readonly unknown[];

/** The range of rows in which a page lies, in the direction of the list. */
export interface KeysetRange {
  readonly after?: KeyValues | null | undefined;
  readonly before?: KeyValues | null | undefined;
}

/** The conditions that a row lies in the range; `bounds` says whether the rows of the cursors do. */
export function inRange(
  { key, direction }: Keyset,
  { after, before }: KeysetRange,
  bounds: "exclusive" | "inclusive" = "exclusive",
): Prisma.Sql[] {
  const [beyond, short] = direction === "asc" ? [">", "<"] : ["<", ">"];
  const or = bounds === "inclusive" ? "=" : "";
  const compared = (operator: string | undefined, values: KeyValues) =>
    Prisma.sql`${tuple(key)} ${Prisma.raw(`${operator}${or}`)} ${tuple(values)}`;
  return [
    ...(after ? [compared(beyond, after)] : []),
    ...(before ? [compared(short, before)] : []),
  ];
}

/** The order in which the rows of a page are read: from the end of the list on when `fromEnd`. */
export function orderBy({ key, direction }: Keyset, fromEnd = false): Prisma.Sql {
  const read = Prisma.raw((direction === "asc") !== fromEnd ? "ASC" : "DESC");
  return Prisma.sql`ORDER BY ${Prisma.join(key.map((part) => Prisma.sql`${part} ${read}`))}`;
}

/** One value by itself, several as a row, which PostgreSQL compares part by part. */
function tuple(values: KeyValues): Prisma.Sql {
  const parts = Prisma.join(values.map((value) => Prisma.sql`${value}`));
  return values.length === 1 ? parts : Prisma.sql`(${parts})`;
}
