import { z } from "zod";
import { changeBackend, insertLeafBackend, lockBackend } from "./backends.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { orUnchanged, texts, withDefault } from "./core/fields.js";
import { hostport } from "./formats/networks.js";
import type { StaticBackend } from "./reads/backends.js";
import { changedTexts, createdTexts, newRow } from "./storage/rows.js";

const tls = {
  create: z.strictObject({ enabled: withDefault(z.boolean(), false) }),
  // Clients send an empty object with every update.
  update: z.strictObject({ enabled: z.boolean().nullish() }),
};

/** `host:port`, without a wildcard: there is one address to forward to. */
const address = hostport.refine((value) => !value.startsWith("*."), "must not have a wildcard");

export const staticBackendInputs = {
  create: z.strictObject({ ...texts, address, tls: tls.create.nullish() }),
  update: z.strictObject({ ...texts, address: orUnchanged(address), tls: tls.update.nullish() }),
};

export function createStaticBackend(
  context: Context,
  input: z.output<typeof staticBackendInputs.create>,
): Promise<StaticBackend> {
  return insertLeafBackend(context, {
    ...newRow("staticBackend"),
    ...createdTexts(input),
    kind: "static",
    address: input.address,
    tls: { enabled: input.tls?.enabled ?? false },
  });
}

/**
 * Absent leaves a field as it is, null clears it (`address` stays). `tls` without `enabled` leaves TLS as it is. Throws
 * NOT_FOUND.
 */
export function updateStaticBackend(
  context: Context,
  id: string,
  input: z.output<typeof staticBackendInputs.update>,
): Promise<StaticBackend> {
  return inTransaction(context, async (context) => {
    const current = await lockBackend(context, "static", id);
    const wanted = {
      ...changedTexts(input),
      address: input.address,
      tls: wantedTls(input.tls),
    };
    return changeBackend(context, current, wanted, ({ tls, ...columns }) => ({
      ...columns,
      ...(tls && { tlsEnabled: tls.enabled }),
    }));
  });
}

function wantedTls(given: z.output<typeof tls.update> | null | undefined) {
  if (given === null) return { enabled: false };
  return given?.enabled == null ? undefined : { enabled: given.enabled };
}
