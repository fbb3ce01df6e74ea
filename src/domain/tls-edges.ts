import { z } from "zod";
import type { Prisma } from "../database/index.js";
import { nestedBackendSettings, settledBackend } from "./backend-references.js";
import { created, deleted, updated } from "./change-log.js";
import { type Context, inTransaction } from "./context.js";
import { type Issue, refuse } from "./errors.js";
import { description, list, metadata } from "./fields.js";
import {
  changedDocuments,
  type DocumentValues,
  documentFields,
  readDocuments,
} from "./modules/documents.js";
import { TLS_EDGE_MODULES } from "./modules/index.js";
import {
  type BackendSettings,
  backendColumns,
  backendSettings,
  certificateAuthorityLinks,
  IN_ORDER,
  type IpRestrictionSettings,
  ipPolicyLinks,
  ipRestrictionSettings,
  type MutualTlsSettings,
  mutualTlsSettings,
  readBackend,
  readIpRestriction,
  readMutualTls,
} from "./modules/links.js";
import { hostport } from "./networks.js";
import { keyset, type PageRequest } from "./pages.js";
import { danglingReferences } from "./references.js";
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

/** Serves TLS on its hostports and forwards what it carries (wire facts, 1.12). */
export interface TlsEdge extends Row, DocumentValues<typeof TLS_EDGE_MODULES> {
  /** `host:port`, in the order given. */
  readonly hostports: readonly string[];
  readonly backend: BackendSettings | null;
  readonly ipRestriction: IpRestrictionSettings | null;
  readonly mutualTls: MutualTlsSettings | null;
}

const fields = {
  description: description.nullish(),
  metadata: metadata.nullish(),
  hostports: list(hostport).nullish(),
  backend: backendSettings.nullish(),
  ipRestriction: ipRestrictionSettings.nullish(),
  mutualTls: mutualTlsSettings.nullish(),
  ...documentFields(TLS_EDGE_MODULES),
};

export const tlsEdgeInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

const nestedBackend = { backend: nestedBackendSettings.nullish() };

/** The same with a backend that may be new. */
export const nestedTlsEdgeInputs = {
  create: tlsEdgeInputs.create.extend(nestedBackend),
  update: tlsEdgeInputs.update.extend(nestedBackend),
};

type Input = z.output<typeof tlsEdgeInputs.update> | z.output<typeof nestedTlsEdgeInputs.update>;

/** Throws INVALID_REQUEST for references that do not exist, and for mutual TLS without TLS termination here. */
export function createTlsEdge(context: Context, input: Input): Promise<TlsEdge> {
  return inTransaction(context, async (context) => {
    refuse([...(await danglingReferences(context, input)), ...mutualTlsUpstream(input, null)]);
    const row = newRow("tlsEdge");
    const place = { context, ownerId: row.id };
    const ipRestriction = input.ipRestriction ?? null;
    const mutualTls = input.mutualTls ?? null;
    const stored = await context.db.tlsEdge.create({
      data: {
        ...row,
        ...createdTexts(input),
        hostports: input.hostports ?? [],
        ...backendColumns(await settledBackend(context, input.backend ?? null)),
        ipRestrictionEnabled: ipRestriction?.enabled ?? null,
        ipPolicies: { create: ipPolicyLinks(ipRestriction) },
        mutualTlsEnabled: mutualTls?.enabled ?? null,
        certificateAuthorities: { create: certificateAuthorityLinks(mutualTls) },
        ...changedDocuments(TLS_EDGE_MODULES, input, null, place),
      },
      include: LINKS,
    });
    return created(context, "tlsEdge", toTlsEdge(context, stored));
  });
}

/** Throws NOT_FOUND. */
export async function getTlsEdge(context: Context, id: string): Promise<TlsEdge> {
  return toTlsEdge(context, await readRow(context, id));
}

export async function tlsEdgesById(context: Context, ids: readonly string[]): Promise<TlsEdge[]> {
  const rows = await context.db.tlsEdge.findMany({
    where: { id: { in: [...ids] } },
    include: LINKS,
    relationLoadStrategy: "join",
  });
  return rows.map((row) => toTlsEdge(context, row));
}

