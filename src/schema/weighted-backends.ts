import { deleteBackend } from "../domain/backends.js";
import { MAX_CHILDREN } from "../domain/leaf-backends.js";
import { weightedBackendList } from "../domain/lists/filters/weighted-backends.js";
import type { WeightedBackend } from "../domain/reads/backends.js";
import {
  createWeightedBackend,
  MAX_WEIGHT,
  nestedWeightedBackendInputs,
  updateWeightedBackend,
} from "../domain/weighted-backends.js";
import { BackendInterface, unusedBackend } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import type { InputFields } from "./builder/inputs.js";
import { collection } from "./collection.js";
import { LeafBackendReferenceInput } from "./leaf-backends.js";
import { optionalTargetField, withTargets } from "./reads/links.js";

interface WeightedChildSettings {
  readonly backendId: string;
  readonly weight: number;
}

const WeightedChild = builder.objectRef<WeightedChildSettings>("WeightedChild").implement({
  description: "A child of a weighted backend.",
  fields: (t) => ({
    backend: t.field({
      type: BackendInterface,
      nullable: true,
      description: "The child; null when another request has just deleted it.",
      ...optionalTargetField({
        to: "backends",
        member: "backends",
        isInside: true,
        id: ({ backendId }: WeightedChildSettings) => backendId,
      }),
    }),
    weight: t.exposeInt("weight", {
      description: `Its share of the requests, relative to the other weights: 0 to ${MAX_WEIGHT}. A child with the weight 0 gets none.`,
    }),
  }),
});

const WeightedChildInput = builder.inputType("WeightedChildInput", {
  description: "A child of a weighted backend.",
  fields: (t) => ({
    backend: t.field({
      type: LeafBackendReferenceInput,
      required: true,
      description:
        "An HTTP response, static or tunnel group backend, by its id or as a new backend.",
    }),
    weight: t.int({
      required: true,
      description: `Its share of the requests, relative to the other weights: 0 to ${MAX_WEIGHT}. A child with the weight 0 gets none.`,
    }),
  }),
});

const WeightedBackendType = builder.objectRef<WeightedBackend>("WeightedBackend").implement({
  description: "Spreads requests over its children in proportion to their weights.",
  interfaces: [Node, BackendInterface],
  fields: (t) => ({
    backends: t.field({
      type: [WeightedChild],
      description: "Its children with their weights.",
      extensions: { holds: MAX_CHILDREN },
      resolve: (backend, _, context) =>
        withTargets(
          context,
          backend,
          "backends",
          Object.entries(backend.backends).map(([backendId, weight]) => ({ backendId, weight })),
        ),
    }),
  }),
});

const fields = (t: InputFields) => ({
  backends: t.field({
    type: [WeightedChildInput],
    description: `Its children: at most ${MAX_CHILDREN}, each once; default none. New children are created with it.`,
  }),
});

export const weightedBackends = collection({
  kind: "weightedBackend",
  plural: "weightedBackends",
  type: WeightedBackendType,
  list: weightedBackendList,
  filter: unusedBackend,
  create: {
    rule: nestedWeightedBackendInputs.create,
    fields,
    run: createWeightedBackend,
  },
  update: {
    rule: nestedWeightedBackendInputs.update,
    fields,
    run: updateWeightedBackend,
  },
  remove: {
    note: "Refused while a route, TLS edge, TCP edge or other backend uses it.",
    run: (context, id) => deleteBackend(context, "weighted", id),
  },
});
