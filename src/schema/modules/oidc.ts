import { MAX_LIST_ITEMS } from "../../domain/core/fields.js";
import {
  MAX_CLIENT_ID_BYTES,
  MAX_CLIENT_SECRET_BYTES,
  MAX_SCOPE_BYTES,
} from "../../domain/modules/oauth-client.js";
import type { Oidc } from "../../domain/modules/oidc.js";
import { builder } from "../builder/builder.js";
import { secretField } from "../reads/field-reads.js";
import { enabledInput, Module, type ModuleType } from "./module.js";
import { Session, sessionInputs } from "./session.js";

const OidcModule = builder.objectRef<Oidc>("OidcModule").implement({
  description: "Lets only users of an OpenID provider through.",
  interfaces: [Module, Session],
  fields: (t) => ({
    issuer: t.exposeString("issuer", {
      description: "The URL of the OpenID provider, below which it is discovered.",
    }),
    clientId: t.exposeString("clientId", {
      description: "The id of your client at the provider, and the audience of its tokens.",
    }),
    clientSecret: t.exposeString("clientSecret", {
      ...secretField,
      description: "The secret of your client; empty for a key that may only read.",
    }),
    scopes: t.exposeStringList("scopes", { description: "The scopes that are asked for." }),
  }),
});

const OidcModuleInput = builder.inputType("OidcModuleInput", {
  description:
    "Lets only users of an OpenID provider through. A route has one of `oauth`, `saml` and `oidc` enabled at most.",
  fields: (t) => ({
    enabled: enabledInput(t),
    ...sessionInputs(t),
    issuer: t.string({
      required: true,
      description:
        "The URL of the OpenID provider, below which it is discovered: https without credentials, query and fragment, at most 255 bytes.",
    }),
    clientId: t.string({
      required: true,
      description: `The id of your client at the provider, and the audience of its tokens; 1 to ${MAX_CLIENT_ID_BYTES} bytes.`,
    }),
    clientSecret: t.string({
      required: true,
      description: `The secret of your client; 1 to ${MAX_CLIENT_SECRET_BYTES} bytes.`,
    }),
    scopes: t.stringList({
      description: `The scopes to ask for: at most ${MAX_LIST_ITEMS} of at most ${MAX_SCOPE_BYTES} bytes, none when unspecified.`,
    }),
  }),
});

export const oidc: ModuleType<Oidc> = {
  type: OidcModule,
  input: OidcModuleInput,
  about: "How users log in with OpenID Connect; not at all when null.",
  kind: "Logs users in with OpenID Connect.",
};
