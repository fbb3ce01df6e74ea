import type { Prisma } from "../database/index.js";
import { settledBackend } from "./backend-references.js";
import { created, deleted, updated } from "./changes/log.js";
import { inTransaction, type Transaction } from "./changes/transactions.js";
import { lockVersion } from "./changes/versions.js";
import type { Context } from "./core/context.js";
import { DomainError, type Issue, refuse } from "./core/errors.js";
import type { CreateInput, RouteInput, UpdateInput } from "./https-edge-route-inputs.js";
import { sequenceOf } from "./lists/sequences.js";
import { severalLogins } from "./modules/combinations.js";
import { changedDocuments, newDocuments } from "./modules/documents.js";
import { HTTPS_EDGE_ROUTE_MODULES } from "./modules/index.js";
import {
  backendColumns,
  changedBackend,
  changedIpRestriction,
  ipPolicyLinks,
} from "./modules/links.js";
import { nestedListReader, type Original, readOne, readOriginal } from "./reads/read.js";
import type { Resources } from "./reads/tables.js";
import { REFERENCES } from "./storage/graph.js";
import { lockRow } from "./storage/locks.js";
import { danglingReferences } from "./storage/reference-checks.js";
import {
  changedMembers,
  changedTexts,
  createdTexts,
  findOne,
  ID_ALONE,
  newRow,
  touched,
} from "./storage/rows.js";

/** A rule of an HTTPS edge for the requests that match it (specification, HTTPSEdgeRoute). */
export type HttpsEdgeRoute = Resources["httpsEdgeRoute"];

const HTTPS_EDGE_ROUTES = sequenceOf("httpsEdgeRoute");

/** A route to create, with the first columns of its row. */
export interface NewRoute<Input = RouteInput> {
  readonly row: ReturnType<typeof newRow>;
  readonly input: Input;
}

/**
 * Call it before the transaction: a transaction that runs again needs the same ids, since signing pairs are made for
 * them.
 */
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
 * An issue at `path` when an edge would have more routes than allowed with so many more. The edge is locked, so that
 * other requests that add routes wait; null means a new edge. Existing routes above the limit stay.
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
  context: Transaction,
  edgeId: string,
  routes: readonly NewRoute[],
): Promise<HttpsEdgeRoute[]> {
  const { httpsEdgeRoute, httpsEdgeRouteIpPolicy } = context.db;
  const made: SettledRoute[] = [];
  for (const route of routes) made.push(await settledRoute(context, edgeId, route));
  await httpsEdgeRoute.createMany({ data: made.map(({ columns }) => columns) });
  const links = made.flatMap(({ route }) =>
    ipPolicyLinks(route.ipRestriction).map((link) => ({ ...link, ownerId: route.id })),
  );
  if (links.length > 0) await httpsEdgeRouteIpPolicy.createMany({ data: links });
  return made.map(({ route }) => created(context, "httpsEdgeRoute", route));
}

interface SettledRoute {
  readonly columns: Prisma.HttpsEdgeRouteCreateManyInput;
  readonly route: HttpsEdgeRoute;
}

async function settledRoute(
  context: Transaction,
  edgeId: string,
  { row, input }: NewRoute,
): Promise<SettledRoute> {
  const backend = await settledBackend(context, input.backend ?? null);
  const ipRestriction = input.ipRestriction ?? null;
  const own = {
    ...row,
    ...createdTexts(input),
    edgeId,
    matchType: input.matchType,
    match: input.match,
  };
  const place = { context, ownerId: row.id };
  const documents = newDocuments(HTTPS_EDGE_ROUTE_MODULES, input, place);
  return {
    columns: {
      ...own,
      ...backendColumns(backend),
      ipRestrictionEnabled: ipRestriction?.enabled ?? null,
      ...documents.columns,
    },
    route: { ...own, backend, ipRestriction, ...documents.values },
  };
}

/** One route, of any edge or of `edgeId` only. Throws NOT_FOUND. */
export async function getHttpsEdgeRoute(
  context: Context,
  id: string,
  edgeId?: string,
): Promise<HttpsEdgeRoute> {
  return findOne("httpsEdgeRoute", id, async () => {
    const route = await readOne(context, "httpsEdgeRoute", id);
    return route && isOf(edgeId, route) ? route : null;
  });
}

/** The same as it is stored. */
function getOriginalRoute(
  context: Context,
  id: string,
  edgeId?: string,
): Promise<Original<HttpsEdgeRoute>> {
  return findOne("httpsEdgeRoute", id, async () => {
    const route = await readOriginal(context, "httpsEdgeRoute", id);
    return route && isOf(edgeId, route.value) ? route : null;
  });
}

function isOf(edgeId: string | undefined, route: HttpsEdgeRoute): boolean {
  return edgeId === undefined || route.edgeId === edgeId;
}

/** The routes of an edge, newest first. */
export const listRoutesOfHttpsEdge = nestedListReader({
  sequence: HTTPS_EDGE_ROUTES,
  reference: REFERENCES.edgeOfRoute,
});

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
    const original = await getOriginalRoute(context, id, edgeId);
    const current = original.value;
    refuse([...(await danglingReferences(context, input)), ...severalLogins(input, current)]);
    const { matchType = current.matchType, match = current.match } = input;
    await refuseTakenMatch(context, { ...current, matchType, match });
    return changeRoute(context, original, input);
  });
}

/** Stores what `input`, which is checked already, changes in a route, whose row is locked. */
export async function changeRoute(
  context: Transaction,
  { value: current, stored }: Original<HttpsEdgeRoute>,
  input: UpdateInput,
): Promise<HttpsEdgeRoute> {
  const { id } = current;
  const changed = changedMembers(current, {
    ...changedTexts(input),
    matchType: input.matchType,
    match: input.match,
    backend: await settledBackend(context, input.backend),
    ipRestriction: input.ipRestriction,
  });
  const { backend, ipRestriction, ...columns } = changed ?? {};
  const place = { context, ownerId: id };
  const documents = changedDocuments(HTTPS_EDGE_ROUTE_MODULES, input, current, stored, place);
  if (!changed && Object.keys(documents.columns).length === 0) return current;
  const touch = touched(current);
  await context.db.httpsEdgeRoute.update({
    where: { id },
    data: {
      ...columns,
      ...changedBackend(backend),
      ...changedIpRestriction(ipRestriction),
      ...documents.columns,
      ...touch,
    },
    select: ID_ALONE,
  });
  const next = { ...current, ...changed, ...documents.values, ...touch };
  return updated(context, "httpsEdgeRoute", current, next);
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
  const message = `has the same match type as the route ${other.id} of this edge, which has this match already`;
  throw new DomainError("CONFLICT", `\`match\` ${message}.`, [{ path: ["match"], message }]);
}
