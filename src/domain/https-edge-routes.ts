import { z } from "zod";
import { Prisma } from "../database/index.js";
import { nestedBackendSettings, settledBackend } from "./backend-references.js";
import { created, deleted, updated } from "./change-log.js";
import { type Context, inTransaction } from "./context.js";
import { DomainError, type Issue, refuse } from "./errors.js";
import { description, metadata, orUnchanged, requiredText } from "./fields.js";
import {
  type HttpsEdgeRouteRow,
  ROUTE_LINKS,
  readHttpsEdgeRouteOutlines,
  readHttpsEdgeRouteRows,
  readHttpsEdgeRouteRowsOfEdges,
  readHttpsEdgeRouteRowsOnPage,
} from "./https-edge-rows.js";
import {
  changedDocuments,
  type DocumentInputs,
  type DocumentValues,
  documentFields,
  newDocuments,
  readDocuments,
} from "./modules/documents.js";
import { HTTPS_EDGE_ROUTE_MODULES } from "./modules/index.js";
import {
  type BackendSettings,
  backendColumns,
  backendSettings,
  type IpRestrictionSettings,
  ipPolicyLinks,
  ipRestrictionSettings,
  readBackend,
  readIpRestriction,
} from "./modules/links.js";
import { isDnsName } from "./networks.js";
import type { PageRequest } from "./pages.js";
import { danglingReferences, reference } from "./references.js";
import {
  changedTexts,
  changes,
  createdTexts,
  findOne,
  lockRow,
  newRow,
  type Row,
  touched,
} from "./rows.js";
import { countOf } from "./tallies.js";
import { lockVersion } from "./versions.js";

const MATCH_TYPES = ["exact_path", "path_prefix"] as const;
type MatchType = (typeof MATCH_TYPES)[number];

export const MAX_MATCH_BYTES = 1024;

/** What an HTTPS edge does with the requests that it matches (specification, HTTPSEdgeRoute). */
export interface HttpsEdgeRoute extends Row, DocumentValues<typeof HTTPS_EDGE_ROUTE_MODULES> {
  readonly edgeId: string;
  readonly matchType: MatchType;
  readonly match: string;
  readonly backend: BackendSettings | null;
  readonly ipRestriction: IpRestrictionSettings | null;
}

export const matchType = z.enum(MATCH_TYPES);

