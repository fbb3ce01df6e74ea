import { Prisma } from "../../database/index.js";
import { domainOrWildcard, hostport } from "../formats/networks.js";
import { hasReferenceTo, isDomain, isServedOn, listHas } from "../lists/filters/filter.js";
import { mayHaveText } from "../lists/filters/search.js";
import { isAtAddress } from "../lists/filters/static-backends.js";
import { hasDnsName } from "../lists/filters/tls-certificates.js";
import { descriptionKey } from "../lists/orders.js";
import type { Condition } from "../lists/sequences.js";
import type { Reference, Table } from "../storage/graph.js";

// Conditions by which an index finds what an expression asks for, where none is on the column itself. All rows that are
// asked for meet them, and perhaps others: they ignore case, and take the texts of a row together. So the exact condition
// stands beside each. They are those of the filters of lists, and have the same indexes.

type Finder = (value: string) => Condition | null;
type Finders = Partial<Record<Table, Readonly<Record<string, Finder>>>>;

const byHostport =
  (table: Table): Finder =>
  (value) =>
    hostport.safeParse(value).success ? isServedOn(table, value) : null;

const byItem =
  (table: Table, column: string): Finder =>
  (value) =>
    listHas(table, column, value);

/** By the whole text in a column. */
const EQUAL: Finders = {
  agent_ingresses: { domain: isDomain },
  reserved_domains: { domain: isDomain },
  backends: { address: (value) => (hostport.safeParse(value).success ? isAtAddress(value) : null) },
};

/** By an item of the list in a column. */
const INCLUDING: Finders = {
  https_edges: { hostports: byHostport("https_edges") },
  tls_edges: { hostports: byHostport("tls_edges") },
  tcp_edges: { hostports: byHostport("tcp_edges") },
  ssh_credentials: { acl: byItem("ssh_credentials", "acl") },
  ssh_host_certificates: { principals: byItem("ssh_host_certificates", "principals") },
  ssh_user_certificates: { principals: byItem("ssh_user_certificates", "principals") },
  tls_certificates: {
    dns_names: (value) => (domainOrWildcard.safeParse(value).success ? hasDnsName([value]) : null),
  },
};

/** The columns whose texts the search of every list covers. */
const SEARCHED: ReadonlySet<string> = new Set(["description", "metadata"]);
/** Those that it covers in some tables. */
const SEARCHED_TOO: Partial<Record<Table, string>> = {
  agent_ingresses: "domain",
  backends: "address",
  reserved_addrs: "addr",
  reserved_domains: "domain",
  tls_certificates: "subject_common_name",
};

/** Whether a whole text in `column` is found by `findsEqual`, and not by an index on the column. */
export function isFoundByText(table: Table, column: string): boolean {
  return SEARCHED.has(column) || EQUAL[table]?.[column] !== undefined;
}

/** For the rows whose text in `column` is `value`. */
export function findsEqual(table: Table, column: string, value: string): Condition | null {
  if (column === "description") {
    const [own, given] = [Prisma.sql`item.description`, Prisma.sql`${value}::text`];
    return Prisma.sql`${descriptionKey(own)} = ${descriptionKey(given)}`;
  }
  if (column === "metadata") return mayHaveText(value, "beginning");
  return EQUAL[table]?.[column]?.(value) ?? null;
}

/** For the rows whose text in `column` has `part` in it: at its beginning, or anywhere. */
export function findsPart(
  table: Table,
  column: string,
  part: string,
  place: Parameters<typeof mayHaveText>[1],
): Condition | null {
  const isSearched = SEARCHED.has(column) || SEARCHED_TOO[table] === column;
  return isSearched ? mayHaveText(part, place) : null;
}

/** For the rows whose list in `column` has `item` in it. */
export function findsItem(table: Table, column: string, item: string): Condition | null {
  return INCLUDING[table]?.[column]?.(item) ?? null;
}

/** For the rows that refer to `id`. */
export function findsReference(reference: Reference, id: string): Condition {
  return hasReferenceTo(reference, id);
}
