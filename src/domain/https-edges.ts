import { z } from "zod";
import { created, deleted, updated } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import { lockVersion } from "./changes/versions.js";
import type { Context } from "./core/context.js";
import { refuse } from "./core/errors.js";
import { ALWAYS, list, listInTurns, texts } from "./core/fields.js";
import { hostport } from "./formats/networks.js";
import { newHttpsEdgeRoute, repeatedMatches } from "./https-edge-route-inputs.js";
import { type HttpsEdgeRoute, insertRoutes, newRoute, tooManyRoutes } from "./https-edge-routes.js";
import type { FilteredPageRequest } from "./lists/sequences.js";
import { changedDocuments, moduleInputs, newDocuments } from "./modules/documents.js";
import { HTTPS_EDGE_MODULES, modulesOf } from "./modules/index.js";
import { certificateAuthorityLinks, changedMutualTls } from "./modules/links.js";
import { getOne, getOriginal, partsInOutline, withPartsReader } from "./reads/read.js";
import type { Resources } from "./reads/tables.js";
import { REFERENCES } from "./storage/graph.js";
import { lockRow, lockRowsOf } from "./storage/locks.js";
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

/** Serves HTTPS on its hostports, by its routes (specification, section 2.4). */
export type HttpsEdge = Resources["httpsEdge"];

const fields = {
  ...texts,
  hostports: list(hostport).nullish(),
  ...moduleInputs(modulesOf("httpsEdge")),
};

export const httpsEdgeInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

/** The rule of an edge together with its routes: at most 250, each as `route` says. To be run with `parseAsync`. */
export function edgeWithRoutes<Route extends z.ZodType>(route: Route) {
  const routes = listInTurns(route).superRefine((routes, ctx) => {
    for (const { path, message } of repeatedMatches(routes)) {
      ctx.addIssue({ code: "custom", message, path: [...path] });
    }
  }, ALWAYS);
  return z.strictObject({ ...fields, routes: routes.nullish() });
}

/** A new edge with its routes, each with all of its modules and a backend that may be new. */
export const nestedHttpsEdgeInput = edgeWithRoutes(newHttpsEdgeRoute);

type CreateInput = z.output<typeof httpsEdgeInputs.create> | z.output<typeof nestedHttpsEdgeInput>;

/**
 * Specification, section 4.4. The edge and its routes are stored together, or nothing is. `row` is what it begins
 * with. Throws INVALID_REQUEST for references that do not exist, and for more routes than an edge may have.
 */
export function createHttpsEdge(
  context: Context,
  input: CreateInput,
  row = newRow("httpsEdge"),
): Promise<HttpsEdge> {
  const routes = "routes" in input ? (input.routes ?? []).map(newRoute) : [];
  return inTransaction(context, async (context) => {
    refuse([
      ...(await danglingReferences(context, input)),
      ...(await tooManyRoutes(context, null, routes.length, ["routes"])),
    ]);
    const own = { ...row, ...createdTexts(input), hostports: input.hostports ?? [] };
    const mutualTls = input.mutualTls ?? null;
    const place = { context, ownerId: row.id };
    const documents = newDocuments(HTTPS_EDGE_MODULES, input, place);
    await context.db.httpsEdge.create({
      data: {
        ...own,
        mutualTlsEnabled: mutualTls?.enabled ?? null,
        certificateAuthorities: { create: certificateAuthorityLinks(mutualTls) },
        ...documents.columns,
      },
      select: ID_ALONE,
    });
    const edge = created(context, "httpsEdge", { ...own, mutualTls, ...documents.values });
    if (routes.length > 0) await insertRoutes(context, edge.id, routes);
    return edge;
  });
}

/** An edge with all of its routes, oldest first. */
export interface HttpsEdgeWithRoutes extends HttpsEdge {
  readonly routes: readonly HttpsEdgeRoute[];
}

/** Throws NOT_FOUND. */
export function getHttpsEdgeWithRoutes(context: Context, id: string): Promise<HttpsEdgeWithRoutes> {
  return findOne("httpsEdge", id, () => WITH_ROUTES.readOne(context, id));
}

/** Locks an edge and its routes until the transaction ends; null when there is no edge. The routes are in outline. */
export async function lockHttpsEdgeWithRoutes(context: Context, id: string) {
  const version = await lockVersion(context, "httpsEdge", id);
  if (version === null) return null;
  await lockRowsOf(context, "httpsEdgeRoute", id);
  return { id, version, routes: await partsInOutline(context, "httpsEdgeRoute", id) };
}

/** Newest first. */
export function listHttpsEdgesWithRoutes(
  context: Context,
  page: FilteredPageRequest,
): Promise<HttpsEdgeWithRoutes[]> {
  return WITH_ROUTES.readPage(context, page);
}

const WITH_ROUTES = withPartsReader(
  "httpsEdge",
  "httpsEdgeRoute",
  REFERENCES.edgeOfRoute,
  "routes",
);

/**
 * Absent leaves a field or module as it is, null clears or removes it, a value replaces all of it.
 * Throws NOT_FOUND, and INVALID_REQUEST for a certificate authority that does not exist.
 */
export function updateHttpsEdge(
  context: Context,
  id: string,
  input: z.output<typeof httpsEdgeInputs.update>,
): Promise<HttpsEdge> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "httpsEdge", id);
    const { value: current, stored } = await getOriginal(context, "httpsEdge", id);
    refuse(await danglingReferences(context, input));
    const changed = changedMembers(current, {
      ...changedTexts(input),
      hostports: input.hostports === null ? [] : input.hostports,
      mutualTls: input.mutualTls,
    });
    const { mutualTls, ...columns } = changed ?? {};
    const place = { context, ownerId: id };
    const documents = changedDocuments(HTTPS_EDGE_MODULES, input, current, stored, place);
    if (!changed && Object.keys(documents.columns).length === 0) return current;
    const touch = touched(current);
    await context.db.httpsEdge.update({
      where: { id },
      data: {
        ...columns,
        ...changedMutualTls(mutualTls),
        ...documents.columns,
        ...touch,
      },
      select: ID_ALONE,
    });
    const next = { ...current, ...changed, ...documents.values, ...touch };
    return updated(context, "httpsEdge", current, next);
  });
}

/** Deletes the edge and its routes. Throws NOT_FOUND. */
export function deleteHttpsEdge(context: Context, id: string): Promise<void> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "httpsEdge", id);
    await lockRowsOf(context, "httpsEdgeRoute", id);
    const edge = await getOne(context, "httpsEdge", id);
    const routes = await partsInOutline(context, "httpsEdgeRoute", id);
    await context.db.httpsEdge.delete({ where: { id } });
    for (const route of routes) deleted(context, "httpsEdgeRoute", route);
    deleted(context, "httpsEdge", edge);
  });
}
