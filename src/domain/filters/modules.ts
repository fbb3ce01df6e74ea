import { z } from "zod";
import { Prisma } from "../../database/index.js";
import type { Condition } from "../lists.js";
import {
  HTTPS_EDGE_MODULES,
  HTTPS_EDGE_ROUTE_MODULES,
  TLS_EDGE_MODULES,
} from "../modules/index.js";
import { member } from "./filter.js";

// An SQL function for each kind of owner tells its modules as texts such as `oauth:true`, and is indexed.
// It takes the columns in the order in which they stand here.

/** The columns of modules that refer to other rows; of all others the column has the module's name. */
const COLUMNS: Readonly<Record<string, string>> = {
  backend: "backend_enabled",
  ipRestriction: "ip_restriction_enabled",
  mutualTls: "mutual_tls_enabled",
};

/** Those who carry modules. */
interface Owner {
  readonly names: readonly string[];
  readonly function: string;
}

export const HTTPS_EDGE: Owner = {
  names: ["mutualTls", ...Object.keys(HTTPS_EDGE_MODULES)],
  function: "https_edge_modules",
};

export const HTTPS_EDGE_ROUTE: Owner = {
  names: ["backend", "ipRestriction", ...Object.keys(HTTPS_EDGE_ROUTE_MODULES)],
  function: "https_edge_route_modules",
};

export const TLS_EDGE: Owner = {
  names: ["backend", "ipRestriction", "mutualTls", ...Object.keys(TLS_EDGE_MODULES)],
  function: "tls_edge_modules",
};

/** The owners with a module as asked. `row` is what their rows are called in the SQL. */
export function hasModule(
  { names, function: modules }: Owner,
  row: string,
  { kind, enabled }: ModuleFilter,
): Condition {
  const columns = names.map((name) => `${row}."${COLUMNS[name] ?? columnOf(name)}"`);
  const wanted = enabled == null ? [`${kind}:true`, `${kind}:false`] : [`${kind}:${enabled}`];
  return Prisma.sql`${Prisma.raw(`"${modules}"(${columns.join(", ")})`)} && ${wanted}::text[]`;
}

interface ModuleFilter {
  readonly kind: string;
  readonly enabled?: boolean | null | undefined;
}

/** A module of one of `kinds`: set, and enabled or not if asked. */
export function moduleMember(
  kinds: readonly string[],
  condition: (filter: ModuleFilter) => Condition,
): z.ZodType<Condition> {
  return member(z.strictObject({ kind: z.enum(kinds), enabled: z.boolean().nullish() }), condition);
}

function columnOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
