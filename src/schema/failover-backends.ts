import {
  createFailoverBackend,
  deleteFailoverBackend,
  nestedFailoverBackendInputs,
  updateFailoverBackend,
} from "../domain/failover-backends.js";
import { MAX_CHILDREN } from "../domain/leaf-backends.js";
import { backendLists } from "../domain/lists/filters/backends.js";
import type { FailoverBackend } from "../domain/reads/backends.js";
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
import { BackendReferenceInput } from "./builder/resource-types.js";
import { newLeafBackendFields } from "./leaf-backends.js";
import { readPage, readResource, targetsField } from "./reads/reads.js";
import { CreateWeightedBackendInput } from "./weighted-backends.js";

const FailoverBackendType = builder.objectRef<FailoverBackend>("FailoverBackend").implement({
  description: "Tries its children in order until one can serve.",
  interfaces: [Node, BackendInterface],
  fields: (t) => ({
    backends: t.field({
      type: [BackendInterface],
      description: "Its children, in the order in which they are tried.",
      ...targetsField({
        to: "backends",
        member: "backends",
        id: ({ backends }: FailoverBackend) => backends,
      }),
    }),
  }),
});

const FailoverBackendConnection = connectionOf(
  FailoverBackendType,
  "FailoverBackend",
  "failover backends",
);

const failoverBackendListInputs = listInputs("FailoverBackend", "failover backends", unusedBackend);

/** The fields for a new backend of any kind but failover, of which one is given. */
function newFailoverChildFields(t: InputFields) {
  return {
    ...newLeafBackendFields(t),
    weightedBackend: t.field({
      type: CreateWeightedBackendInput,
      description: "A new weighted backend.",
    }),
  };
}

const FailoverChildInput = builder.inputType("FailoverChildInput", {
  description: "A child of a failover backend: by its id, or a new one, of any kind but failover.",
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: "The id of a backend of any kind but failover." }),
    ...newFailoverChildFields(t),
  }),
});

function childrenInput(t: InputFields) {
  return t.field({
    type: [FailoverChildInput],
    description: `Its children, tried in this order: at most ${MAX_CHILDREN}, each once, none by default. What is new is created with it.`,
  });
}

/** Its rule is at the argument, since new backends stand inside other inputs too. */
const CreateFailoverBackendInput = builder.inputType("CreateFailoverBackendInput", {
  description: "A new failover backend.",
  fields: (t) => ({
    description: descriptionInput(t),
    metadata: metadataInput(t),
    backends: childrenInput(t),
  }),
});

BackendReferenceInput.implement({
  description:
    "A backend of any kind: by its id, or a new one, which is created with what uses it.",
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: "The id of a backend of any kind." }),
    ...newFailoverChildFields(t),
    failoverBackend: t.field({
      type: CreateFailoverBackendInput,
      description: "A new failover backend.",
    }),
  }),
});

const UpdateInput = builder
  .inputType("UpdateFailoverBackendInput", {
    description: "Absent leaves a field as it is, null clears it.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      backends: childrenInput(t),
    }),
  })
  .validate(nestedFailoverBackendInputs.update);

builder.queryFields((t) => ({
  failoverBackend: t.field({
    type: FailoverBackendType,
    nullable: true,
    description: "One failover backend.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "failoverBackend", id),
  }),
  failoverBackends: t.field({
    type: FailoverBackendConnection,
    description: "All failover backends; newest first by default.",
    args: listArguments(t, failoverBackendListInputs),
    resolve: (_, args, context, info) => readPage(context, info, backendLists.failover, args),
  }),
}));

builder.mutationFields((t) => ({
  createFailoverBackend: t.field({
    type: FailoverBackendType,
    nullable: true,
    description: "Creates a failover backend.",
    args: {
      input: t
        .arg({ type: CreateFailoverBackendInput, required: true, description: "The backend." })
        .validate(nestedFailoverBackendInputs.create),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createFailoverBackend(context, args.input)),
  }),
  updateFailoverBackend: t.field({
    type: FailoverBackendType,
    nullable: true,
    description: "Changes a failover backend.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "failoverBackend", args, (context, id) =>
        updateFailoverBackend(context, id, args.input),
      ),
  }),
  deleteFailoverBackend: t.id({
    nullable: true,
    description: "Deletes a failover backend and returns its id. Refused while it is used.",
    args: changeArguments(t),
    resolve: (_, args, context) =>
      deleteOne(context, "failoverBackend", args, deleteFailoverBackend),
  }),
}));
