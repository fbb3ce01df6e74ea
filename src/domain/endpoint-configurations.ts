import { z } from "zod";
import { created, deleted, updated } from "./change-log.js";
import { type Context, inTransaction } from "./context.js";
import { description, metadata } from "./fields.js";
import { keyset, type PageRequest } from "./pages.js";
import { refuseWhileInUse } from "./references.js";
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

const ENDPOINT_CONFIGURATION_TYPES = ["http", "https", "tcp"] as const;
type EndpointConfigurationType = (typeof ENDPOINT_CONFIGURATION_TYPES)[number];

/** What addresses of one protocol have in common. */
export interface EndpointConfiguration extends Row {
  /** The protocol that it is for; never changes. */
  readonly type: EndpointConfigurationType;
}

const type = z.enum(ENDPOINT_CONFIGURATION_TYPES);
const texts = { description: description.nullish(), metadata: metadata.nullish() };

export const endpointConfigurationInputs = {
  create: z.strictObject({ ...texts, type }),
  update: z.strictObject(texts),
};

export function createEndpointConfiguration(
  context: Context,
  input: z.output<typeof endpointConfigurationInputs.create>,
): Promise<EndpointConfiguration> {
  return inTransaction(context, async (context) => {
    const { type } = input;
    const data = { ...newRow("endpointConfiguration"), ...createdTexts(input), type };
    const row = await context.db.endpointConfiguration.create({ data });
    return created(context, "endpointConfiguration", toEndpointConfiguration(row));
  });
}

/** Throws NOT_FOUND. */
export async function getEndpointConfiguration(
  { db }: Context,
  id: string,
): Promise<EndpointConfiguration> {
  const read = () => db.endpointConfiguration.findUnique({ where: { id } });
  return toEndpointConfiguration(await findOne("endpointConfiguration", id, read));
}

export async function endpointConfigurationsById(
  { db }: Context,
  ids: readonly string[],
): Promise<EndpointConfiguration[]> {
  const rows = await db.endpointConfiguration.findMany({ where: { id: { in: [...ids] } } });
  return rows.map(toEndpointConfiguration);
}

/** Newest first. */
export async function listEndpointConfigurations(
  { db }: Context,
  page: PageRequest,
): Promise<EndpointConfiguration[]> {
  return (await db.endpointConfiguration.findMany(keyset(page))).map(toEndpointConfiguration);
}

export function countEndpointConfigurations(context: Context): Promise<number> {
  return countOf(context, "endpointConfiguration");
}

/** Absent leaves a field as it is, null clears it. Throws NOT_FOUND. */
export function updateEndpointConfiguration(
  context: Context,
  id: string,
  input: z.output<typeof endpointConfigurationInputs.update>,
): Promise<EndpointConfiguration> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "endpointConfiguration", id);
    const current = await getEndpointConfiguration(context, id);
    const changed = changes(current, changedTexts(input));
    if (!changed) return current;
    const data = { ...changed, ...touched() };
    const row = await context.db.endpointConfiguration.update({ where: { id }, data });
    return updated(context, "endpointConfiguration", current, toEndpointConfiguration(row));
  });
}

/** Throws NOT_FOUND, and IN_USE while a reserved address has it. */
export function deleteEndpointConfiguration(context: Context, id: string): Promise<void> {
  return inTransaction(context, async (context) => {
    await lockRow(context, "endpointConfiguration", id);
    const current = await getEndpointConfiguration(context, id);
    await refuseWhileInUse(context, "endpointConfiguration", id);
    await context.db.endpointConfiguration.delete({ where: { id } });
    deleted(context, "endpointConfiguration", current);
  });
}

function toEndpointConfiguration(row: Row & { readonly type: string }): EndpointConfiguration {
  return { ...row, type: type.parse(row.type) };
}
