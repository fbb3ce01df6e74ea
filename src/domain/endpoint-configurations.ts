import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { endpointConfigurationType } from "./core/enumerations.js";
import { texts } from "./core/fields.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import { refuseWhileInUse } from "./storage/reference-checks.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

/** Settings that addresses of one protocol share. */
export type EndpointConfiguration = Resources["endpointConfiguration"];

export const endpointConfigurationInputs = {
  create: z.strictObject({ ...texts, type: endpointConfigurationType }),
  update: z.strictObject(texts),
};

export function createEndpointConfiguration(
  context: Context,
  input: z.output<typeof endpointConfigurationInputs.create>,
): Promise<EndpointConfiguration> {
  return inTransaction(context, async (context) => {
    const { type } = input;
    const configuration = { ...newRow("endpointConfiguration"), ...createdTexts(input), type };
    await context.db.endpointConfiguration.create({ data: configuration, select: ID_ALONE });
    return created(context, "endpointConfiguration", configuration);
  });
}

/** Absent leaves a field as it is, null clears it. Throws NOT_FOUND. */
export function updateEndpointConfiguration(
  context: Context,
  id: string,
  input: z.output<typeof endpointConfigurationInputs.update>,
): Promise<EndpointConfiguration> {
  return changeResource(context, "endpointConfiguration", id, changedTexts(input), ({ db }, data) =>
    db.endpointConfiguration.update({ where: { id }, data, select: ID_ALONE }),
  );
}

/** Throws NOT_FOUND, and IN_USE while a reserved address has it. */
export function deleteEndpointConfiguration(context: Context, id: string): Promise<void> {
  return deleteResource(context, "endpointConfiguration", id, async (context) => {
    await refuseWhileInUse(context, "endpointConfiguration", id);
    await context.db.endpointConfiguration.delete({ where: { id } });
  });
}
