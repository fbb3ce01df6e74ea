import type { z } from "zod";
import { nestedBackendSettings, settledBackend } from "./backend-references.js";
import type { Context } from "./core/context.js";
import { list, texts } from "./core/fields.js";
import { hostport } from "./formats/networks.js";
import {
  type BackendSettings,
  backendColumns,
  changedBackend,
  changedIpRestriction,
  type IpRestrictionSettings,
  ipPolicyLinks,
} from "./modules/links.js";
import { changedTexts, createdTexts } from "./storage/rows.js";

// What TLS and TCP edges have in common: hostports, and connections that are forwarded to a backend. The tables of both
// have the same columns for it.

/** The fields of the inputs, besides modules. */
export const connectionEdgeFields = { ...texts, hostports: list(hostport).nullish() };

/** In place of the module `backend`: its backend may be new. */
export const nestedBackend = { backend: nestedBackendSettings.nullish() };

interface Input {
  readonly description?: string | null | undefined;
  readonly metadata?: string | null | undefined;
  readonly hostports?: string[] | null | undefined;
  readonly backend?: BackendSettings | z.output<typeof nestedBackendSettings> | null | undefined;
  readonly ipRestriction?: IpRestrictionSettings | null | undefined;
}

/** What a new edge shows, and the columns that store it. A backend that is new is created. */
export async function newConnectionEdge(context: Context, input: Input) {
  const own = { ...createdTexts(input), hostports: input.hostports ?? [] };
  const backend = await settledBackend(context, input.backend ?? null);
  const ipRestriction = input.ipRestriction ?? null;
  return {
    values: { ...own, backend, ipRestriction },
    columns: {
      ...own,
      ...backendColumns(backend),
      ipRestrictionEnabled: ipRestriction?.enabled ?? null,
      ipPolicies: { create: ipPolicyLinks(ipRestriction) },
    },
  };
}

/** What an edge is to show after an update; undefined for what stays. A backend that is new is created. */
export async function wantedOfConnectionEdge(context: Context, input: Input) {
  return {
    ...changedTexts(input),
    hostports: input.hostports === null ? [] : input.hostports,
    backend: await settledBackend(context, input.backend),
    ipRestriction: input.ipRestriction,
  };
}

interface Changed {
  readonly description?: string;
  readonly metadata?: string;
  readonly hostports?: string[];
  readonly backend?: BackendSettings | null;
  readonly ipRestriction?: IpRestrictionSettings | null;
}

/** The columns that store `changed`, the part of it that differs. */
export function changedConnectionEdge({ backend, ipRestriction, ...columns }: Changed) {
  return { ...columns, ...changedBackend(backend), ...changedIpRestriction(ipRestriction) };
}
