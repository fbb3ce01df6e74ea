import { MAX_LIST_ITEMS } from "../../domain/core/fields.js";
import { SAML_NAMEID_FORMATS, type Saml } from "../../domain/modules/saml.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";
import { Session, sessionInputs } from "./session.js";

const [persistent, transient, emailAddress, unspecified] = SAML_NAMEID_FORMATS;

const SamlNameidFormat = builder.enumType("SamlNameidFormat", {
  description: "How an identity provider names users.",
  values: {
    PERSISTENT: { value: persistent, description: `One lasting pseudonym: \`${persistent}\`.` },
    TRANSIENT: { value: transient, description: `A new name for each login: \`${transient}\`.` },
    EMAIL_ADDRESS: { value: emailAddress, description: `An email address: \`${emailAddress}\`.` },
    UNSPECIFIED: { value: unspecified, description: `As the provider likes: \`${unspecified}\`.` },
  } as const,
});

const SamlModule = builder.objectRef<Saml>("SamlModule").implement({
  description: "Lets only users of a SAML identity provider through.",
  interfaces: [Module, Session],
  fields: (t) => ({
    idpMetadata: t.exposeString("idpMetadata", {
      description: "The metadata of the identity provider, in XML.",
    }),
    forceAuthn: t.exposeBoolean("forceAuthn", {
      description: "Whether users give their credentials at each login.",
    }),
    allowIdpInitiated: t.exposeBoolean("allowIdpInitiated", {
      description: "Whether a login may begin at the identity provider.",
    }),
    authorizedGroups: t.exposeStringList("authorizedGroups", {
      description: "The groups whose members may pass; everyone when empty.",
    }),
    nameidFormat: t.expose("nameidFormat", {
      type: SamlNameidFormat,
      description: "How the identity provider is to name users.",
    }),
    entityId: t.exposeString("entityId", {
      description: "The entity id of the route, a URL, to tell the identity provider.",
    }),
    assertionConsumerServiceUrl: t.exposeString("assertionConsumerServiceUrl", {
      description: "Where the identity provider sends its assertions, to tell it.",
    }),
    singleLogoutUrl: t.exposeString("singleLogoutUrl", {
      description: "Where a user is logged out, which the identity provider may be told.",
    }),
    requestSigningCertificatePem: t.exposeString("requestSigningCertificatePem", {
      description:
        "The certificate, in PEM, of the key that signs requests to the identity provider; stays when the module is replaced. Empty when a dry run would make it.",
    }),
    metadataUrl: t.exposeString("metadataUrl", {
      description: "Where the metadata of the route is found; the same as its entity id.",
    }),
  }),
});

const SamlModuleInput = builder.inputType("SamlModuleInput", {
  description:
    "Lets only users of a SAML identity provider through. A route has one of `oauth`, `saml` and `oidc` enabled at most.",
  fields: (t) => ({
    enabled: enabledInput(t),
    ...sessionInputs(t),
    idpMetadata: t.string({
      required: true,
      description:
        "The metadata of the identity provider: one EntityDescriptor in XML, at most 65536 bytes.",
    }),
    forceAuthn: t.boolean({
      description:
        "Whether users give their credentials at each login, even when the identity provider knows them; false when unspecified.",
    }),
    allowIdpInitiated: t.boolean({
      description:
        "Whether a login may begin at the identity provider, with the target URL as RelayState; true when unspecified.",
    }),
    authorizedGroups: t.stringList({
      description: `The groups whose members may pass: at most ${MAX_LIST_ITEMS} of at most 255 bytes; everyone when unspecified.`,
    }),
    nameidFormat: t.field({
      type: SamlNameidFormat,
      description: "How the identity provider is to name users; `PERSISTENT` when unspecified.",
    }),
  }),
});

export const saml: ModuleType<Saml> = {
  type: SamlModule,
  input: SamlModuleInput,
  about: "How users log in with SAML; not at all when null.",
  kind: "Logs users in with SAML.",
};
