import {
  createEndpointConfiguration,
  deleteEndpointConfiguration,
  type EndpointConfiguration,
  endpointConfigurationInputs,
  updateEndpointConfiguration,
} from "../domain/endpoint-configurations.js";
import { endpointConfigurationList } from "../domain/lists/filters/endpoint-configurations.js";
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

const EndpointConfigurationTypeEnum = builder.enumType("EndpointConfigurationType", {
  description: "The protocol that an endpoint configuration is for.",
  values: {
    HTTP: { value: "http", description: "HTTP without TLS." },
    HTTPS: { value: "https", description: "HTTP over TLS." },
    TCP: { value: "tcp", description: "Plain TCP: the one that fits reserved addresses." },
  } as const,
});

export const EndpointConfigurationType = builder
  .objectRef<EndpointConfiguration>("EndpointConfiguration")
  .implement({
    description: "What endpoints of one protocol have in common.",
    interfaces: [Node],
    fields: (t) => ({
      type: t.expose("type", {
        type: EndpointConfigurationTypeEnum,
        description: "The protocol that it is for; never changes.",
      }),
    }),
  });

const EndpointConfigurationConnection = connectionOf(
  EndpointConfigurationType,
  "EndpointConfiguration",
  "endpoint configurations",
);

const endpointConfigurationListInputs = listInputs(
  "EndpointConfiguration",
  "endpoint configurations",
  (t) => ({
    unused: t.boolean({
      description: "True: those that no reserved address has. False: all others.",
    }),
  }),
);

const CreateInput = builder
  .inputType("CreateEndpointConfigurationInput", {
    description: "A new endpoint configuration.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      type: t.field({
        type: EndpointConfigurationTypeEnum,
        required: true,
        description: "The protocol that it is for; cannot be changed later.",
      }),
    }),
  })
  .validate(endpointConfigurationInputs.create);

const UpdateInput = builder
  .inputType("UpdateEndpointConfigurationInput", {
    description: "Absent leaves a field as it is, null clears it. The type stays as it is.",
    fields: (t) => ({ description: descriptionInput(t), metadata: metadataInput(t) }),
  })
  .validate(endpointConfigurationInputs.update);

builder.queryFields((t) => ({
  endpointConfiguration: t.field({
    type: EndpointConfigurationType,
    nullable: true,
    description: "One endpoint configuration.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "endpointConfiguration", id),
  }),
  endpointConfigurations: t.field({
    type: EndpointConfigurationConnection,
    description: "All endpoint configurations; newest first by default.",
    args: listArguments(t, endpointConfigurationListInputs),
    resolve: (_, args, context, info) => readPage(context, info, endpointConfigurationList, args),
  }),
}));

builder.mutationFields((t) => ({
  createEndpointConfiguration: t.field({
    type: EndpointConfigurationType,
    nullable: true,
    description: "Creates an endpoint configuration.",
    args: {
      input: t.arg({
        type: CreateInput,
        required: true,
        description: "The endpoint configuration.",
      }),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createEndpointConfiguration(context, args.input)),
  }),
  updateEndpointConfiguration: t.field({
    type: EndpointConfigurationType,
    nullable: true,
    description: "Changes an endpoint configuration.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "endpointConfiguration", args, (context, id) =>
        updateEndpointConfiguration(context, id, args.input),
      ),
  }),
  deleteEndpointConfiguration: t.id({
    nullable: true,
    description:
      "Deletes an endpoint configuration and returns its id. Refused while an address has it.",
    args: changeArguments(t),
    resolve: (_, args, context) =>
      deleteOne(context, "endpointConfiguration", args, deleteEndpointConfiguration),
  }),
}));
