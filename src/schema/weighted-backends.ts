import { MAX_CHILDREN } from "../domain/leaf-backends.js";
import { backendLists } from "../domain/lists/filters/backends.js";
import type { WeightedBackend } from "../domain/reads/backends.js";
import {
  createWeightedBackend,
  deleteWeightedBackend,
  MAX_WEIGHT,
  nestedWeightedBackendInputs,
  updateWeightedBackend,
} from "../domain/weighted-backends.js";
import { BackendInterface, unusedBackend } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import { descriptionInput, type InputFields, idArgument, metadataInput } from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { LeafBackendReferenceInput } from "./leaf-backends.js";
import { optionalTargetField, readPage, readResource, withTargets } from "./reads/reads.js";

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
      description: "The child; null when it was deleted a moment ago.",
      ...optionalTargetField({
        to: "backends",
        member: "backends",
        isInside: true,
        id: ({ backendId }: WeightedChildSettings) => backendId,
      }),
    }),
    weight: t.exposeInt("weight", { description: `Its share: 0 to ${MAX_WEIGHT}, 0 for none.` }),
  }),
});

const WeightedChildInput = builder.inputType("WeightedChildInput", {
  description: "A child of a weighted backend.",
  fields: (t) => ({
    backend: t.field({
      type: LeafBackendReferenceInput,
      required: true,
      description: "An HTTP response, static or tunnel group backend, by its id or a new one.",
    }),
    weight: t.int({ required: true, description: `Its share: 0 to ${MAX_WEIGHT}, 0 for none.` }),
  }),
});

function childrenInput(t: InputFields) {
  return t.field({
    type: [WeightedChildInput],
    description: `Its children: at most ${MAX_CHILDREN}, each once, none by default. What is new is created with it.`,
  });
}

const WeightedBackendType = builder.objectRef<WeightedBackend>("WeightedBackend").implement({
  description: "Spreads requests over its children in proportion to their weights.",
  interfaces: [Node, BackendInterface],
  fields: (t) => ({
    backends: t.field({
      type: [WeightedChild],
      description: "Its children with their weights.",
      resolve: (backend) =>
        withTargets(
          backend,
          "backends",
          Object.entries(backend.backends).map(([backendId, weight]) => ({ backendId, weight })),
        ),
    }),
  }),
});

const WeightedBackendConnection = connectionOf(
  WeightedBackendType,
  "WeightedBackend",
  "weighted backends",
);

const weightedBackendListInputs = listInputs("WeightedBackend", "weighted backends", unusedBackend);

/** Its rule is at the argument, since new backends stand inside other inputs too. */
export const CreateWeightedBackendInput = builder.inputType("CreateWeightedBackendInput", {
  description: "A new weighted backend.",
  fields: (t) => ({
    description: descriptionInput(t),
    metadata: metadataInput(t),
    backends: childrenInput(t),
  }),
});

const UpdateInput = builder
  .inputType("UpdateWeightedBackendInput", {
    description: "Absent leaves a field as it is, null clears it.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      backends: childrenInput(t),
    }),
  })
  .validate(nestedWeightedBackendInputs.update);

builder.queryFields((t) => ({
  weightedBackend: t.field({
    type: WeightedBackendType,
    nullable: true,
    description: "One weighted backend.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "weightedBackend", id),
  }),
  weightedBackends: t.field({
    type: WeightedBackendConnection,
    description: "All weighted backends; newest first by default.",
    args: listArguments(t, weightedBackendListInputs),
    resolve: (_, args, context, info) => readPage(context, info, backendLists.weighted, args),
  }),
}));

builder.mutationFields((t) => ({
  createWeightedBackend: t.field({
    type: WeightedBackendType,
    nullable: true,
    description: "Creates a weighted backend.",
    args: {
      input: t
        .arg({ type: CreateWeightedBackendInput, required: true, description: "The backend." })
        .validate(nestedWeightedBackendInputs.create),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createWeightedBackend(context, args.input)),
  }),
  updateWeightedBackend: t.field({
    type: WeightedBackendType,
    nullable: true,
    description: "Changes a weighted backend.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "weightedBackend", args, (context, id) =>
        updateWeightedBackend(context, id, args.input),
      ),
  }),
  deleteWeightedBackend: t.id({
    nullable: true,
    description: "Deletes a weighted backend and returns its id. Refused while it is used.",
    args: changeArguments(t),
    resolve: (_, args, context) =>
      deleteOne(context, "weightedBackend", args, deleteWeightedBackend),
  }),
}));
