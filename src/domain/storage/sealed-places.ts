import { Prisma } from "../../database/index.js";
import { RESOURCES } from "../core/ids.js";
import { snakeCase } from "../core/names.js";
import { MODULE_OWNERS, sealedIn } from "../modules/index.js";
import { identifier } from "./graph.js";

/** A column that may have a sealed text in each row. */
export interface SealedPlace {
  readonly table: string;
  readonly column: string;
  /** Leads to the text in a JSON document; null where the column is the text itself. */
  readonly path: readonly string[] | null;
  /** Follows the id of the row in the purpose of the text, such as `oauth.clientSecret`. */
  readonly field: string;
}

/** Where resources have their secrets. */
export const SECRET_PLACES: readonly SealedPlace[] = [
  ...["ssh_certificate_authorities", "tls_certificates"].map((table) => ({
    table,
    column: "sealed_private_key",
    path: null,
    field: "privateKey",
  })),
  ...MODULE_OWNERS.flatMap((owner) =>
    sealedIn(owner).map(({ name, path, field }) => ({
      table: RESOURCES[owner].table,
      column: snakeCase(name),
      path,
      field,
    })),
  ),
];

/** Wherever something is sealed: secrets, and the kept answers of requests. */
export const SEALED_PLACES: readonly SealedPlace[] = [
  ...SECRET_PLACES,
  { table: "outcomes", column: "sealed", path: null, field: "outcome" },
];

/** The sealed text of a row of the place's table, which is called `row`; null or empty where it has none. */
export function sealedTextAt({ column, path }: SealedPlace, row: string): Prisma.Sql {
  const place = Prisma.sql`${identifier(row)}.${identifier(column)}`;
  return path === null ? place : Prisma.sql`(${place} #>> ${path}::text[])`;
}

/** What the text of a row is sealed for. */
export function purposeAt({ field }: SealedPlace, id: string): string {
  return `${id}.${field}`;
}
