import { Prisma } from "../database/index.js";
import type { Context } from "./context.js";
import {
  type Columns,
  columnOf,
  onPage,
  readJsonRows,
  readTogether,
  toRow,
  withIds,
} from "./json-rows.js";
import { HTTPS_EDGE_ROUTE_MODULES } from "./modules/index.js";
import { IN_ORDER } from "./modules/links.js";
import type { PageRequest } from "./pages.js";

// Edges with their routes are what is read most: one statement reads them with all that they link to.

export const EDGE_LINKS = {
  certificateAuthorities: IN_ORDER,
} satisfies Prisma.HttpsEdgeInclude;

export const ROUTE_LINKS = {
  ipPolicies: IN_ORDER,
} satisfies Prisma.HttpsEdgeRouteInclude;

export type HttpsEdgeRow = Prisma.HttpsEdgeGetPayload<{ include: typeof EDGE_LINKS }>;
export type HttpsEdgeRouteRow = Prisma.HttpsEdgeRouteGetPayload<{ include: typeof ROUTE_LINKS }>;
export type HttpsEdgeRowWithRoutes = HttpsEdgeRow & { readonly routes: HttpsEdgeRouteRow[] };

const EDGES = Prisma.sql`
  SELECT edge.*, (
    SELECT coalesce(json_agg(json_build_object('certificateAuthorityId', link.certificate_authority_id)
      ORDER BY link.position), '[]')
    FROM https_edge_certificate_authorities AS link WHERE link.owner_id = edge.id
  ) AS certificate_authorities`;

const IP_POLICIES = Prisma.sql`(
    SELECT coalesce(json_agg(json_build_object('ipPolicyId', link.ip_policy_id)
      ORDER BY link.position), '[]')
    FROM https_edge_route_ip_policies AS link WHERE link.owner_id = route.id
  ) AS ip_policies`;

const ROUTES = Prisma.sql`SELECT route.*, ${IP_POLICIES} FROM https_edge_routes AS route`;

const WITH_ROUTES = Prisma.sql`, (
    SELECT coalesce(json_agg(to_json(routes) ORDER BY routes.id), '[]')
    FROM (${ROUTES} WHERE route.edge_id = edge.id) AS routes
  ) AS routes`;

const EDGE_ID = Prisma.sql`edge.id`;
const ROUTE_ID = Prisma.sql`route.id`;

const edges = (which: Prisma.Sql) => Prisma.sql`${EDGES} FROM https_edges AS edge ${which}`;
const edgesWithRoutes = (which: Prisma.Sql) =>
  Prisma.sql`${EDGES} ${WITH_ROUTES} FROM https_edges AS edge ${which}`;

export async function readHttpsEdgeRows(
  context: Context,
  ids: readonly string[],
): Promise<HttpsEdgeRow[]> {
  const query = (ids: readonly string[]) => edges(withIds(EDGE_ID, ids));
  return (await readTogether(context, "edges", query, ids)).map(toRow<HttpsEdgeRow>);
}

export async function readHttpsEdgeRowsOnPage(
  context: Context,
  page: PageRequest,
): Promise<HttpsEdgeRow[]> {
  return (await readJsonRows(context, edges(onPage(EDGE_ID, page)))).map(toRow<HttpsEdgeRow>);
}

/** An edge with its routes, oldest route first. */
export async function readHttpsEdgeRowWithRoutes(
  context: Context,
  id: string,
): Promise<HttpsEdgeRowWithRoutes | null> {
  const query = (ids: readonly string[]) => edgesWithRoutes(withIds(EDGE_ID, ids));
  const [found] = await readTogether(context, "edges with routes", query, [id]);
  return found ? toRowWithRoutes(found) : null;
}

/** Edges with their routes, oldest route first. */
export async function readHttpsEdgeRowsWithRoutesOnPage(
  context: Context,
  page: PageRequest,
): Promise<HttpsEdgeRowWithRoutes[]> {
  const query = edgesWithRoutes(onPage(EDGE_ID, page));
  return (await readJsonRows(context, query)).map(toRowWithRoutes);
}

export async function readHttpsEdgeRouteRows(
  context: Context,
  ids: readonly string[],
): Promise<HttpsEdgeRouteRow[]> {
  const query = (ids: readonly string[]) => Prisma.sql`${ROUTES} ${withIds(ROUTE_ID, ids)}`;
  return (await readTogether(context, "routes", query, ids)).map(toRow<HttpsEdgeRouteRow>);
}

/** A page of all routes, or of those of one edge. */
export async function readHttpsEdgeRouteRowsOnPage(
  context: Context,
  page: PageRequest,
  edgeId?: string,
): Promise<HttpsEdgeRouteRow[]> {
  const ofEdge = edgeId === undefined ? [] : [Prisma.sql`route.edge_id = ${edgeId}`];
  const query = Prisma.sql`${ROUTES} ${onPage(ROUTE_ID, page, ofEdge)}`;
  return (await readJsonRows(context, query)).map(toRow<HttpsEdgeRouteRow>);
}

/** The same page of the routes of each edge. */
export async function readHttpsEdgeRouteRowsOfEdges(
  context: Context,
  edgeIds: readonly string[],
  page: PageRequest,
): Promise<HttpsEdgeRouteRow[]> {
  const ofEdge = [Prisma.sql`route.edge_id = edge.id COLLATE "C"`];
  const query = (ids: readonly string[]) => Prisma.sql`
    SELECT page.* FROM unnest(${[...ids]}::text[]) AS edge(id)
    CROSS JOIN LATERAL (${ROUTES} ${onPage(ROUTE_ID, page, ofEdge)}) AS page`;
  const source = `routes of edges ${JSON.stringify(page)}`;
  const rows = await readTogether(context, source, query, edgeIds, (row) => row.edge_id);
  return rows.map(toRow<HttpsEdgeRouteRow>);
}

/** A route as it is read when it goes with its edge: of its modules nothing but whether they are enabled. */
export type HttpsEdgeRouteOutline = Omit<HttpsEdgeRouteRow, RouteModule> & {
  readonly [Name in RouteModule]: boolean | null;
};

type RouteModule = keyof typeof HTTPS_EDGE_ROUTE_MODULES;

const OUTLINE = Prisma.raw(
  Object.keys(HTTPS_EDGE_ROUTE_MODULES)
    .map(columnOf)
    .map((column) => `(route.${column} ->> 'enabled')::boolean AS ${column}`)
    .join(", "),
);

/** All routes of an edge, oldest first, without the documents of their modules, which can be megabytes. */
export async function readHttpsEdgeRouteOutlines(
  context: Context,
  edgeId: string,
): Promise<HttpsEdgeRouteOutline[]> {
  const rows = await readJsonRows(
    context,
    Prisma.sql`
      SELECT route.id, created_at, updated_at, version, description, metadata, edge_id, match_type, match,
        backend_enabled, backend_id, ip_restriction_enabled, ${IP_POLICIES}, ${OUTLINE}
      FROM https_edge_routes AS route WHERE edge_id = ${edgeId} ORDER BY route.id`,
  );
  return rows.map(toRow<HttpsEdgeRouteOutline>);
}

function toRowWithRoutes({ routes, ...edge }: Columns): HttpsEdgeRowWithRoutes {
  return {
    ...toRow<HttpsEdgeRow>(edge),
    routes: (routes as Columns[]).map(toRow<HttpsEdgeRouteRow>),
  };
}
