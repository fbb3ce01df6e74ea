import { MAX_LIST_ITEMS } from "../../domain/core/fields.js";
import {
  MAX_GROUP_BYTES,
  MAX_IDP_METADATA_BYTES,
  SAML_NAMEID_FORMATS,
  type Saml,
} from "../../domain/modules/saml.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";
import { Session, sessionInputs } from "./session.js";

const [persistent, transient, emailAddress, unspecified] = SAML_NAMEID_FORMATS;

const SamlNameidFormat = builder.enumType("SamlNameidFormat", {
  description: "The format in which an identity provider names users.",
  values: {
    PERSISTENT: { value: persistent, description: `A permanent pseudonym: \`${persistent}\`.` },
    TRANSIENT: { value: transient, description: `A new name for each login: \`${transient}\`.` },
    EMAIL_ADDRESS: { value: emailAddress, description: `An email address: \`${emailAddress}\`.` },
    UNSPECIFIED: {
      value: unspecified,
      description: `A format that the provider chooses: \`${unspecified}\`.`,
    },
  } as const,
});

const SamlModule = builder.objectRef<Saml>("SamlModule").implement({
  description: "Allows only users who log in with a SAML identity provider.",
  interfaces: [Module, Session],
  fields: (t) => ({
    idpMetadata: t.exposeString("idpMetadata", {
      description: "The metadata of the identity provider, in XML.",
    }),
    forceAuthn: t.exposeBoolean("forceAuthn", {
      description: "Whether users must enter their credentials at each login.",
    }),
    allowIdpInitiated: t.exposeBoolean("allowIdpInitiated", {
      description: "Whether a login can start at the identity provider.",
    }),
    authorizedGroups: t.exposeStringList("authorizedGroups", {
      description: "The groups whose members are allowed; an empty list allows everyone.",
    }),
    nameidFormat: t.expose("nameidFormat", {
      type: SamlNameidFormat,
      description: "The format in which the identity provider names users.",
    }),
    entityId: t.exposeString("entityId", {
      description: "The entity id of the route, a URL. Give it to the identity provider.",
    }),
    assertionConsumerServiceUrl: t.exposeString("assertionConsumerServiceUrl", {
      description:
        "The URL to which the identity provider sends its assertions. Give it to the identity provider.",
    }),
    singleLogoutUrl: t.exposeString("singleLogoutUrl", {
      description: "The URL that logs a user out. You can give it to the identity provider.",
    }),
    requestSigningCertificatePem: t.exposeString("requestSigningCertificatePem", {
      description:
        "The certificate, in PEM, of the key that signs requests to the identity provider. It stays the same when the module is replaced. Empty when a dry run would create it.",
    }),
    metadataUrl: t.exposeString("metadataUrl", {
      description: "The URL of the metadata of the route; equal to its entity id.",
    }),
  }),
});

const SamlModuleInput = builder.inputType("SamlModuleInput", {
  description:
    "Allows only users who log in with a SAML identity provider. A route can have at most one of `oauth`, `saml` and `oidc` enabled.",
  fields: (t) => ({
    enabled: enabledInput(t),
    ...sessionInputs(t),
    idpMetadata: t.string({
      required: true,
      description: `The metadata of the identity provider: one EntityDescriptor in XML, at most ${MAX_IDP_METADATA_BYTES} bytes.`,
    }),
    forceAuthn: t.boolean({
      description:
        "Whether users must enter their credentials at each login, even with a session at the identity provider; default false.",
    }),
    allowIdpInitiated: t.boolean({
      description:
        "Whether a login can start at the identity provider, with the target URL as RelayState; default true.",
    }),
    authorizedGroups: t.stringList({
      description: `The groups whose members are allowed: at most ${MAX_LIST_ITEMS} of at most ${MAX_GROUP_BYTES} bytes. By default everyone is allowed.`,
    }),
    nameidFormat: t.field({
      type: SamlNameidFormat,
      description: "The format in which the identity provider names users; default `PERSISTENT`.",
    }),
  }),
});

export const saml: ModuleType<Saml> = {
  type: SamlModule,
  input: SamlModuleInput,
  about: "Requires a login with SAML; null means none.",
  kind: "Requires a login with SAML.",
};
