import { z } from "zod";
import { created, updated } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import {
  changedConnectionEdge,
  connectionEdgeFields,
  nestedBackend,
  newConnectionEdge,
  wantedOfConnectionEdge,
} from "./connection-edges.js";
import type { Context } from "./core/context.js";
import { refuse } from "./core/errors.js";
import { mutualTlsUpstream } from "./modules/combinations.js";
import { changedDocuments, moduleInputs, newDocuments } from "./modules/documents.js";
import { modulesOf, TLS_EDGE_MODULES } from "./modules/index.js";
import { certificateAuthorityLinks, changedMutualTls } from "./modules/links.js";
import { getOriginal } from "./reads/read.js";
import type { Resources } from "./reads/tables.js";
import { deleteResource } from "./single-row-resources.js";
import { lockRow } from "./storage/locks.js";
import { danglingReferences } from "./storage/reference-checks.js";
import { changedMembers, ID_ALONE, newRow, touched } from "./storage/rows.js";

/** Serves TLS on its hostports and forwards the connections to its backend (wire facts, 1.12). */
export type TlsEdge = Resources["tlsEdge"];

const fields = { ...connectionEdgeFields, ...moduleInputs(modulesOf("tlsEdge")) };

export const tlsEdgeInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

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
    const { values, columns } = await newConnectionEdge(context, input);
    const mutualTls = input.mutualTls ?? null;
    const documents = newDocuments(TLS_EDGE_MODULES, input, { context, ownerId: row.id });
    await context.db.tlsEdge.create({
      data: {
        ...row,
        ...columns,
        mutualTlsEnabled: mutualTls?.enabled ?? null,
        certificateAuthorities: { create: certificateAuthorityLinks(mutualTls) },
        ...documents.columns,
      },
      select: ID_ALONE,
    });
    return created(context, "tlsEdge", { ...row, ...values, mutualTls, ...documents.values });
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
    const wanted = await wantedOfConnectionEdge(context, input);
    const changed = changedMembers(current, { ...wanted, mutualTls: input.mutualTls });
    const { mutualTls, ...others } = changed ?? {};
    const place = { context, ownerId: id };
    const documents = changedDocuments(TLS_EDGE_MODULES, input, current, stored, place);
    if (!changed && Object.keys(documents.columns).length === 0) return current;
    const touch = touched(current);
    await context.db.tlsEdge.update({
      where: { id },
      data: {
        ...changedConnectionEdge(others),
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
