import { randomInt } from "node:crypto";
import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { type Region, region } from "./core/enumerations.js";
import { DomainError, refuse } from "./core/errors.js";
import { optionalReference, texts, withDefault } from "./core/fields.js";
import { unfitReferences } from "./fitting-configurations.js";
import { MAX_PORT } from "./formats/networks.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

const DEFAULT_REGION = "us";
const HOSTS_PER_REGION = 10;
const PORTS = { first: 10_000, last: MAX_PORT };
/** Tries for a free address. Even with nine tenths of a region taken, one create in a thousand fails. */
const MAX_TRIES = 64;

/** An address in a datacenter region, reserved for the caller. */
export type ReservedAddr = Resources["reservedAddr"];

const fields = { ...texts, endpointConfigurationId: optionalReference("endpointConfiguration") };

/** An address carries plain TCP. */
const FITTING = { endpointConfigurationId: "tcp" } as const;

export const reservedAddrInputs = {
  create: z.strictObject({ ...fields, region: withDefault(region, DEFAULT_REGION) }),
  update: z.strictObject(fields),
};

/**
 * Two creates never get the same address, also at the same time. Throws CONFLICT when no free address of the
 * region was found. `pick` proposes addresses, by default at random.
 */
export function createReservedAddr(
  context: Context,
  input: z.output<typeof reservedAddrInputs.create>,
  pick = () => randomAddr(input.region, context.settings.baseDomain),
): Promise<ReservedAddr> {
  return inTransaction(context, async (context) => {
    refuse(await unfitReferences(context, input, FITTING));
    const row = { ...newRow("reservedAddr"), ...createdTexts(input) };
    const { region, endpointConfigurationId = null } = input;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const addr = { ...row, addr: pick(), region, endpointConfigurationId };
      // Skips when the address is taken, since an error would end the transaction.
      const { count } = await context.db.reservedAddr.createMany({
        data: addr,
        skipDuplicates: true,
      });
      if (count > 0) return created(context, "reservedAddr", addr);
    }
    throw new DomainError("CONFLICT", `No free address was found in the region ${input.region}.`);
  });
}

/**
 * Absent leaves a field as it is; null clears a text and detaches the endpoint configuration.
 * Throws NOT_FOUND.
 */
export function updateReservedAddr(
  context: Context,
  id: string,
  input: z.output<typeof reservedAddrInputs.update>,
): Promise<ReservedAddr> {
  const { endpointConfigurationId } = input;
  const wanted = { ...changedTexts(input), endpointConfigurationId };
  return changeResource(context, "reservedAddr", id, wanted, async (context, data) => {
    refuse(await unfitReferences(context, data, FITTING));
    await context.db.reservedAddr.update({ where: { id }, data, select: ID_ALONE });
  });
}

/** Detaches the endpoint configuration; does nothing when none is attached. Throws NOT_FOUND. */
export async function detachEndpointConfiguration(context: Context, id: string): Promise<void> {
  await updateReservedAddr(context, id, { endpointConfigurationId: null });
}

/** Throws NOT_FOUND. */
export function deleteReservedAddr(context: Context, id: string): Promise<void> {
  return deleteResource(context, "reservedAddr", id, ({ db }) =>
    db.reservedAddr.delete({ where: { id } }),
  );
}

function randomAddr(region: Region, baseDomain: string): string {
  const host = region === DEFAULT_REGION ? "tcp" : `tcp.${region}`;
  const port = randomInt(PORTS.first, PORTS.last + 1);
  return `${randomInt(HOSTS_PER_REGION)}.${host}.${baseDomain}:${port}`;
}
