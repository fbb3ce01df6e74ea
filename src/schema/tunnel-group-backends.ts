import { backendLists } from "../domain/lists/filters/backends.js";
import type { TunnelGroupBackend } from "../domain/reads/backends.js";
import {
  createTunnelGroupBackend,
  deleteTunnelGroupBackend,
  MAX_LABEL_NAME_BYTES,
  MAX_LABEL_VALUE_BYTES,
  MAX_LABELS,
  tunnelGroupBackendInputs,
  updateTunnelGroupBackend,
} from "../domain/tunnel-group-backends.js";
import { BackendInterface, unusedBackend } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import { descriptionInput, idArgument, metadataInput } from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import { NameValue, nameValues, nameValuesInput } from "./builder/maps.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { readPage, readResource } from "./reads/reads.js";

const TunnelGroupBackendType = builder
  .objectRef<TunnelGroupBackend>("TunnelGroupBackend")
  .implement({
    description: "Forwards to the tunnels that carry all of its labels.",
    interfaces: [Node, BackendInterface],
    fields: (t) => ({
      labels: t.field({
        type: [NameValue],
        description: "What a tunnel must carry to belong to the group.",
        resolve: ({ labels }) => nameValues(labels),
      }),
    }),
  });

const TunnelGroupBackendConnection = connectionOf(
  TunnelGroupBackendType,
  "TunnelGroupBackend",
  "tunnel group backends",
);

const tunnelGroupBackendListInputs = listInputs(
  "TunnelGroupBackend",
  "tunnel group backends",
  unusedBackend,
);

const ABOUT_LABELS = `At most ${MAX_LABELS}; names of 1 to ${MAX_LABEL_NAME_BYTES} bytes without \`=\`, values of at most ${MAX_LABEL_VALUE_BYTES} bytes; none when unspecified.`;

/** Its rule is at the argument, since new backends stand inside other inputs too. */
export const CreateTunnelGroupBackendInput = builder.inputType("CreateTunnelGroupBackendInput", {
  description: "A new tunnel group backend.",
  fields: (t) => ({
    description: descriptionInput(t),
    metadata: metadataInput(t),
    labels: nameValuesInput(t, ABOUT_LABELS),
  }),
});

const UpdateInput = builder
  .inputType("UpdateTunnelGroupBackendInput", {
    description: "Absent leaves a field as it is, null clears it.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      labels: nameValuesInput(t, ABOUT_LABELS),
    }),
  })
  .validate(tunnelGroupBackendInputs.update);

builder.queryFields((t) => ({
  tunnelGroupBackend: t.field({
    type: TunnelGroupBackendType,
    nullable: true,
    description: "One tunnel group backend.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "tunnelGroupBackend", id),
  }),
  tunnelGroupBackends: t.field({
    type: TunnelGroupBackendConnection,
    description: "All tunnel group backends; newest first by default.",
    args: listArguments(t, tunnelGroupBackendListInputs),
    resolve: (_, args, context, info) => readPage(context, info, backendLists.tunnel_group, args),
  }),
}));

builder.mutationFields((t) => ({
  createTunnelGroupBackend: t.field({
    type: TunnelGroupBackendType,
    nullable: true,
    description: "Creates a tunnel group backend.",
    args: {
      input: t
        .arg({ type: CreateTunnelGroupBackendInput, required: true, description: "The backend." })
        .validate(tunnelGroupBackendInputs.create),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createTunnelGroupBackend(context, args.input)),
  }),
  updateTunnelGroupBackend: t.field({
    type: TunnelGroupBackendType,
    nullable: true,
    description: "Changes a tunnel group backend.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "tunnelGroupBackend", args, (context, id) =>
        updateTunnelGroupBackend(context, id, args.input),
      ),
  }),
  deleteTunnelGroupBackend: t.id({
    nullable: true,
    description: "Deletes a tunnel group backend and returns its id. Refused while it is used.",
    args: changeArguments(t),
    resolve: (_, args, context) =>
      deleteOne(context, "tunnelGroupBackend", args, deleteTunnelGroupBackend),
  }),
}));
