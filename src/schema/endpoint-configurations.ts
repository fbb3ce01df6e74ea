import {
  createEndpointConfiguration,
  deleteEndpointConfiguration,
  type EndpointConfiguration,
  endpointConfigurationInputs,
  updateEndpointConfiguration,
} from "../domain/endpoint-configurations.js";
import { endpointConfigurationList } from "../domain/lists/filters/endpoint-configurations.js";
import { builder, Node } from "./builder/builder.js";
import { collection } from "./collection.js";

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

collection({
  kind: "endpointConfiguration",
  plural: "endpointConfigurations",
  type: EndpointConfigurationType,
  list: endpointConfigurationList,
  filter: (t) => ({
    unused: t.boolean({
      description: "True: those that no reserved address has. False: all others.",
    }),
  }),
  create: {
    rule: endpointConfigurationInputs.create,
    fields: (t) => ({
      type: t.field({
        type: EndpointConfigurationTypeEnum,
        required: true,
        description: "The protocol that it is for; cannot be changed later.",
      }),
    }),
    run: createEndpointConfiguration,
  },
  update: {
    rule: endpointConfigurationInputs.update,
    inputNote: "The type stays as it is.",
    run: updateEndpointConfiguration,
  },
  remove: { note: "Refused while an address has it.", run: deleteEndpointConfiguration },
});