/** A path that starts with `/`, a hostname, or a hostname and a path; at most 1024 bytes. */
const match = requiredText(MAX_MATCH_BYTES).refine((value) => {
  if (value === "" || /[\s?#]/.test(value)) return value === "";
  const slash = value.indexOf("/");
  const host = slash < 0 ? value : value.slice(0, slash);
  return host === "" || isDnsName(host.startsWith("*.") ? host.slice(2) : host);
}, "must be a path such as /api, a hostname, or a hostname and a path, without query or fragment");

const fields = {
  description: description.nullish(),
  metadata: metadata.nullish(),
  backend: backendSettings.nullish(),
  ipRestriction: ipRestrictionSettings.nullish(),
  ...documentFields(HTTPS_EDGE_ROUTE_MODULES),
};

export const httpsEdgeRouteInputs = {
  create: z.strictObject({ edgeId: reference("httpsEdge"), matchType, match, ...fields }),
  update: z.strictObject({
    matchType: orUnchanged(matchType),
    match: orUnchanged(match),
    ...fields,
  }),
};

const nestedBackend = { backend: nestedBackendSettings.nullish() };

/** The same with a backend that may be new. */
export const nestedHttpsEdgeRouteInputs = {
  create: httpsEdgeRouteInputs.create.extend(nestedBackend),
  update: httpsEdgeRouteInputs.update.extend(nestedBackend),
};

/** The rule of a route that is stored together with its edge, whose backend is given as `backend` says. */
export function routeOfNewEdge<Backend extends z.ZodType>(backend: Backend) {
  return httpsEdgeRouteInputs.create
    .omit({ edgeId: true })
    .extend({ backend: backend.nullish() })
    .superRefine(
      (route, ctx) => {
        if (typeof route !== "object" || route === null) return;
        for (const { path, message } of severalLogins(route, null)) {
          ctx.addIssue({ code: "custom", message, path: [...path] });
        }
      },
      { when: () => true },
    );
}

/** A route that is created together with its edge. */
export const newHttpsEdgeRoute = routeOfNewEdge(nestedBackendSettings);

type CreateInput =
  | z.output<typeof httpsEdgeRouteInputs.create>
  | z.output<typeof nestedHttpsEdgeRouteInputs.create>;
type UpdateInput =
  | z.output<typeof httpsEdgeRouteInputs.update>
  | z.output<typeof nestedHttpsEdgeRouteInputs.update>;
type RouteInput = Omit<CreateInput, "edgeId">;

/** A route that is to be created, with what its row begins with. */
export interface NewRoute<Input = RouteInput> {
  readonly row: ReturnType<typeof newRow>;
  readonly input: Input;
}

/** To be called before the transaction: one that runs again needs the same ids, which signing pairs are made for. */
export function newRoute<Input>(input: Input): NewRoute<Input> {
  return { row: newRow("httpsEdgeRoute"), input };
}

/**
 * Throws NOT_FOUND for the edge, CONFLICT when another route of the edge has the same match, and
 * INVALID_REQUEST for references that do not exist, more than one enabled way to authenticate, or one route more
 * than an edge may have.
 */
export function createHttpsEdgeRoute(
  context: Context,
  input: CreateInput,
): Promise<HttpsEdgeRoute> {
  const { edgeId, matchType, match } = input;
  const made = newRoute(input);
  return inTransaction(context, async (context) => {
    await findOne("httpsEdge", edgeId, () => lockVersion(context, "httpsEdge", edgeId));
    refuse([
      ...(await danglingReferences(context, input)),
      ...severalLogins(input, null),
      ...(await tooManyRoutes(context, edgeId, 1, ["edgeId"])),
    ]);
    await refuseTakenMatch(context, { id: null, edgeId, matchType, match });
    const [route] = await insertRoutes(context, edgeId, [made]);
    if (!route) throw new Error("A route that was stored is there.");
    return route;
  });
}

/**
 * An issue at `path` when an edge would have more routes than allowed with so many more. The edge is held, so that
 * others who add some wait; null stands for a new one. Whatever there is already stays.
 */
export async function tooManyRoutes(
  { db, settings }: Context,
  edgeId: string | null,
  added: number,
  path: Issue["path"],
): Promise<Issue[]> {
  const limit = settings.maxRoutesPerEdge;
  if (added === 0) return [];
  const present = edgeId === null ? 0 : await db.httpsEdgeRoute.count({ where: { edgeId } });
  const routes = present + added;
  if (routes <= limit) return [];
  const message = `would give the edge ${routes} routes, and at most ${limit} are allowed`;
  return [{ path, message, limit }];
}

/**
 * Stores the routes of an edge, which are checked already, in as many statements as one would take, besides
 * those for backends that are new.
 */
export async function insertRoutes(
  context: Context,
  edgeId: string,
  routes: readonly NewRoute[],
): Promise<HttpsEdgeRoute[]> {
  const rows: HttpsEdgeRouteRow[] = [];
  for (const route of routes) rows.push(await newRouteRow(context, edgeId, route));
  await context.db.httpsEdgeRoute.createMany({
    data: rows.map(({ ipPolicies: _, ...columns }) => withDatabaseNulls(columns)),
  });
  const links = rows.flatMap(({ ipPolicies }) => ipPolicies);
  if (links.length > 0) await context.db.httpsEdgeRouteIpPolicy.createMany({ data: links });
  return rows.map((row) => created(context, "httpsEdgeRoute", toHttpsEdgeRoute(context, row)));
}

async function newRouteRow(
  context: Context,
  edgeId: string,
  { row, input }: NewRoute,
): Promise<HttpsEdgeRouteRow> {
  const ipRestriction = input.ipRestriction ?? null;
  return {
    ...row,
    version: 1,
    ...createdTexts(input),
    edgeId,
    matchType: input.matchType,
    match: input.match,
    ...backendColumns(await settledBackend(context, input.backend ?? null)),
    ipRestrictionEnabled: ipRestriction?.enabled ?? null,
    ipPolicies: ipPolicyLinks(ipRestriction).map((link) => ({ ...link, ownerId: row.id })),
    ...newDocuments(HTTPS_EDGE_ROUTE_MODULES, input, { context, ownerId: row.id }),
  };
}

/** One route, of any edge or of `edgeId` only. Throws NOT_FOUND. */
export async function getHttpsEdgeRoute(
  context: Context,
  id: string,
  edgeId?: string,
): Promise<HttpsEdgeRoute> {
  return toHttpsEdgeRoute(context, await readRow(context, id, edgeId));
}

export async function httpsEdgeRoutesById(
  context: Context,
  ids: readonly string[],
): Promise<HttpsEdgeRoute[]> {
  const rows = await readHttpsEdgeRouteRows(context, ids);
  return rows.map((row) => toHttpsEdgeRoute(context, row));
}

/**
 * All routes of an edge, oldest first, as the log and the counts tell of them when they go with it: each module shows
 * only whether it was enabled. Its settings stand in the log where they were made.
 */
export async function httpsEdgeRoutesInOutline(context: Context, edgeId: string): Promise<Row[]> {
  const rows = await readHttpsEdgeRouteOutlines(context, edgeId);
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    version: row.version,
    description: row.description,
    metadata: row.metadata,
    edgeId: row.edgeId,
    matchType: row.matchType,
    match: row.match,
    backend: readBackend(row),
    ipRestriction: readIpRestriction(row),
    ...Object.fromEntries(
      ROUTE_MODULES.map((name) => [name, row[name] === null ? null : { enabled: row[name] }]),
    ),
  }));
}

