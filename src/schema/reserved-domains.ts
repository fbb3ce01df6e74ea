import {
  MAX_TARGET_BYTES,
  MAX_TARGETS,
  type ResolutionTarget,
} from "../domain/formats/resolution-targets.js";
import {
  domainsOfCertificateList,
  domainsOfHttpConfigurationList,
  domainsOfHttpsConfigurationList,
  reservedDomainList,
} from "../domain/lists/filters/reserved-domains.js";
import {
  createReservedDomain,
  deleteReservedDomain,
  type ReservedDomain,
  reservedDomainInputs,
  updateReservedDomain,
} from "../domain/reserved-domains.js";
import { builder, Node } from "./builder/builder.js";
import type { InputFields } from "./builder/inputs.js";
import { listArguments } from "./builder/lists.js";
import {
  CertificateManagementPolicyType,
  certificateManagementPolicyChange,
  newCertificateManagementPolicy,
} from "./certificate-management.js";
import { collection } from "./collection.js";
import { EndpointConfigurationType } from "./endpoint-configurations.js";
import { listField, optionalTargetField } from "./reads/links.js";
import { RegionEnum } from "./regions.js";
import { TlsCertificateType } from "./tls-certificates.js";

const ResolutionTargetType = builder.objectRef<ResolutionTarget>("ResolutionTarget").implement({
  description: "What the name of a reserved domain is to resolve to.",
  fields: (t) => ({
    value: t.exposeString("value", {
      description: "The target, such as the name of a region or `global`; as given.",
    }),
  }),
});

const ResolutionTargetInput = builder.inputType("ResolutionTargetInput", {
  description: "What the name of a reserved domain is to resolve to.",
  fields: (t) => ({
    value: t.string({
      required: true,
      description: `The target, such as the name of a region or \`global\`: 1 to ${MAX_TARGET_BYTES} bytes of UTF-8. Edgeplane does not interpret it.`,
    }),
  }),
});

const ReservedDomainType = builder.objectRef<ReservedDomain>("ReservedDomain").implement({
  description:
    "A domain that is reserved for you, and what its connections get. Edgeplane stores and serves it for what answers for the domain: it makes no DNS records and requests no certificate.",
  interfaces: [Node],
  fields: (t) => ({
    domain: t.exposeString("domain", {
      description:
        "The domain as given, which can start with `*.`; unique, ignoring case, and cannot be changed.",
    }),
    region: t.expose("region", {
      type: RegionEnum,
      nullable: true,
      description:
        "The region in which the domain is served; null when it was not given. It cannot be changed.",
    }),
    certificate: t.field({
      type: TlsCertificateType,
      nullable: true,
      description: "The TLS certificate that you uploaded for it; null when there is none.",
      ...optionalTargetField({
        to: "tls_certificates",
        member: "certificateId",
        id: ({ certificateId }: ReservedDomain) => certificateId,
      }),
    }),
    certificateManagementPolicy: t.expose("certificateManagementPolicy", {
      type: CertificateManagementPolicyType,
      nullable: true,
      description:
        "How its TLS certificates are to be managed; null when they are not. A domain with a policy has no certificate of yours.",
    }),
    httpEndpointConfiguration: t.field({
      type: EndpointConfigurationType,
      nullable: true,
      description: "The endpoint configuration for its HTTP traffic; null when there is none.",
      ...optionalTargetField({
        to: "endpoint_configurations",
        member: "httpEndpointConfigurationId",
        id: ({ httpEndpointConfigurationId }: ReservedDomain) => httpEndpointConfigurationId,
      }),
    }),
    httpsEndpointConfiguration: t.field({
      type: EndpointConfigurationType,
      nullable: true,
      description: "The endpoint configuration for its HTTPS traffic; null when there is none.",
      ...optionalTargetField({
        to: "endpoint_configurations",
        member: "httpsEndpointConfigurationId",
        id: ({ httpsEndpointConfigurationId }: ReservedDomain) => httpsEndpointConfigurationId,
      }),
    }),
    errorRedirectUrl: t.exposeString("errorRedirectUrl", {
      description: "The URL to which errors are redirected; empty when not set.",
    }),
    resolvesTo: t.field({
      type: [ResolutionTargetType],
      description: "What its name is to resolve to, in the order given; empty when not set.",
      resolve: ({ resolvesTo }) => [...resolvesTo],
    }),
  }),
});

