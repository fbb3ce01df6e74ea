import { z } from "zod";
import type { Context } from "../core/context.js";
import { refuse } from "../core/errors.js";
import { exactlyOne, list } from "../core/fields.js";
import type { ResourceKind } from "../core/ids.js";
import { LEAF_BACKENDS } from "../core/ids.js";
import {
  createFailoverBackend,
  failoverBackendInputs,
  updateFailoverBackend,
} from "../failover-backends.js";
import {
  createHttpResponseBackend,
  httpResponseBackendInputs,
  updateHttpResponseBackend,
} from "../http-response-backends.js";
import { MAX_CHILDREN, newLeafBackends } from "../leaf-backends.js";
import {
  createStaticBackend,
  staticBackendInputs,
  updateStaticBackend,
} from "../static-backends.js";
import {
  createTunnelGroupBackend,
  tunnelGroupBackendInputs,
  updateTunnelGroupBackend,
} from "../tunnel-group-backends.js";
import {
  createWeightedBackend,
  updateWeightedBackend,
  weight,
  weightedBackendInputs,
} from "../weighted-backends.js";
import { type Applied, type ApplyOptions, apply, requireKind, wholeState } from "./apply.js";
import {
  type AppliedBackendReference,
  appliedBackendReference,
  resolveReferences,
} from "./desired-references.js";

const FAILOVER_CHILDREN = [...LEAF_BACKENDS, "weightedBackend"] as const;

/** The desired state of a failover backend. */
export const appliedFailoverBackend = failoverBackendInputs.create.extend({
  backends: list(appliedBackendReference(...FAILOVER_CHILDREN), MAX_CHILDREN).nullish(),
});

/** The desired state of a child of a weighted backend. */
export const appliedWeightedChild = z.strictObject({
  backend: appliedBackendReference(...LEAF_BACKENDS),
  weight,
});

/** The desired state of a weighted backend. */
export const appliedWeightedBackend = weightedBackendInputs.create.extend({
  backends: list(appliedWeightedChild, MAX_CHILDREN).nullish(),
});

/** The desired state of a backend: exactly one, of any kind. */
export const appliedBackend = exactlyOne({
  ...newLeafBackends,
  weightedBackend: appliedWeightedBackend,
  failoverBackend: appliedFailoverBackend,
});

/**
 * Brings a backend to the desired state `input`; an absent field gets its default. Keys are unique among backends of
 * all kinds. Throws CONFLICT when the key belongs to a backend of another kind, INVALID_REQUEST for children that do
 * not exist, and what `apply` throws.
 */
export function applyBackend(
  context: Context,
  input: z.output<typeof appliedBackend>,
  options: ApplyOptions,
): Promise<Applied> {
  return apply(context, "backend", options, async (context, id) => {
    const { kind, create, update } = await plan(context, input);
    if (id === null) return (await create(context)).id;
    requireKind(kind, id);
    await update(context, id);
    return id;
  });
}

interface Plan {
  readonly kind: ResourceKind;
  create(context: Context): Promise<{ readonly id: string }>;
  update(context: Context, id: string): Promise<unknown>;
}

async function plan(context: Context, input: z.output<typeof appliedBackend>): Promise<Plan> {
  const { httpResponseBackend, staticBackend, tunnelGroupBackend, weightedBackend } = input;
  if (httpResponseBackend) {
    const whole = wholeState(httpResponseBackendInputs.update, httpResponseBackend);
    return {
      kind: "httpResponseBackend",
      create: (context) => createHttpResponseBackend(context, whole),
      update: (context, id) => updateHttpResponseBackend(context, id, whole),
    };
  }
  if (staticBackend) {
    const whole = wholeState(staticBackendInputs.update, staticBackend);
    return {
      kind: "staticBackend",
      create: (context) => createStaticBackend(context, whole),
      update: (context, id) => updateStaticBackend(context, id, whole),
    };
  }
  if (tunnelGroupBackend) {
    const whole = wholeState(tunnelGroupBackendInputs.update, tunnelGroupBackend);
    return {
      kind: "tunnelGroupBackend",
      create: (context) => createTunnelGroupBackend(context, whole),
      update: (context, id) => updateTunnelGroupBackend(context, id, whole),
    };
  }
  if (weightedBackend) {
    const children = weightedBackend.backends ?? [];
    const ids = await childIds(
      context,
      weightedBackend,
      children.map(({ backend }, index) => ({
        path: ["backends", index, "backend"],
        reference: backend,
      })),
      LEAF_BACKENDS,
      "weightedBackend",
    );
    const backends = Object.fromEntries(
      children.map(({ weight }, index) => [ids[index] ?? "", weight]),
    );
    const whole = wholeState(weightedBackendInputs.update, { ...weightedBackend, backends });
    return {
      kind: "weightedBackend",
      create: (context) => createWeightedBackend(context, whole),
      update: (context, id) => updateWeightedBackend(context, id, whole),
    };
  }
  const { failoverBackend } = input;
  if (!failoverBackend) throw new Error("The rule of a desired backend lets none through.");
  const children = failoverBackend.backends ?? [];
  const backends = await childIds(
    context,
    failoverBackend,
    children.map((reference, index) => ({ path: ["backends", index], reference })),
    FAILOVER_CHILDREN,
    "failoverBackend",
  );
  const whole = wholeState(failoverBackendInputs.update, { ...failoverBackend, backends });
  return {
    kind: "failoverBackend",
    create: (context) => createFailoverBackend(context, whole),
    update: (context, id) => updateFailoverBackend(context, id, whole),
  };
}

interface Child {
  readonly path: readonly (string | number)[];
  readonly reference: AppliedBackendReference;
}

/** The ids of children, each once. Throws INVALID_REQUEST with every child that cannot be one. */
async function childIds(
  context: Context,
  parent: object,
  children: readonly Child[],
  kinds: readonly ResourceKind[],
  field: string,
): Promise<string[]> {
  const places = children.map(({ path, reference }) => ({
    path: [field, ...path],
    reference,
    kinds,
  }));
  const { ids, issues } = await resolveReferences(context, { [field]: parent }, places);
  const repeated = places.flatMap(({ path }, index) =>
    ids[index] !== "" && ids.indexOf(ids[index] ?? "") < index
      ? [{ path, message: "is the same backend as an earlier child" }]
      : [],
  );
  refuse([...issues, ...repeated]);
  return [...ids];
}