/** The routes of an edge, newest first, or of all edges without `edgeId`. */
export async function listHttpsEdgeRoutes(
  context: Context,
  page: PageRequest,
  edgeId?: string,
): Promise<HttpsEdgeRoute[]> {
  const rows = await readHttpsEdgeRouteRowsOnPage(context, page, edgeId);
  return rows.map((row) => toHttpsEdgeRoute(context, row));
}

/** The same page of the routes of each edge, newest first. */
export async function routesOfHttpsEdges(
  context: Context,
  edgeIds: readonly string[],
  page: PageRequest,
): Promise<Map<string, HttpsEdgeRoute[]>> {
  const routes = new Map<string, HttpsEdgeRoute[]>(edgeIds.map((id) => [id, []]));
  for (const row of await readHttpsEdgeRouteRowsOfEdges(context, edgeIds, page)) {
    routes.get(row.edgeId)?.push(toHttpsEdgeRoute(context, row));
  }
  return routes;
}

export function countHttpsEdgeRoutes(context: Context): Promise<number> {
  return countOf(context, "httpsEdgeRoute");
}

/**
 * Absent leaves a field or module as it is, null clears or removes it, a value replaces all of it.
 * Throws what creating throws.
 */
export function updateHttpsEdgeRoute(
  context: Context,
  id: string,
  input: UpdateInput,
  edgeId?: string,
): Promise<HttpsEdgeRoute> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "httpsEdgeRoute", id);
    const row = await readRow(context, id, edgeId);
    const current = toHttpsEdgeRoute(context, row);
    refuse([...(await danglingReferences(context, input)), ...severalLogins(input, current)]);
    const { matchType = current.matchType, match = current.match } = input;
    await refuseTakenMatch(context, { ...current, matchType, match });
    return changeRoute(context, row, input);
  });
}

/** Stores what `input`, which is checked already, changes in a route, whose row is locked. */
export async function changeRoute(
  context: Context,
  row: HttpsEdgeRouteRow,
  input: UpdateInput,
): Promise<HttpsEdgeRoute> {
  const { id } = row;
  const current = toHttpsEdgeRoute(context, row);
  const wanted = {
    ...changedTexts(input),
    matchType: input.matchType,
    match: input.match,
    backend: await settledBackend(context, input.backend),
    ipRestriction: input.ipRestriction,
  };
  const { backend, ipRestriction, ...columns } = changes(current, wanted) ?? {};
  const place = { context, ownerId: id };
  const data: Prisma.HttpsEdgeRouteUncheckedUpdateInput = {
    ...columns,
    ...(backend !== undefined && backendColumns(backend)),
    ...(ipRestriction !== undefined && {
      ipRestrictionEnabled: ipRestriction?.enabled ?? null,
      ipPolicies: { deleteMany: {}, create: ipPolicyLinks(ipRestriction) },
    }),
    ...changedDocuments(HTTPS_EDGE_ROUTE_MODULES, input, row, place),
  };
  if (Object.keys(data).length === 0) return current;
  const stored = await context.db.httpsEdgeRoute.update({
    where: { id },
    data: { ...data, ...touched() },
    include: ROUTE_LINKS,
  });
  return updated(context, "httpsEdgeRoute", current, toHttpsEdgeRoute(context, stored));
}

