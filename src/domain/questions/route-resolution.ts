import { z } from "zod";
import { PLANNED_ANEW, Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { parse } from "../core/fields.js";
import { EDGES, type EdgeKind, RESOURCES } from "../core/ids.js";
import { isDnsName } from "../formats/networks.js";
import { type RequestTarget, requestUrl } from "../formats/request-urls.js";
import { MAX_MATCH_BYTES } from "../formats/route-matches.js";
import type { HttpsEdgeRoute } from "../https-edge-routes.js";
import type { HttpsEdge } from "../https-edges.js";
import { type ModuleName, NAMES_IN_ORDER_OF_ACTION } from "../modules/index.js";
import { readOne } from "../reads/read.js";
import { readRows } from "../reads/rows.js";
import { identifier } from "../storage/graph.js";

/** Why a URL is served as it is. */
type Outcome = "routed" | "no_route" | "tls_edge" | "tcp_edge" | "no_edge";

/** A module that is enabled, beside its kind. */
export interface AppliedModule {
  readonly kind: ModuleName;
  readonly settings: { readonly enabled: boolean };
}

/** The edge and the route that serve a URL. */
export interface RouteResolution {
  readonly outcome: Outcome;
  readonly target: RequestTarget;
  /** The hostport that the request goes to, as edges are compared with it; of the edge's that is, when there is one. */
  readonly matchedHostport: string | null;
  readonly edge: HttpsEdge | null;
  readonly route: HttpsEdgeRoute | null;
  /** In the order in which they act. */
  readonly modules: readonly AppliedModule[];
  /** Ids of other edges that claim the same hostport: kind by kind, oldest first; at most `MOST_OTHER_EDGES`. */
  readonly otherEdgeIds: readonly string[];
}

export const MOST_OTHER_EDGES = 20;

/** The rule of the arguments of `resolveRoute`. */
export const routeArguments = z.object({ url: requestUrl });

/**
 * Finds the HTTPS edge and its route that serve `url`; see `requestUrl` for the accepted URLs. Throws INVALID_REQUEST
 * for other URLs.
 *
 * The edge: a hostport with exactly this host wins over a wildcard (`*.` matches one or more labels), and the longest
 * wildcard wins. If several HTTPS edges have the hostport, the oldest wins. If only TLS or TCP edges have it, they
 * forward the connection, and there is no route.
 *
 * The route, in the order of the Gateway API of Kubernetes: a route for exactly this hostname wins over a wildcard
 * hostname (the longest wins), which wins over any hostname. Then `exact_path` wins over the longest `path_prefix`,
 * which is compared as text (`/ap` is a prefix of `/api`). A hostname without a path matches every path, with either
 * match type. If several routes differ only in the case of the hostname, the oldest wins.
 */
export async function resolveRoute(context: Context, url: string): Promise<RouteResolution> {
  const { url: target } = parse(routeArguments, { url });
  const { matchedHostport, ids } = await findEdges(context, target);
  const servingId = ids.find(({ kind }) => kind === "httpsEdge")?.id;
  const otherEdgeIds = ids
    .map(({ id }) => id)
    .filter((id) => id !== servingId)
    .slice(0, MOST_OTHER_EDGES);
  const edge = servingId === undefined ? null : await readOne(context, "httpsEdge", servingId);
  const unserved = { target, matchedHostport, otherEdgeIds, edge: null, route: null, modules: [] };
  if (!edge) return { ...unserved, outcome: unroutedBy(ids) };
  const routeId = await findRoute(context, edge.id, target);
  const route = routeId === null ? null : await readOne(context, "httpsEdgeRoute", routeId);
  return {
    ...unserved,
    outcome: route ? "routed" : "no_route",
    edge,
    route,
    modules: appliedModules({ ...edge, ...route }),
  };
}

/** The outcome where no HTTPS edge has the hostport. A TLS edge comes before a TCP edge. */
function unroutedBy([first]: readonly Claim[]): Outcome {
  if (!first) return "no_edge";
  return first.kind === "tcpEdge" ? "tcp_edge" : "tls_edge";
}

type Modules = { readonly [Name in ModuleName]?: { readonly enabled: boolean } | null | undefined };

function appliedModules(modules: Modules): AppliedModule[] {
  return NAMES_IN_ORDER_OF_ACTION.flatMap((kind) => {
    const settings = modules[kind];
    return settings?.enabled ? [{ kind, settings }] : [];
  });
}

/** The host itself, then the wildcards that it falls under, longest first. */
function hostPatterns(host: string): string[] {
  if (!isDnsName(host)) return [host];
  const labels = host.split(".");
  return [host, ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join(".")}`)];
}

interface Claim {
  readonly kind: EdgeKind;
  readonly id: string;
  readonly hostport: string;
}

// Both are planned anew: a plan that was made while there were few rows reads the whole table, also when it has grown.

/**
 * The edges of the most specific hostport that matches, kind by kind and oldest first. Each way in which a hostport may
 * be written is a look into an index.
 */
async function findEdges(context: Context, { host, port }: RequestTarget) {
  const wanted = hostPatterns(host).map((pattern) => `${pattern}:${port}`);
  const claims = await readRows<Claim>(
    context,
    Prisma.sql`
    SELECT claim.kind, claim.id, pattern.key AS hostport
    FROM unnest(hostport_keys(${wanted}::text[])) WITH ORDINALITY AS pattern(key, place)
    CROSS JOIN LATERAL (
      ${Prisma.join(EDGES.map(claimsOf), " UNION ALL ")}
    ) AS claim
    ORDER BY pattern.place, claim.place, claim.id LIMIT ${MOST_OTHER_EDGES + 1}`,
    PLANNED_ANEW,
  );
  const matchedHostport = claims[0]?.hostport ?? null;
  return { matchedHostport, ids: claims.filter(({ hostport }) => hostport === matchedHostport) };
}

function claimsOf(kind: EdgeKind, place: number): Prisma.Sql {
  return Prisma.sql`SELECT ${place}::integer AS place, ${kind}::text AS kind, edge.id
    FROM ${identifier(RESOURCES[kind].table)} AS edge
    WHERE hostport_keys(edge.hostports) && ARRAY[pattern.key]`;
}

/**
 * The id of the route that matches. The lengths that the matches of the edge's routes have for a host that is asked
 * for are found one after the other, each by a look into an index; the match of that length is another look. So there
 * are at most two for each route and one for each host, whatever the path is.
 */
async function findRoute(
  context: Context,
  edgeId: string,
  { host, path }: RequestTarget,
): Promise<string | null> {
  const hosts = isDnsName(host) ? [...hostPatterns(host), ""] : [""];
  // A path with more characters than a match may have bytes is the very path of none: one more is enough to tell.
  const compared = Array.from(path.slice(0, 2 * (MAX_MATCH_BYTES + 1)))
    .slice(0, MAX_MATCH_BYTES + 1)
    .join("");
  const scope = Prisma.sql`match_scope(route.edge_id, route.match) COLLATE "C"`;
  const [found] = await readRows<{ id: string }>(
    context,
    Prisma.sql`
    SELECT best.id
    FROM unnest(${hosts}::text[]) WITH ORDINALITY AS pattern(host, place)
    CROSS JOIN LATERAL (
      SELECT ${edgeId}::text || '/' || pattern.host AS scope,
        length(pattern.host) AS bare, pattern.host || ${compared}::text AS whole
    ) AS wanted
    CROSS JOIN LATERAL (
      WITH RECURSIVE size(n) AS (
        SELECT length(wanted.whole) + 1
        UNION ALL
        -- Whatever stands before in the index, of this scope or another: as one step it takes no other plan.
        SELECT before.n FROM size CROSS JOIN LATERAL (
          SELECT ${scope} AS scope, length(route.match) AS n FROM https_edge_routes AS route
          WHERE (${scope}, length(route.match)) < (wanted.scope, size.n)
          ORDER BY ${scope} DESC, length(route.match) DESC LIMIT 1
        ) AS before
        WHERE before.scope = wanted.scope
      )
      SELECT route.id FROM size
      CROSS JOIN LATERAL (
        SELECT route.id, route.match_type FROM https_edge_routes AS route
        WHERE ${scope} = wanted.scope AND length(route.match) = size.n
          AND match_key(route.match) COLLATE "C" = left(wanted.whole, size.n)
        OFFSET 0
      ) AS route
      WHERE size.n <= length(wanted.whole)
        AND (route.match_type = 'path_prefix' OR size.n IN (wanted.bare, length(wanted.whole)))
      ORDER BY size.n DESC, size.n > wanted.bare AND route.match_type = 'exact_path' DESC, route.id
      LIMIT 1
    ) AS best
    ORDER BY pattern.place
    LIMIT 1`,
    PLANNED_ANEW,
  );
  return found?.id ?? null;
}
