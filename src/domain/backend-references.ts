import { z } from "zod";
import type { Context } from "./core/context.js";
import { exactlyOne, reference } from "./core/fields.js";
import { BACKENDS } from "./core/ids.js";
import {
  createFailoverBackend,
  failoverChildId,
  nestedFailoverBackendInputs,
  newFailoverChildren,
} from "./failover-backends.js";
import { enabled } from "./modules/enabled.js";
import type { BackendSettings } from "./modules/links.js";

/** A backend of any kind: by its id, or a new one that is created in the same transaction. */
const backendReference = exactlyOne({
  id: reference(...BACKENDS),
  ...newFailoverChildren,
  failoverBackend: nestedFailoverBackendInputs.create,
});

/** The destination of the traffic, with a backend that may be new. */
export const nestedBackendSettings = z.strictObject({ enabled, backend: backendReference });

type NestedBackendSettings = z.output<typeof nestedBackendSettings>;

/** Returns the module with the id of its backend. A new backend is created. Null and absent are returned unchanged. */
export async function settledBackend<Unset extends null | undefined>(
  context: Context,
  settings: BackendSettings | NestedBackendSettings | Unset,
): Promise<BackendSettings | Unset> {
  if (!settings || "backendId" in settings) return settings;
  const { enabled, backend } = settings;
  const { failoverBackend, ...other } = backend;
  const backendId = failoverBackend
    ? (await createFailoverBackend(context, failoverBackend)).id
    : await failoverChildId(context, other);
  return { enabled, backendId };
}
