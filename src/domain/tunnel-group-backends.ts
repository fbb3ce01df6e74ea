import { z } from "zod";
import { changeBackend, insertLeafBackend, lockBackend } from "./backends.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { text, texts, userMap } from "./core/fields.js";
import type { TunnelGroupBackend } from "./reads/backends.js";
import { changedTexts, createdTexts, newRow } from "./storage/rows.js";

export const MAX_LABELS = 50;
export const MAX_LABEL_NAME_BYTES = 128;
export const MAX_LABEL_VALUE_BYTES = 255;

/** At most 50; names have 1 to 128 bytes and no `=`, values at most 255 bytes. */
const labels = userMap(text(MAX_LABEL_VALUE_BYTES), MAX_LABELS).superRefine((map, ctx) => {
  for (const name of Object.keys(map)) {
    if (name !== "" && !name.includes("=") && labelName.safeParse(name).success) continue;
    const message = `must have a name of 1 to ${MAX_LABEL_NAME_BYTES} bytes of UTF-8 without "="`;
    ctx.addIssue({ code: "custom", message, path: [name] });
  }
});
const labelName = text(MAX_LABEL_NAME_BYTES);

const fields = {
  ...texts,
  labels: labels.nullish(),
};

export const tunnelGroupBackendInputs = {
  create: z.strictObject(fields),
  update: z.strictObject(fields),
};

export function createTunnelGroupBackend(
  context: Context,
  input: z.output<typeof tunnelGroupBackendInputs.create>,
): Promise<TunnelGroupBackend> {
  return insertLeafBackend(context, {
    ...newRow("tunnelGroupBackend"),
    ...createdTexts(input),
    kind: "tunnel_group",
    labels: input.labels ?? {},
  });
}

/** Absent leaves a field as it is, null clears it, a value replaces all of it. Throws NOT_FOUND. */
export function updateTunnelGroupBackend(
  context: Context,
  id: string,
  input: z.output<typeof tunnelGroupBackendInputs.update>,
): Promise<TunnelGroupBackend> {
  return inTransaction(context, async (context) => {
    const current = await lockBackend(context, "tunnel_group", id);
    const wanted = {
      ...changedTexts(input),
      labels: input.labels === null ? {} : input.labels,
    };
    return changeBackend(context, current, wanted, (changed) => changed);
  });
}
