import { z } from "zod";
import { Prisma } from "../database/index.js";
import { deleted } from "./change-log.js";
import { type Context, insertAlone, inTransaction } from "./context.js";
import { RESOURCES, type ResourceKind } from "./ids.js";
import { onPage, readJsonRows, readTogether, toColumns, toRow, withIds } from "./json-rows.js";
import type { PageRequest } from "./pages.js";
import { refuseWhileInUse } from "./references.js";
import { findOne, lockRow, type Row } from "./rows.js";
import { countOf } from "./tallies.js";

/** The kinds of backends, as the column of their common table names them, and as ids do. */
const RESOURCE_KINDS = {
  failover: "failoverBackend",
  http_response: "httpResponseBackend",
  static: "staticBackend",
  tunnel_group: "tunnelGroupBackend",
  weighted: "weightedBackend",
} as const satisfies Record<string, ResourceKind>;

export type BackendKind = keyof typeof RESOURCE_KINDS;

/** Tries its children in order until one can serve. */
export interface FailoverBackend extends Row {
  readonly kind: "failover";
  /** The ids of its children, in order; at most 50. */
  readonly backends: readonly string[];
}

/** Answers every request with the same response. */
export interface HttpResponseBackend extends Row {
  readonly kind: "http_response";
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Forwards to one address. */
export interface StaticBackend extends Row {
  readonly kind: "static";
  readonly address: string;
  readonly tls: { readonly enabled: boolean };
}

/** Forwards to the tunnels that carry all of its labels. */
export interface TunnelGroupBackend extends Row {
  readonly kind: "tunnel_group";
  readonly labels: Readonly<Record<string, string>>;
}

/** Spreads requests over its children in proportion to their weights. */
export interface WeightedBackend extends Row {
  readonly kind: "weighted";
  /** Weights, 0 to 10000, by the ids of its children. */
  readonly backends: Readonly<Record<string, number>>;
}

export type Backend =
  | FailoverBackend
  | HttpResponseBackend
  | StaticBackend
  | TunnelGroupBackend
  | WeightedBackend;

export type BackendOf<Kind extends BackendKind> = Extract<Backend, { kind: Kind }>;

export const WITH_CHILDREN = {
  children: { orderBy: { position: "asc" } },
} satisfies Prisma.BackendInclude;

type Children = { readonly childId: string; readonly weight: number | null }[];

export type BackendRow = Prisma.BackendGetPayload<object> & { readonly children: Children };

const ID = Prisma.sql`backend.id`;

const backends = (which: Prisma.Sql) => Prisma.sql`
  SELECT backend.*, (
    SELECT coalesce(json_agg(json_build_object('childId', child_id, 'weight', weight)
      ORDER BY position), '[]')
    FROM backend_children WHERE parent_id = backend.id
  ) AS children FROM backends AS backend ${which}`;

async function readBackendRows(context: Context, ids: readonly string[]): Promise<BackendRow[]> {
  const query = (ids: readonly string[]) => backends(withIds(ID, ids));
  return (await readTogether(context, "backends", query, ids)).map(toRow<BackendRow>);
}

const stringMap = z.record(z.string(), z.string());

/** A row of the common table as the kind that it is. */
function toBackend(row: BackendRow): Backend {
  const { id, createdAt, updatedAt, version, description, metadata } = row;
  const common = { id, createdAt, updatedAt, version, description, metadata };
  switch (row.kind) {
    case "failover":
      return { ...common, kind: row.kind, backends: row.children.map(({ childId }) => childId) };
    case "http_response":
      return {
        ...common,
        kind: row.kind,
        statusCode: row.statusCode ?? 200,
        headers: stringMap.parse(row.headers ?? {}),
        body: row.body ?? "",
      };
    case "static":
      return {
        ...common,
        kind: row.kind,
        address: row.address ?? "",
        tls: { enabled: row.tlsEnabled ?? false },
      };
    case "tunnel_group":
      return { ...common, kind: row.kind, labels: stringMap.parse(row.labels ?? {}) };
    case "weighted":
      return {
        ...common,
        kind: row.kind,
        backends: Object.fromEntries(
          row.children.map(({ childId, weight }) => [childId, weight ?? 0]),
        ),
      };
    default:
      throw new Error(`Backend ${id} is of no known kind.`);
  }
}

/** A row that is of `kind`: throws when it is not. */
export function toBackendOf<Kind extends BackendKind>(
  kind: Kind,
  row: BackendRow,
): BackendOf<Kind> {
  const backend = toBackend(row);
  if (!isOfKind(backend, kind)) throw new Error(`Backend ${row.id} is no ${kind} backend.`);
  return backend;
}

const NO_COLUMNS = {
  version: 1,
  statusCode: null,
  headers: null,
  body: null,
  address: null,
  tlsEnabled: null,
  labels: null,
};

type LeafColumns = Omit<BackendRow, keyof typeof NO_COLUMNS | "children"> &
  Partial<Pick<BackendRow, keyof typeof NO_COLUMNS>>;

/** Stores a backend without children, in one statement. Throws FORBIDDEN for a read-only key. */
export async function insertBackend<Kind extends BackendKind>(
  context: Context,
  columns: LeafColumns & { readonly kind: Kind },
): Promise<BackendOf<Kind>> {
  const row = { ...NO_COLUMNS, ...columns };
  const backend = toBackendOf<Kind>(columns.kind, { ...row, children: [] });
  const insert = Prisma.sql`
    INSERT INTO backends SELECT * FROM json_populate_record(NULL::backends, ${toColumns(row)}::json)`;
  await insertAlone(context, RESOURCE_KINDS[columns.kind], backend, insert);
  return backend;
}

/** One backend of a kind. Throws NOT_FOUND. */
export function getBackend<Kind extends BackendKind>(
  context: Context,
  kind: Kind,
  id: string,
): Promise<BackendOf<Kind>> {
  return findOne(RESOURCE_KINDS[kind], id, async () => {
    const [row] = await readBackendRows(context, [id]);
    return row ? toBackendOf(kind, row) : null;
  });
}

/** One backend of a kind, held until the transaction ends. Throws NOT_FOUND. */
export async function lockBackend<Kind extends BackendKind>(
  context: Context,
  kind: Kind,
  id: string,
): Promise<BackendOf<Kind>> {
  await lockRow(context, RESOURCE_KINDS[kind], id);
  return getBackend(context, kind, id);
}

/** Between these are the ids of a kind of backend, and no others: they begin with its prefix. */
function idsOfKind(kind: BackendKind): [string, string] {
  const { prefix } = RESOURCES[RESOURCE_KINDS[kind]];
  return [`${prefix}_`, `${prefix}_~`];
}

/** The backends of a kind. `id` is the column, as SQL; its index has them together. */
export function hasIdOfKind(id: Prisma.Sql, kind: BackendKind): Prisma.Sql {
  return Prisma.sql`${id} BETWEEN ${Prisma.join(idsOfKind(kind), " AND ")}`;
}

/** The backends of a kind, newest first. */
export async function listBackends<Kind extends BackendKind>(
  context: Context,
  kind: Kind,
  page: PageRequest,
): Promise<BackendOf<Kind>[]> {
  const rows = await readJsonRows(context, backends(onPage(ID, page, [hasIdOfKind(ID, kind)])));
  return rows.map((row) => toBackendOf(kind, toRow<BackendRow>(row)));
}

/** Backends of any kind. */
export async function backendsById(context: Context, ids: readonly string[]): Promise<Backend[]> {
  return (await readBackendRows(context, ids)).map(toBackend);
}

/** A reader of the backends of one kind; it leaves out all others. */
export function backendsOfKindById<Kind extends BackendKind>(kind: Kind) {
  return async (context: Context, ids: readonly string[]): Promise<BackendOf<Kind>[]> =>
    (await backendsById(context, ids)).filter((backend) => isOfKind(backend, kind));
}

export function countBackends(context: Context, kind: BackendKind): Promise<number> {
  return countOf(context, RESOURCE_KINDS[kind]);
}

/** Throws NOT_FOUND, and IN_USE while an edge, a route or another backend uses it. */
export function deleteBackend(context: Context, kind: BackendKind, id: string): Promise<void> {
  return inTransaction(context, async (context) => {
    const current = await lockBackend(context, kind, id);
    await refuseWhileInUse(context, RESOURCE_KINDS[kind], id);
    await context.db.backend.delete({ where: { id } });
    deleted(context, RESOURCE_KINDS[kind], current);
  });
}

function isOfKind<Kind extends BackendKind>(
  backend: Backend,
  kind: Kind,
): backend is BackendOf<Kind> {
  return backend.kind === kind;
}
