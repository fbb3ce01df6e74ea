import { backendsById, backendsOfKindById, type FailoverBackend } from "../domain/backends.js";
import {
  countFailoverBackends,
  createFailoverBackend,
  deleteFailoverBackend,
  failoverBackendInputs,
  getFailoverBackend,
  listFailoverBackends,
  updateFailoverBackend,
} from "../domain/failover-backends.js";
import { backendLists } from "../domain/filters/backends.js";
import { BackendInterface, unusedBackend } from "./backends.js";
import { builder, Node } from "./builder.js";
import { connectionOf, pageOf } from "./connections.js";
import { descriptionInput, idArgument, metadataInput } from "./inputs.js";
import { listArguments, listInputs, listPageOf } from "./lists.js";
import { loadAll } from "./loaders.js";

const FailoverBackendType = builder.objectRef<FailoverBackend>("FailoverBackend").implement({
  description: "Tries its children in order until one can serve.",
  interfaces: [Node, BackendInterface],
  fields: (t) => ({
    backends: t.field({
      type: [BackendInterface],
      description: "Its children, in the order in which they are tried.",
      resolve: ({ backends }, _, context) => loadAll(context, backendsById, backends),
    }),
  }),
});

const FailoverBackendConnection = connectionOf(
  FailoverBackendType,
  "FailoverBackend",
  "failover backends",
);

const failoverBackendListInputs = listInputs("FailoverBackend", "failover backends", unusedBackend);
const readBackends = backendsOfKindById("failover");

const CreateInput = builder
  .inputType("CreateFailoverBackendInput", {
    description: "A new failover backend.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      backends: t.idList({
        description:
          "The ids of its children, tried in this order: at most 50, each once, of any kind but failover.",
      }),
    }),
  })
  .validate(failoverBackendInputs.create);

const UpdateInput = builder
  .inputType("UpdateFailoverBackendInput", {
    description: "Absent leaves a field as it is, null clears it.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      backends: t.idList({
        description:
          "The ids of its children, tried in this order: at most 50, each once, of any kind but failover.",
      }),
    }),
  })
  .validate(failoverBackendInputs.update);

builder.queryFields((t) => ({
  failoverBackend: t.field({
    type: FailoverBackendType,
    description: "One failover backend.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context) => getFailoverBackend(context, id),
  }),
  failoverBackends: t.field({
    type: FailoverBackendConnection,
    description: "All failover backends; newest first by default.",
    args: listArguments(t, failoverBackendListInputs),
    resolve: (_, args, context) =>
      listPageOf(context, args, backendLists.failover, readBackends, () =>
        pageOf(
          args,
          (page) => listFailoverBackends(context, page),
          () => countFailoverBackends(context),
        ),
      ),
  }),
}));

builder.mutationFields((t) => ({
  createFailoverBackend: t.field({
    type: FailoverBackendType,
    description: "Creates a failover backend.",
    args: { input: t.arg({ type: CreateInput, required: true, description: "The backend." }) },
    resolve: (_, { input }, context) => createFailoverBackend(context, input),
  }),
  updateFailoverBackend: t.field({
    type: FailoverBackendType,
    description: "Changes a failover backend.",
    args: {
      id: idArgument(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, { id, input }, context) => updateFailoverBackend(context, id, input),
  }),
  deleteFailoverBackend: t.id({
    description: "Deletes a failover backend and returns its id. Refused while it is used.",
    args: { id: idArgument(t) },
    resolve: async (_, { id }, context) => {
      await deleteFailoverBackend(context, id);
      return id;
    },
  }),
}));
