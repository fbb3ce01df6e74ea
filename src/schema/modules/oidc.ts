import { MAX_LIST_ITEMS } from "../../domain/core/fields.js";
import {
  MAX_CLIENT_ID_BYTES,
  MAX_CLIENT_SECRET_BYTES,
  MAX_SCOPE_BYTES,
} from "../../domain/modules/oauth-client.js";
import type { Oidc } from "../../domain/modules/oidc.js";
import { MAX_ISSUER_BYTES } from "../../domain/modules/oidc.js";
import { builder } from "../builder/builder.js";
import { secretField } from "../reads/field-reads.js";
import { enabledInput, Module, type ModuleType } from "./module.js";
import { Session, sessionInputs } from "./session.js";

const OidcModule = builder.objectRef<Oidc>("OidcModule").implement({
  description: "Allows only users who log in with an OpenID provider.",
  interfaces: [Module, Session],
  fields: (t) => ({
    issuer: t.exposeString("issuer", {
      description:
        "The URL of the OpenID provider. Its configuration is discovered below this URL.",
    }),
    clientId: t.exposeString("clientId", {
      description: "The id of your client at the provider, and the audience of its tokens.",
    }),
    clientSecret: t.exposeString("clientSecret", {
      ...secretField,
      description: "The secret of your client; empty for a read-only API key.",
    }),
    scopes: t.exposeStringList("scopes", { description: "The scopes to request." }),
  }),
});

const OidcModuleInput = builder.inputType("OidcModuleInput", {
  description:
    "Allows only users who log in with an OpenID provider. A route can have at most one of `oauth`, `saml` and `oidc` enabled.",
  fields: (t) => ({
    enabled: enabledInput(t),
    ...sessionInputs(t),
    issuer: t.string({
      required: true,
      description: `The URL of the OpenID provider: https without credentials, query and fragment, at most ${MAX_ISSUER_BYTES} bytes. Its configuration is discovered below this URL.`,
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
      description: `The scopes to request: at most ${MAX_LIST_ITEMS} of at most ${MAX_SCOPE_BYTES} bytes; default none.`,
    }),
  }),
});

export const oidc: ModuleType<Oidc> = {
  type: OidcModule,
  input: OidcModuleInput,
  about: "Requires a login with OpenID Connect; null means none.",
  kind: "Requires a login with OpenID Connect.",
};
