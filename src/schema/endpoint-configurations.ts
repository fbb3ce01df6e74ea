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
  description: "The protocol of an endpoint configuration.",
  values: {
    HTTP: { value: "http", description: "HTTP without TLS." },
    HTTPS: { value: "https", description: "HTTP over TLS." },
    TCP: { value: "tcp", description: "Plain TCP. Reserved addresses take only this type." },
  } as const,
});

export const EndpointConfigurationType = builder
  .objectRef<EndpointConfiguration>("EndpointConfiguration")
  .implement({
    description: "Settings that endpoints of one protocol share.",
    interfaces: [Node],
    fields: (t) => ({
      type: t.expose("type", {
        type: EndpointConfigurationTypeEnum,
        description: "The protocol of the endpoints; cannot be changed.",
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
      description: "True: only those that no reserved address uses. False: only the others.",
    }),
  }),
  create: {
    rule: endpointConfigurationInputs.create,
    fields: (t) => ({
      type: t.field({
        type: EndpointConfigurationTypeEnum,
        required: true,
        description: "The protocol of the endpoints; cannot be changed later.",
      }),
    }),
    run: createEndpointConfiguration,
  },
  update: {
    rule: endpointConfigurationInputs.update,
    inputNote: "The type cannot be changed.",
    run: updateEndpointConfiguration,
  },
  remove: { note: "Refused while a reserved address uses it.", run: deleteEndpointConfiguration },
});
