import { Prisma } from "../../database/index.js";
import { EDGES, type ResourceKind } from "../core/ids.js";
import type { Resource } from "./rows.js";

// Every change updates the number of edges (of all kinds) that have each hostport. So conflicts are found without a
// read of all edges. A hostport that no edge has any more keeps its row with the count 0.

const WITH_HOSTPORTS: ReadonlySet<ResourceKind> = new Set(EDGES);

/** The hostports of one edge before and after a change, as they were given. */
export interface HostportChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Adds to `changes` the effect of a change from `before` to `after`. A state is null before creation and after
 * deletion.
 */
export function changeHostports(
  changes: HostportChange[],
  kind: ResourceKind,
  before: Resource | null,
  after: Resource | null,
): void {
  if (!WITH_HOSTPORTS.has(kind)) return;
  const change = { before: hostportsOf(before), after: hostportsOf(after) };
  if (change.before.join("\n") !== change.after.join("\n")) changes.push(change);
}

function hostportsOf(row: (Resource & { readonly hostports?: readonly string[] }) | null) {
  return row?.hostports ?? [];
}

/** The statement that stores the changes; ordered, so that two of them never wait for each other in a circle. */
export function storeHostportClaims(changes: readonly HostportChange[]): Prisma.Sql {
  const claims = (side: keyof HostportChange, by: 1 | -1) => Prisma.sql`
    SELECT DISTINCT edge, hostport_key(hostport) AS hostport, ${by}::integer AS claims
    FROM json_array_elements(${JSON.stringify(changes.map((change) => change[side]))}::json)
      WITH ORDINALITY AS given(hostports, edge), json_array_elements_text(hostports) AS hostport`;
  return Prisma.sql`
    INSERT INTO hostport_claims (hostport, claims)
    SELECT hostport, sum(claims)
    FROM (${claims("before", -1)} UNION ALL ${claims("after", 1)}) AS change
    GROUP BY hostport HAVING sum(claims) <> 0 ORDER BY hostport COLLATE "C"
    ON CONFLICT (hostport) DO UPDATE SET claims = hostport_claims.claims + excluded.claims`;
}
