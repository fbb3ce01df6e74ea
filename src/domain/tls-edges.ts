import { z } from "zod";
import { nestedBackendSettings, settledBackend } from "./backend-references.js";
import { created, updated } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { refuse } from "./core/errors.js";
import { list, texts } from "./core/fields.js";
import { hostport } from "./formats/networks.js";
import { mutualTlsUpstream } from "./modules/combinations.js";
import { changedDocuments, moduleInputs, newDocuments } from "./modules/documents.js";
import { modulesOf, TLS_EDGE_MODULES } from "./modules/index.js";
import {
  backendColumns,
  certificateAuthorityLinks,
  changedBackend,
  changedIpRestriction,
  changedMutualTls,
  ipPolicyLinks,
} from "./modules/links.js";
import { getOriginal } from "./reads/read.js";
import type { Resources } from "./reads/tables.js";
import { deleteResource } from "./single-row-resources.js";
import { lockRow } from "./storage/locks.js";
import { danglingReferences } from "./storage/reference-checks.js";
import {
  changedMembers,
  changedTexts,
  createdTexts,
  ID_ALONE,
  newRow,
  touched,
} from "./storage/rows.js";

/** Serves TLS on its hostports and forwards the connections to its backend (wire facts, 1.12). */
export type TlsEdge = Resources["tlsEdge"];

const fields = {
  ...texts,
  hostports: list(hostport).nullish(),
  ...moduleInputs(modulesOf("tlsEdge")),
};

export const tlsEdgeInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

const nestedBackend = { backend: nestedBackendSettings.nullish() };

/** The same rule with a backend that may be new. */
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
    const own = { ...row, ...createdTexts(input), hostports: input.hostports ?? [] };
    const backend = await settledBackend(context, input.backend ?? null);
    const ipRestriction = input.ipRestriction ?? null;
    const mutualTls = input.mutualTls ?? null;
    const place = { context, ownerId: row.id };
    const documents = newDocuments(TLS_EDGE_MODULES, input, place);
    await context.db.tlsEdge.create({
      data: {
        ...own,
        ...backendColumns(backend),
        ipRestrictionEnabled: ipRestriction?.enabled ?? null,
        ipPolicies: { create: ipPolicyLinks(ipRestriction) },
        mutualTlsEnabled: mutualTls?.enabled ?? null,
        certificateAuthorities: { create: certificateAuthorityLinks(mutualTls) },
        ...documents.columns,
      },
      select: ID_ALONE,
    });
    const edge = { ...own, backend, ipRestriction, mutualTls, ...documents.values };
    return created(context, "tlsEdge", edge);
  });
}

/**
 * Absent leaves a field or module as it is, null clears or removes it, a value replaces all of it.
 * Throws NOT_FOUND, and what creating throws.
 */
export function updateTlsEdge(context: Context, id: string, input: Input): Promise<TlsEdge> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "tlsEdge", id);
    const { value: current, stored } = await getOriginal(context, "tlsEdge", id);
    refuse([...(await danglingReferences(context, input)), ...mutualTlsUpstream(input, current)]);
    const wanted = {
      ...changedTexts(input),
      hostports: input.hostports === null ? [] : input.hostports,
      backend: await settledBackend(context, input.backend),
      ipRestriction: input.ipRestriction,
      mutualTls: input.mutualTls,
    };
    const changed = changedMembers(current, wanted);
    const { backend, ipRestriction, mutualTls, ...columns } = changed ?? {};
    const place = { context, ownerId: id };
    const documents = changedDocuments(TLS_EDGE_MODULES, input, current, stored, place);
    if (!changed && Object.keys(documents.columns).length === 0) return current;
    const touch = touched(current);
    await context.db.tlsEdge.update({
      where: { id },
      data: {
        ...columns,
        ...changedBackend(backend),
        ...changedIpRestriction(ipRestriction),
        ...changedMutualTls(mutualTls),
        ...documents.columns,
        ...touch,
      },
      select: ID_ALONE,
    });
    const next = { ...current, ...changed, ...documents.values, ...touch };
    return updated(context, "tlsEdge", current, next);
  });
}

/** Throws NOT_FOUND. */
export function deleteTlsEdge(context: Context, id: string): Promise<void> {
  return deleteResource(context, "tlsEdge", id, ({ db }) => db.tlsEdge.delete({ where: { id } }));
}