/** Throws NOT_FOUND. */
export function deleteHttpsEdgeRoute(context: Context, id: string, edgeId?: string): Promise<void> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "httpsEdgeRoute", id);
    const current = await getHttpsEdgeRoute(context, id, edgeId);
    await context.db.httpsEdgeRoute.delete({ where: { id } });
    deleted(context, "httpsEdgeRoute", current);
  });
}

const LOGINS = ["oauth", "oidc", "saml"] as const;

/** An issue for each given login module that would be enabled together with another (Part 0, Modules). */
function severalLogins(
  input: DocumentInputs<typeof HTTPS_EDGE_ROUTE_MODULES>,
  current: HttpsEdgeRoute | null,
): Issue[] {
  const enabled = LOGINS.filter((name) => {
    const module = input[name] === undefined ? current?.[name] : input[name];
    return module?.enabled;
  });
  return enabled
    .filter((name) => enabled.length > 1 && input[name])
    .map((name) => {
      const others = enabled.filter((other) => other !== name).map((other) => `\`${other}\``);
      return {
        path: [name],
        message: `cannot be enabled while ${others.join(" and ")} is: a route has one way to log in`,
      };
    });
}

/** The same text for routes that match the same requests in the same way, of which an edge has one. */
export function wayToMatch(route: { readonly matchType: string; readonly match: string }): string {
  return JSON.stringify([route.matchType, route.match]);
}

/** An issue for each of several new routes of an edge that matches in the same way as one before it. */
export function repeatedMatches(routes: unknown): Issue[] {
  if (!Array.isArray(routes)) return [];
  const first = new Map<string, number>();
  return routes.flatMap((route: unknown, index) => {
    const found = z.looseObject({ matchType: z.string(), match: z.string() }).safeParse(route);
    if (!found.success) return [];
    const way = wayToMatch(found.data);
    const other = first.get(way);
    if (other === undefined) {
      first.set(way, index);
      return [];
    }
    const message = `is already matched in the same way by the route at position ${other}`;
    return [{ path: [index, "match"], message }];
  });
}

interface Match {
  readonly id: string | null;
  readonly edgeId: string;
  readonly matchType: string;
  readonly match: string;
}

async function refuseTakenMatch(
  { db }: Context,
  { id, edgeId, matchType, match }: Match,
): Promise<void> {
  const other = await db.httpsEdgeRoute.findUnique({
    where: { edgeId_matchType_match: { edgeId, matchType, match } },
    select: { id: true },
  });
  if (!other || other.id === id) return;
  const message = `is already matched in the same way by the route ${other.id} of this edge`;
  throw new DomainError("CONFLICT", `\`match\` ${message}.`, [{ path: ["match"], message }]);
}

function readRow(context: Context, id: string, edgeId?: string): Promise<HttpsEdgeRouteRow> {
  return findOne("httpsEdgeRoute", id, async () => {
    const [row] = await readHttpsEdgeRouteRows(context, [id]);
    return row && (edgeId === undefined || row.edgeId === edgeId) ? row : null;
  });
}

const ROUTE_MODULES = Object.keys(
  HTTPS_EDGE_ROUTE_MODULES,
) as (keyof typeof HTTPS_EDGE_ROUTE_MODULES)[];

/** The row for Prisma, to which null in a JSON column could be JSON's null as well. */
function withDatabaseNulls(
  row: Omit<HttpsEdgeRouteRow, "ipPolicies">,
): Prisma.HttpsEdgeRouteCreateManyInput {
  const columns = ROUTE_MODULES.map((name) => [name, row[name] ?? Prisma.DbNull]);
  return { ...row, ...Object.fromEntries(columns) };
}

/** The route that a row of the database is. */
export function toHttpsEdgeRoute(context: Context, row: HttpsEdgeRouteRow): HttpsEdgeRoute {
  const { id, createdAt, updatedAt, version, description, metadata, edgeId, match } = row;
  return {
    id,
    createdAt,
    updatedAt,
    version,
    description,
    metadata,
    edgeId,
    matchType: matchType.parse(row.matchType),
    match,
    backend: readBackend(row),
    ipRestriction: readIpRestriction(row),
    ...readDocuments(HTTPS_EDGE_ROUTE_MODULES, row, { context, ownerId: id }),
  };
}
