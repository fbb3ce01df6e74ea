import {
  createEndpointConfiguration,
  deleteEndpointConfiguration,
  type EndpointConfiguration,
  endpointConfigurationInputs,
  updateEndpointConfiguration,
} from "../domain/endpoint-configurations.js";
import { endpointConfigurationList } from "../domain/lists/filters/endpoint-configurations.js";
import { sequenceOf } from "../domain/lists/sequences.js";
import { REFERENCES } from "../domain/storage/graph.js";
import { builder, Node } from "./builder/builder.js";
import { pageArguments } from "./builder/pages.js";
import { CertificateAuthorityType } from "./certificate-authorities.js";
import { collection } from "./collection.js";
import { IpPolicyType } from "./ip-policies.js";
import {
  endpointConfigurationModuleFields,
  endpointConfigurationModuleInputFields,
} from "./modules/index.js";
import { EndpointConfigurationModuleFilter } from "./modules/kinds.js";
import { listField } from "./reads/links.js";

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
    description: "Modules that endpoints of one protocol share.",
    interfaces: [Node],
    fields: (t) => ({
      type: t.expose("type", {
        type: EndpointConfigurationTypeEnum,
        description: "The protocol of the endpoints; cannot be changed.",
      }),
      ...endpointConfigurationModuleFields(t),
    }),
  });

const endpointConfigurations = collection({
  kind: "endpointConfiguration",
  plural: "endpointConfigurations",
  type: EndpointConfigurationType,
  list: endpointConfigurationList,
  filter: (t) => ({
    module: t.field({
      type: EndpointConfigurationModuleFilter,
      description: "Only those with this module.",
    }),
    unused: t.boolean({
      description:
        "True: only those that no reserved address or domain uses. False: only the others.",
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
      ...endpointConfigurationModuleInputFields(t),
    }),
    run: createEndpointConfiguration,
  },
  update: {
    rule: endpointConfigurationInputs.update,
    inputNote:
      "The type cannot be changed. A module that is null is removed; a module that is given replaces the old one.",
    fields: endpointConfigurationModuleInputFields,
    run: updateEndpointConfiguration,
  },
  remove: {
    note: "Refused while a reserved address or domain uses it.",
    run: deleteEndpointConfiguration,
  },
});

builder.objectField(CertificateAuthorityType, "endpointConfigurations", (t) =>
  t.field({
    type: endpointConfigurations.connection,
    description: "The endpoint configurations whose mutual TLS accepts its certificates.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("endpointConfiguration"),
      reference: REFERENCES.certificateAuthoritiesOfEndpointConfiguration,
    }),
  }),
);

builder.objectField(IpPolicyType, "endpointConfigurations", (t) =>
  t.field({
    type: endpointConfigurations.connection,
    description: "The endpoint configurations whose IP restriction has this policy.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("endpointConfiguration"),
      reference: REFERENCES.ipPoliciesOfEndpointConfiguration,
    }),
  }),
);