/** The fields of both inputs. `unset` says what is without one. */
function settings(t: InputFields, unset: string) {
  const note = (text: string) => `${text}; ${unset}.`;
  return {
    certificateId: t.id({
      description: note(
        "The id of the TLS certificate of its connections, not together with a `certificateManagementPolicy`",
      ),
    }),
    httpEndpointConfigurationId: t.id({
      description: note(
        "The id of the endpoint configuration for its HTTP traffic, of type `HTTP`",
      ),
    }),
    httpsEndpointConfigurationId: t.id({
      description: note(
        "The id of the endpoint configuration for its HTTPS traffic, of type `HTTPS`",
      ),
    }),
    errorRedirectUrl: t.string({
      description: note(
        "The URL to which errors are redirected: a complete `http://` or `https://` URL of at most 8192 bytes",
      ),
    }),
    resolvesTo: t.field({
      type: [ResolutionTargetInput],
      description: note(
        `What its name is to resolve to: at most ${MAX_TARGETS} targets, whose order is kept`,
      ),
    }),
  };
}

const reservedDomains = collection({
  kind: "reservedDomain",
  plural: "reservedDomains",
  type: ReservedDomainType,
  list: reservedDomainList,
  filter: (t) => ({
    domain: t.string({
      description:
        "Only the one with exactly this domain, which can start with `*.`, ignoring case.",
    }),
    region: t.field({ type: RegionEnum, description: "Only those in this region." }),
    certificateId: t.id({ description: "Only those with this TLS certificate." }),
    endpointConfigurationId: t.id({
      description: "Only those that have this endpoint configuration, for HTTP or HTTPS.",
    }),
  }),
  searched: "description, metadata or domain",
  create: {
    note: "Refused with the code CONFLICT when the domain is already reserved.",
    rule: reservedDomainInputs.create,
    fields: (t) => ({
      domain: t.string({
        required: true,
        description:
          "The domain: a DNS name of at most 253 characters, which can start with `*.`; kept as given, cannot be changed later.",
      }),
      region: t.field({
        type: RegionEnum,
        description:
          "The region in which to serve the domain; default none, cannot be changed later.",
      }),
      certificateManagementPolicy: newCertificateManagementPolicy(t),
      ...settings(t, "default none"),
    }),
    run: createReservedDomain,
  },
  update: {
    rule: reservedDomainInputs.update,
    inputNote:
      "Domain and region cannot be changed. To replace a certificate by a policy, or a policy by a certificate, give null for the other.",
    fields: (t) => ({
      certificateManagementPolicy: certificateManagementPolicyChange(t),
      ...settings(t, "null removes it"),
    }),
    run: updateReservedDomain,
  },
  remove: {
    note: "Others can then reserve the domain. Its certificate and endpoint configurations stay.",
    run: deleteReservedDomain,
  },
});

builder.objectField(TlsCertificateType, "reservedDomains", (t) =>
  t.field({
    type: reservedDomains.connection,
    description: "The reserved domains that have this certificate; newest first by default.",
    args: listArguments(t, reservedDomains),
    ...listField(domainsOfCertificateList),
  }),
);

builder.objectField(EndpointConfigurationType, "httpReservedDomains", (t) =>
  t.field({
    type: reservedDomains.connection,
    description:
      "The reserved domains that have this endpoint configuration for HTTP; newest first by default.",
    args: listArguments(t, reservedDomains),
    ...listField(domainsOfHttpConfigurationList),
  }),
);

builder.objectField(EndpointConfigurationType, "httpsReservedDomains", (t) =>
  t.field({
    type: reservedDomains.connection,
    description:
      "The reserved domains that have this endpoint configuration for HTTPS; newest first by default.",
    args: listArguments(t, reservedDomains),
    ...listField(domainsOfHttpsConfigurationList),
  }),
);
