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
import { changedDocuments, moduleInputs, newDocuments } from "./modules/documents.js";
import { modulesOf, TCP_EDGE_MODULES } from "./modules/index.js";
import { getOriginal } from "./reads/read.js";
import type { Resources } from "./reads/tables.js";
import { deleteResource } from "./single-row-resources.js";
import { lockRow } from "./storage/locks.js";
import { danglingReferences } from "./storage/reference-checks.js";
import { changedMembers, ID_ALONE, newRow, touched } from "./storage/rows.js";

/** Forwards the connections to its hostports to its backend, as they are (wire facts, Part 2, EdgesTCP). */
export type TcpEdge = Resources["tcpEdge"];

const fields = { ...connectionEdgeFields, ...moduleInputs(modulesOf("tcpEdge")) };

export const tcpEdgeInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

/** The same rule with a backend that may be new. */
export const nestedTcpEdgeInputs = {
  create: tcpEdgeInputs.create.extend(nestedBackend),
  update: tcpEdgeInputs.update.extend(nestedBackend),
};

type Input = z.output<typeof tcpEdgeInputs.update> | z.output<typeof nestedTcpEdgeInputs.update>;

/** Throws INVALID_REQUEST for references that do not exist. */
export function createTcpEdge(context: Context, input: Input): Promise<TcpEdge> {
  return inTransaction(context, async (context) => {
    refuse(await danglingReferences(context, input));
    const row = newRow("tcpEdge");
    const { values, columns } = await newConnectionEdge(context, input);
    const documents = newDocuments(TCP_EDGE_MODULES, input, { context, ownerId: row.id });
    await context.db.tcpEdge.create({
      data: { ...row, ...columns, ...documents.columns },
      select: ID_ALONE,
    });
    return created(context, "tcpEdge", { ...row, ...values, ...documents.values });
  });
}

/**
 * Absent leaves a field or module as it is, null clears or removes it, a value replaces all of it.
 * Throws NOT_FOUND, and what creating throws.
 */
export function updateTcpEdge(context: Context, id: string, input: Input): Promise<TcpEdge> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "tcpEdge", id);
    const { value: current, stored } = await getOriginal(context, "tcpEdge", id);
    refuse(await danglingReferences(context, input));
    const changed = changedMembers(current, await wantedOfConnectionEdge(context, input));
    const place = { context, ownerId: id };
    const documents = changedDocuments(TCP_EDGE_MODULES, input, current, stored, place);
    if (!changed && Object.keys(documents.columns).length === 0) return current;
    const touch = touched(current);
    await context.db.tcpEdge.update({
      where: { id },
      data: { ...changedConnectionEdge(changed ?? {}), ...documents.columns, ...touch },
      select: ID_ALONE,
    });
    const next = { ...current, ...changed, ...documents.values, ...touch };
    return updated(context, "tcpEdge", current, next);
  });
}

/** Throws NOT_FOUND. */
export function deleteTcpEdge(context: Context, id: string): Promise<void> {
  return deleteResource(context, "tcpEdge", id, ({ db }) => db.tcpEdge.delete({ where: { id } }));
}
