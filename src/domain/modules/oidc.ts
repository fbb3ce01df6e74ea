import { z } from "zod";
import { list, requiredText, withDefault } from "../core/fields.js";
import { readWebUrl } from "../formats/web-urls.js";
import { enabled } from "./enabled.js";
import { type DocumentModule, openSecret, sealSecret } from "./module.js";
import { clientId, clientSecret, scope } from "./oauth-client.js";
import { sessionFields, storedSessionFields } from "./session.js";

export const MAX_ISSUER_BYTES = 255;
const CLIENT_SECRET = "oidc.clientSecret";

const issuer = requiredText(MAX_ISSUER_BYTES).refine(
  isIssuer,
  "must be an https URL without credentials, query and fragment",
);

function isIssuer(value: string): boolean {
  const url = readWebUrl(value);
  if (url?.protocol !== "https:" || /[?#]/.test(value)) return false;
  return url.username === "" && url.password === "";
}

const rule = z.strictObject({
  enabled,
  ...sessionFields,
  issuer,
  clientId: clientId.refine((value) => value !== "", "must not be empty"),
  clientSecret: clientSecret.refine((value) => value !== "", "must not be empty"),
  scopes: withDefault(list(scope), []),
});

export type Oidc = z.output<typeof rule>;

const document = z.object({
  enabled: z.boolean(),
  ...storedSessionFields,
  issuer: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  scopes: z.array(z.string()),
});

/**
 * Allows only users who log in with an OpenID provider (specification, EndpointOIDC). `issuer` is an https URL of at
 * most 255 bytes; `issuer`, `clientId` and `clientSecret` are required. The secret is sealed, and "" for a read-only
 * key. Durations are seconds.
 */
export const oidc: DocumentModule<Oidc, Oidc, Oidc> = {
  rule,
  store: (module, place) => ({
    stored: { ...module, clientSecret: sealSecret(place, CLIENT_SECRET, module.clientSecret) },
    value: module,
  }),
  parse: (column) => document.parse(column),
  read: (stored, place) => ({
    ...stored,
    clientSecret: openSecret(place, CLIENT_SECRET, stored.clientSecret),
  }),
  sealed: [["clientSecret"]],
};