/** Newest first. */
export async function listTlsEdges(context: Context, page: PageRequest): Promise<TlsEdge[]> {
  const rows = await context.db.tlsEdge.findMany({
    ...keyset(page),
    include: LINKS,
    relationLoadStrategy: "join",
  });
  return rows.map((row) => toTlsEdge(context, row));
}

export function countTlsEdges(context: Context): Promise<number> {
  return countOf(context, "tlsEdge");
}

/**
 * Absent leaves a field or module as it is, null clears or removes it, a value replaces all of it.
 * Throws NOT_FOUND, and what creating throws.
 */
export function updateTlsEdge(context: Context, id: string, input: Input): Promise<TlsEdge> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "tlsEdge", id);
    const row = await readRow(context, id);
    const current = toTlsEdge(context, row);
    refuse([...(await danglingReferences(context, input)), ...mutualTlsUpstream(input, current)]);
    const wanted = {
      ...changedTexts(input),
      hostports: input.hostports === null ? [] : input.hostports,
      backend: await settledBackend(context, input.backend),
      ipRestriction: input.ipRestriction,
      mutualTls: input.mutualTls,
    };
    const { backend, ipRestriction, mutualTls, ...columns } = changes(current, wanted) ?? {};
    const data: Prisma.TlsEdgeUncheckedUpdateInput = {
      ...columns,
      ...(backend !== undefined && backendColumns(backend)),
      ...(ipRestriction !== undefined && {
        ipRestrictionEnabled: ipRestriction?.enabled ?? null,
        ipPolicies: { deleteMany: {}, create: ipPolicyLinks(ipRestriction) },
      }),
      ...(mutualTls !== undefined && {
        mutualTlsEnabled: mutualTls?.enabled ?? null,
        certificateAuthorities: { deleteMany: {}, create: certificateAuthorityLinks(mutualTls) },
      }),
      ...changedDocuments(TLS_EDGE_MODULES, input, row, { context, ownerId: id }),
    };
    if (Object.keys(data).length === 0) return current;
    const stored = await context.db.tlsEdge.update({
      where: { id },
      data: { ...data, ...touched() },
      include: LINKS,
    });
    return updated(context, "tlsEdge", current, toTlsEdge(context, stored));
  });
}

/** Throws NOT_FOUND. */
export function deleteTlsEdge(context: Context, id: string): Promise<void> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "tlsEdge", id);
    const current = await getTlsEdge(context, id);
    await context.db.tlsEdge.delete({ where: { id } });
    deleted(context, "tlsEdge", current);
  });
}

/** Mutual TLS needs the decrypted connection, which the edge has only where it terminates TLS (Part 0). */
function mutualTlsUpstream(input: Input, current: TlsEdge | null): Issue[] {
  const mutualTls = input.mutualTls === undefined ? current?.mutualTls : input.mutualTls;
  const termination =
    input.tlsTermination === undefined ? current?.tlsTermination : input.tlsTermination;
  if (!mutualTls || termination?.terminateAt !== "upstream") return [];
  if (input.mutualTls) {
    const message = 'needs TLS to be terminated at the edge, and `tlsTermination` says "upstream"';
    return [{ path: ["mutualTls"], message }];
  }
  const message =
    'cannot be "upstream" while `mutualTls` is set, which needs the decrypted connection';
  return [{ path: ["tlsTermination", "terminateAt"], message }];
}

const LINKS = {
  ipPolicies: IN_ORDER,
  certificateAuthorities: IN_ORDER,
} satisfies Prisma.TlsEdgeInclude;

type TlsEdgeRow = Prisma.TlsEdgeGetPayload<{ include: typeof LINKS }>;

function readRow({ db }: Context, id: string): Promise<TlsEdgeRow> {
  return findOne("tlsEdge", id, () =>
    db.tlsEdge.findUnique({ where: { id }, include: LINKS, relationLoadStrategy: "join" }),
  );
}

function toTlsEdge(context: Context, row: TlsEdgeRow): TlsEdge {
  const { id, createdAt, updatedAt, version, description, metadata, hostports } = row;
  return {
    id,
    createdAt,
    updatedAt,
    version,
    description,
    metadata,
    hostports,
    backend: readBackend(row),
    ipRestriction: readIpRestriction(row),
    mutualTls: readMutualTls(row),
    ...readDocuments(TLS_EDGE_MODULES, row, { context, ownerId: id }),
  };
}
