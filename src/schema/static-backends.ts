import { backendLists } from "../domain/lists/filters/backends.js";
import type { StaticBackend } from "../domain/reads/backends.js";
import {
  createStaticBackend,
  deleteStaticBackend,
  staticBackendInputs,
  updateStaticBackend,
} from "../domain/static-backends.js";
import { BackendInterface, unusedBackend } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import { descriptionInput, idArgument, metadataInput } from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { readPage, readResource } from "./reads/reads.js";

const StaticBackendTls = builder.objectRef<StaticBackend["tls"]>("StaticBackendTls").implement({
  description: "How the connection to a static backend is secured.",
  fields: (t) => ({
    enabled: t.exposeBoolean("enabled", { description: "Whether TLS is used." }),
  }),
});

const StaticBackendTlsInput = builder.inputType("StaticBackendTlsInput", {
  description: "How the connection to a static backend is secured.",
  fields: (t) => ({
    enabled: t.boolean({ description: "Whether TLS is used; false when unspecified." }),
  }),
});

const StaticBackendType = builder.objectRef<StaticBackend>("StaticBackend").implement({
  description: "Forwards to one address.",
  interfaces: [Node, BackendInterface],
  fields: (t) => ({
    address: t.exposeString("address", { description: "Where to, as `host:port`." }),
    tls: t.field({
      type: StaticBackendTls,
      description: "How the connection to the address is secured.",
      resolve: ({ tls }) => tls,
    }),
  }),
});

const StaticBackendConnection = connectionOf(StaticBackendType, "StaticBackend", "static backends");

const staticBackendListInputs = listInputs(
  "StaticBackend",
  "static backends",
  unusedBackend,
  "description, metadata and address",
);
/** Its rule is at the argument, since new backends stand inside other inputs too. */
export const CreateStaticBackendInput = builder.inputType("CreateStaticBackendInput", {
  description: "A new static backend.",
  fields: (t) => ({
    description: descriptionInput(t),
    metadata: metadataInput(t),
    address: t.string({ required: true, description: "Where to, as `host:port`." }),
    tls: t.field({ type: StaticBackendTlsInput, description: "Without TLS when unspecified." }),
  }),
});

const UpdateInput = builder
  .inputType("UpdateStaticBackendInput", {
    description: "Absent leaves a field as it is, null clears it; the address stays.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      address: t.string({ description: "Where to, as `host:port`." }),
      tls: t.field({
        type: StaticBackendTlsInput,
        description: "Replaces the settings as a whole.",
      }),
    }),
  })
  .validate(staticBackendInputs.update);

builder.queryFields((t) => ({
  staticBackend: t.field({
    type: StaticBackendType,
    nullable: true,
    description: "One static backend.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "staticBackend", id),
  }),
  staticBackends: t.field({
    type: StaticBackendConnection,
    description: "All static backends; newest first by default.",
    args: listArguments(t, staticBackendListInputs),
    resolve: (_, args, context, info) => readPage(context, info, backendLists.static, args),
  }),
}));

builder.mutationFields((t) => ({
  createStaticBackend: t.field({
    type: StaticBackendType,
    nullable: true,
    description: "Creates a static backend.",
    args: {
      input: t
        .arg({ type: CreateStaticBackendInput, required: true, description: "The backend." })
        .validate(staticBackendInputs.create),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createStaticBackend(context, args.input)),
  }),
  updateStaticBackend: t.field({
    type: StaticBackendType,
    nullable: true,
    description: "Changes a static backend.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "staticBackend", args, (context, id) =>
        updateStaticBackend(context, id, args.input),
      ),
  }),
  deleteStaticBackend: t.id({
    nullable: true,
    description: "Deletes a static backend and returns its id. Refused while it is used.",
    args: changeArguments(t),
    resolve: (_, args, context) => deleteOne(context, "staticBackend", args, deleteStaticBackend),
  }),
}));
