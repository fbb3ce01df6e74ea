import { LEAN_EDGE, LEAN_ROUTE, RICH_EDGE } from "./floor-graphql-sql.js";
import { REST_EDGE } from "./floor-rest-sql.js";
import { boolean, link, object, plain, text, time } from "./floor-text.js";

/** `$1`: the id. */
const one = (edge: string) => `SELECT ${edge} AS json FROM https_edges e WHERE e.id = $1`;

/** `$1`: the id before which to start; `$2`: how many. One row more, without its JSON, when there are more. */
const page = (edge: string) => `
  SELECT e.id, CASE WHEN row_number() OVER (ORDER BY e.id DESC) <= $2 THEN ${edge} END AS json
  FROM (SELECT * FROM https_edges WHERE id < $1 ORDER BY id DESC LIMIT $2 + 1) e ORDER BY e.id DESC`;

export const FLOOR_SQL = {
  restEdge: one(REST_EDGE),
  restEdges: page(REST_EDGE),
  richEdge: one(RICH_EDGE),
  richEdges: page(RICH_EDGE),
  leanEdge: one(LEAN_EDGE),
  leanEdges: page(LEAN_EDGE),
  /** `$1`: the id before which to start; `$2`: how many. */
  compressedRoutes: `
    SELECT r.id, ${LEAN_ROUTE} AS json FROM (
      SELECT * FROM https_edge_routes WHERE compression IS NOT NULL AND id < $1 ORDER BY id DESC LIMIT $2
    ) r ORDER BY r.id DESC`,
  /** `$1`: id; `$2`: description; `$3`: metadata; `$4`: address; `$5`: whether TLS is used. */
  createStaticBackend: `
    WITH b AS (
      INSERT INTO backends (id, created_at, updated_at, description, metadata, kind, address, tls_enabled)
      VALUES ($1, now(), now(), $2, $3, 'static', $4, $5)
      RETURNING *
    ), logged AS (
      INSERT INTO changes (horizon, at, operation_id, kind, resource_id, action, version, differences)
      SELECT greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint),
        now(), $1, 'staticBackend', id, 'created', 1, json_build_array(
          json_build_object('path', json_build_array('description'), 'before', NULL, 'after', description),
          json_build_object('path', json_build_array('metadata'), 'before', NULL, 'after', metadata),
          json_build_object('path', json_build_array('address'), 'before', NULL, 'after', address),
          json_build_object('path', json_build_array('tls', 'enabled'), 'before', NULL, 'after', tls_enabled))
      FROM b
    ), counted AS (
      INSERT INTO counts (name, slot, count) VALUES ('staticBackend', pg_backend_pid() % 32, 1)
      ON CONFLICT (name, slot) DO UPDATE SET count = counts.count + 1
    )
    SELECT ${object({
      id: plain("b.id"),
      uri: link("'/backends/static/'", "b.id"),
      created_at: time("b.created_at"),
      description: text("b.description"),
      metadata: text("b.metadata"),
      address: text("b.address"),
      tls: object({ enabled: boolean("b.tls_enabled") }),
    })} AS json FROM b`,
} as const;
