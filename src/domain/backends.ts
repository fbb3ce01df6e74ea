import { Prisma } from "../database/index.js";
import { deleted, updated } from "./changes/log.js";
import { insertAlone, inTransaction, type Transaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import type { BackendKind } from "./core/enumerations.js";
import { BACKEND_KINDS } from "./core/ids.js";
import type {
  Backend,
  BackendOf,
  HttpResponseBackend,
  StaticBackend,
  TunnelGroupBackend,
} from "./reads/backends.js";
import { getOne } from "./reads/read.js";
import { lockRow } from "./storage/locks.js";
import { refuseWhileInUse } from "./storage/reference-checks.js";
import { changedMembers, ID_ALONE, type Resource, touched } from "./storage/rows.js";

/** The members that only backends of each kind have. */
const MEMBERS: Readonly<Record<BackendKind, readonly string[]>> = {
  failover: ["kind", "backends"],
  http_response: ["kind", "statusCode", "headers", "body"],
  static: ["kind", "address", "tls"],
  tunnel_group: ["kind", "labels"],
  weighted: ["kind", "backends"],
} satisfies { readonly [Kind in BackendKind]: readonly (keyof BackendOf<Kind>)[] };

/** A backend that was read with all members that any kind has, as one of `kind`; throws when it is of another. */
function ofKind<Kind extends BackendKind>(kind: Kind, backend: Backend): BackendOf<Kind> {
  if (!isOfKind(backend, kind)) throw new Error(`Backend ${backend.id} is no ${kind} backend.`);
  const { id, createdAt, updatedAt, version, description, metadata } = backend;
  const row: Resource = { id, createdAt, updatedAt, version, description, metadata };
  const own = Object.entries(backend).filter(([name]) => MEMBERS[kind].includes(name));
  return { ...row, ...Object.fromEntries(own) } as BackendOf<Kind>;
}

/** Stores a backend without children, in one statement. Throws FORBIDDEN for a read-only key. */
export async function insertLeafBackend<Leaf extends LeafBackend>(
  context: Context,
  backend: Leaf,
): Promise<Leaf> {
  const insert = Prisma.sql`
    INSERT INTO backends (${COLUMNS})
    SELECT ${COLUMNS} FROM json_populate_record(NULL::backends, ${toColumns(backend)}::json)`;
  await insertAlone(context, BACKEND_KINDS[backend.kind], backend, insert);
  return backend;
}

type LeafBackend = HttpResponseBackend | StaticBackend | TunnelGroupBackend;

const COLUMNS = Prisma.raw(
  "id, kind, created_at, updated_at, version, description, metadata, status_code, headers, body, address, tls_enabled, labels",
);

/** The row of a backend as JSON text, by the names of its columns. */
function toColumns({ createdAt, updatedAt, ...backend }: LeafBackend): string {
  const { statusCode, tls, ...columns } = { statusCode: undefined, tls: undefined, ...backend };
  return JSON.stringify({
    ...columns,
    created_at: createdAt,
    updated_at: updatedAt,
    status_code: statusCode,
    tls_enabled: tls?.enabled,
  });
}

/** One backend of a kind, locked until the transaction ends. Throws NOT_FOUND. */
export async function lockBackend<Kind extends BackendKind>(
  context: Context,
  kind: Kind,
  id: string,
): Promise<BackendOf<Kind>> {
  await lockRow(context, BACKEND_KINDS[kind], id);
  return ofKind(kind, await getOne(context, BACKEND_KINDS[kind], id));
}

/**
 * Stores the members in `wanted` that are given and differ from those of `current`, a locked backend.
 * `columnsOf` says which columns they are.
 */
export async function changeBackend<Of extends Backend, Wanted extends Partial<Of>>(
  transaction: Transaction,
  current: Of,
  wanted: { [Key in keyof Wanted]: Wanted[Key] | undefined },
  columnsOf: (changed: Partial<Wanted>) => Prisma.BackendUpdateInput,
): Promise<Of> {
  const changed = changedMembers(current, wanted);
  if (!changed) return current;
  const touch = touched(current);
  const data = { ...columnsOf(changed), ...touch };
  await transaction.db.backend.update({ where: { id: current.id }, data, select: ID_ALONE });
  const next = { ...current, ...changed, ...touch };
  return updated(transaction, BACKEND_KINDS[current.kind], current, next);
}

/** Throws NOT_FOUND, and IN_USE while an edge, a route or another backend uses it. */
export function deleteBackend(context: Context, kind: BackendKind, id: string): Promise<void> {
  return inTransaction(context, async (context) => {
    const current = await lockBackend(context, kind, id);
    await refuseWhileInUse(context, BACKEND_KINDS[kind], id);
    await context.db.backend.delete({ where: { id } });
    deleted(context, BACKEND_KINDS[kind], current);
  });
}

function isOfKind<Kind extends BackendKind>(
  backend: Backend,
  kind: Kind,
): backend is BackendOf<Kind> {
  return backend.kind === kind;
}
