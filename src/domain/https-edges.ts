import { z } from "zod";
import type { Prisma } from "../database/index.js";
import { created, deleted, updated } from "./change-log.js";
import { type Context, inTransaction } from "./context.js";
import { refuse } from "./errors.js";
import { description, list, listInTurns, metadata } from "./fields.js";
import {
  type HttpsEdgeRoute,
  httpsEdgeRoutesInOutline,
  insertRoutes,
  newHttpsEdgeRoute,
  newRoute,
  repeatedMatches,
  toHttpsEdgeRoute,
  tooManyRoutes,
} from "./https-edge-routes.js";
import {
  EDGE_LINKS,
  type HttpsEdgeRow,
  type HttpsEdgeRowWithRoutes,
  readHttpsEdgeRows,
  readHttpsEdgeRowsOnPage,
  readHttpsEdgeRowsWithRoutesOnPage,
  readHttpsEdgeRowWithRoutes,
} from "./https-edge-rows.js";
import {
  changedDocuments,
  type DocumentValues,
  documentFields,
  readDocuments,
} from "./modules/documents.js";
import { HTTPS_EDGE_MODULES } from "./modules/index.js";
import {
  certificateAuthorityLinks,
  type MutualTlsSettings,
  mutualTlsSettings,
  readMutualTls,
} from "./modules/links.js";
import { hostport } from "./networks.js";
import type { PageRequest } from "./pages.js";
import { danglingReferences } from "./references.js";
import {
  changedTexts,
  changes,
  createdTexts,
  findOne,
  lockRow,
  lockRowsOf,
  newRow,
  type Row,
  touched,
} from "./rows.js";
import { countOf } from "./tallies.js";

/** Serves HTTPS on its hostports, by its routes (specification, section 2.4). */
export interface HttpsEdge extends Row, DocumentValues<typeof HTTPS_EDGE_MODULES> {
  /** `host:port`, in the order given. */
  readonly hostports: readonly string[];
  readonly mutualTls: MutualTlsSettings | null;
}

const fields = {
  description: description.nullish(),
  metadata: metadata.nullish(),
  hostports: list(hostport).nullish(),
  mutualTls: mutualTlsSettings.nullish(),
  ...documentFields(HTTPS_EDGE_MODULES),
};

export const httpsEdgeInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

/** The rule of an edge together with its routes: at most 250, each as `route` says. To be run with `parseAsync`. */
export function edgeWithRoutes<Route extends z.ZodType>(route: Route) {
  const routes = listInTurns(route).superRefine(
    (routes, ctx) => {
      for (const { path, message } of repeatedMatches(routes)) {
        ctx.addIssue({ code: "custom", message, path: [...path] });
      }
    },
    { when: () => true },
  );
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
    const place = { context, ownerId: row.id };
    const mutualTls = input.mutualTls ?? null;
    const stored = await context.db.httpsEdge.create({
      data: {
        ...row,
        ...createdTexts(input),
        hostports: input.hostports ?? [],
        mutualTlsEnabled: mutualTls?.enabled ?? null,
        certificateAuthorities: { create: certificateAuthorityLinks(mutualTls) },
        ...changedDocuments(HTTPS_EDGE_MODULES, input, null, place),
      },
      include: EDGE_LINKS,
    });
    const edge = created(context, "httpsEdge", toHttpsEdge(context, stored));
    if (routes.length > 0) await insertRoutes(context, edge.id, routes);
    return edge;
  });
}

/** Throws NOT_FOUND. */
export async function getHttpsEdge(context: Context, id: string): Promise<HttpsEdge> {
  return toHttpsEdge(context, await readRow(context, id));
}

export async function httpsEdgesById(
  context: Context,
  ids: readonly string[],
): Promise<HttpsEdge[]> {
  const rows = await readHttpsEdgeRows(context, ids);
  return rows.map((row) => toHttpsEdge(context, row));
}

/** Newest first. */
export async function listHttpsEdges(context: Context, page: PageRequest): Promise<HttpsEdge[]> {
  const rows = await readHttpsEdgeRowsOnPage(context, page);
  return rows.map((row) => toHttpsEdge(context, row));
}

/** An edge with all of its routes, oldest first. */
export interface HttpsEdgeWithRoutes extends HttpsEdge {
  readonly routes: readonly HttpsEdgeRoute[];
}

/** Throws NOT_FOUND. */
export async function getHttpsEdgeWithRoutes(
  context: Context,
  id: string,
): Promise<HttpsEdgeWithRoutes> {
  const row = await findOne("httpsEdge", id, () => readHttpsEdgeRowWithRoutes(context, id));
  return toHttpsEdgeWithRoutes(context, row);
}

/** Newest first. */
export async function listHttpsEdgesWithRoutes(
  context: Context,
  page: PageRequest,
): Promise<HttpsEdgeWithRoutes[]> {
  const rows = await readHttpsEdgeRowsWithRoutesOnPage(context, page);
  return rows.map((row) => toHttpsEdgeWithRoutes(context, row));
}

export function countHttpsEdges(context: Context): Promise<number> {
  return countOf(context, "httpsEdge");
}

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
    const row = await readRow(context, id);
    refuse(await danglingReferences(context, input));
    const current = toHttpsEdge(context, row);
    const { mutualTls, ...columns } =
      changes(current, {
        ...changedTexts(input),
        hostports: input.hostports === null ? [] : input.hostports,
        mutualTls: input.mutualTls,
      }) ?? {};
    const data: Prisma.HttpsEdgeUpdateInput = {
      ...columns,
      ...(mutualTls !== undefined && {
        mutualTlsEnabled: mutualTls?.enabled ?? null,
        certificateAuthorities: { deleteMany: {}, create: certificateAuthorityLinks(mutualTls) },
      }),
      ...changedDocuments(HTTPS_EDGE_MODULES, input, row, { context, ownerId: id }),
    };
    if (Object.keys(data).length === 0) return current;
    const stored = await context.db.httpsEdge.update({
      where: { id },
      data: { ...data, ...touched() },
      include: EDGE_LINKS,
    });
    return updated(context, "httpsEdge", current, toHttpsEdge(context, stored));
  });
}

/** Deletes the edge and its routes. Throws NOT_FOUND. */
export function deleteHttpsEdge(context: Context, id: string): Promise<void> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "httpsEdge", id);
    await lockRowsOf(context, "httpsEdgeRoute", id);
    const edge = await getHttpsEdge(context, id);
    const routes = await httpsEdgeRoutesInOutline(context, id);
    await context.db.httpsEdge.delete({ where: { id } });
    for (const route of routes) deleted(context, "httpsEdgeRoute", route);
    deleted(context, "httpsEdge", edge);
  });
}

function readRow(context: Context, id: string): Promise<HttpsEdgeRow> {
  return findOne("httpsEdge", id, async () => {
    const [found] = await readHttpsEdgeRows(context, [id]);
    return found ?? null;
  });
}

function toHttpsEdge(context: Context, row: HttpsEdgeRow): HttpsEdge {
  const { id, createdAt, updatedAt, version, description, metadata, hostports } = row;
  return {
    id,
    createdAt,
    updatedAt,
    version,
    description,
    metadata,
    hostports,
    mutualTls: readMutualTls(row),
    ...readDocuments(HTTPS_EDGE_MODULES, row, { context, ownerId: id }),
  };
}

function toHttpsEdgeWithRoutes(
  context: Context,
  { routes, ...row }: HttpsEdgeRowWithRoutes,
): HttpsEdgeWithRoutes {
  return {
    ...toHttpsEdge(context, row),
    routes: routes.map((route) => toHttpsEdgeRoute(context, route)),
  };
}
