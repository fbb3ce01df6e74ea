import { z } from "zod";
import { ALWAYS, list, orNull, uint32, uniqueList, withDefault } from "../core/fields.js";
import { isDnsName } from "../formats/networks.js";
import { enabled } from "./enabled.js";
import { type DocumentModule, openSecret, type Place, sealSecret } from "./module.js";
import { clientId, clientSecret, scope } from "./oauth-client.js";
import { sessionFields, storedSessionFields } from "./session.js";

const CLIENT_SECRET = "oauth.clientSecret";

/** Characters (RFC 5321, section 4.5.3.1). */
const MAX_ADDRESS_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;

const LOCAL = /^[^\s\p{Cc}\p{Cs}"(),:;<>@[\]\\]+$/u;
const ORGANIZATION = /^[A-Za-z0-9_.-]{1,100}$/;
const TEAM = /^[A-Za-z0-9_.-]{1,100}\/[A-Za-z0-9_.-]{1,100}$/;
const TEAM_NUMBER = /^[0-9]{1,20}$/;

const LOWER_CASE = "must be in lower case";

const emailAddress = z
  .string()
  .refine(isEmailAddress, "must be an email address, such as jo@example.com")
  .refine(isLowerCase, LOWER_CASE);

const emailDomain = z
  .string()
  .refine(isDnsName, "must be the domain of email addresses, such as example.com")
  .refine(isLowerCase, LOWER_CASE);

function isEmailAddress(value: string): boolean {
  const at = value.lastIndexOf("@");
  const local = value.slice(0, Math.max(at, 0));
  return (
    value.length <= MAX_ADDRESS_LENGTH &&
    local.length <= MAX_LOCAL_LENGTH &&
    LOCAL.test(local) &&
    isDnsName(value.slice(at + 1))
  );
}

function isLowerCase(value: string): boolean {
  return value === value.toLowerCase();
}

const clientFields = {
  clientId: withDefault(clientId, ""),
  clientSecret: withDefault(clientSecret, ""),
  scopes: withDefault(list(scope), []),
  emailAddresses: withDefault(uniqueList(emailAddress), []),
  emailDomains: withDefault(uniqueList(emailDomain), []),
};

const githubFields = {
  ...clientFields,
  teams: withDefault(
    uniqueList(
      z
        .string()
        .refine(
          (value) => TEAM.test(value) || TEAM_NUMBER.test(value),
          "must be a team as organization/team, or the number of a team",
        ),
    ),
    [],
  ),
  organizations: withDefault(
    uniqueList(
      z
        .string()
        .refine((value) => ORGANIZATION.test(value), "must be the short name of an organization"),
    ),
    [],
  ),
};

type ClientFields = { [Field in keyof typeof clientFields]?: unknown };

/** Refuses half of a client, and scopes without one (specification, EndpointOAuthProvider). */
function checkClient(client: ClientFields, ctx: z.core.$RefinementCtx): void {
  const refuse = (field: keyof ClientFields, message: string) =>
    ctx.addIssue({ code: "custom", message, path: [field] });
  if (client?.clientId === "" && isGiven(client.clientSecret)) {
    refuse("clientId", "is required with `clientSecret`");
  }
  if (client?.clientSecret === "" && isGiven(client.clientId)) {
    refuse("clientSecret", "is required with `clientId`");
  }
  if (
    client?.clientId === "" &&
    client.clientSecret === "" &&
    Array.isArray(client.scopes) &&
    client.scopes.length > 0
  ) {
    refuse("scopes", "may only be set together with `clientId` and `clientSecret`");
  }
}

function isGiven(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Where no managed application exists, a client of one's own is required. */
function requireClient(client: ClientFields, ctx: z.core.$RefinementCtx): void {
  if (client?.clientId !== "" || client.clientSecret !== "") return;
  for (const field of ["clientId", "clientSecret"]) {
    const message = "is required, since this provider has no managed application";
    ctx.addIssue({ code: "custom", message, path: [field] });
  }
}

const managed = () => z.strictObject(clientFields).superRefine(checkClient, ALWAYS);
const unmanaged = () => managed().superRefine(requireClient, ALWAYS);

/**
 * The inputs of each identity provider, in the order of the specification. Without its own client, a route uses the
 * managed application, which facebook and amazon do not have; `clientId` and `clientSecret` are given both or neither,
 * and `scopes` only with them. Lists have at most 250 items; addresses and domains are unique and in lower case.
 */
export const oauthProviders = {
  github: z.strictObject(githubFields).superRefine(checkClient, ALWAYS),
  facebook: unmanaged(),
  microsoft: managed(),
  google: managed(),
  linkedin: managed(),
  gitlab: managed(),
  twitch: managed(),
  amazon: unmanaged(),
} as const;

export type OauthProviderName = keyof typeof oauthProviders;

/** The rule of the `provider` field: exactly one provider; all eight keys are there, unused ones null. */
const oauthProvider = z
  .strictObject({
    github: orNull(oauthProviders.github),
    facebook: orNull(oauthProviders.facebook),
    microsoft: orNull(oauthProviders.microsoft),
    google: orNull(oauthProviders.google),
    linkedin: orNull(oauthProviders.linkedin),
    gitlab: orNull(oauthProviders.gitlab),
    twitch: orNull(oauthProviders.twitch),
    amazon: orNull(oauthProviders.amazon),
  })
  .superRefine((provider, ctx) => {
    if (typeof provider !== "object" || provider === null) return;
    const given = Object.values(provider).filter((client) => client !== null);
    if (given.length !== 1) {
      ctx.addIssue(`must have exactly one provider, and has ${given.length}`);
    }
  }, ALWAYS);

const rule = z.strictObject({
  enabled,
  provider: oauthProvider,
  ...sessionFields,
  authCheckInterval: withDefault(uint32, 0),
});

export type Oauth = z.output<typeof rule>;
export type OauthProvider = Oauth["provider"];
export type OauthClient = z.output<(typeof oauthProviders)["google"]>;
export type GithubOauthClient = z.output<(typeof oauthProviders)["github"]>;

const storedClient = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  scopes: z.array(z.string()),
  emailAddresses: z.array(z.string()),
  emailDomains: z.array(z.string()),
});

const storedGithubClient = storedClient.extend({
  teams: z.array(z.string()),
  organizations: z.array(z.string()),
});

const document = z.object({
  enabled: z.boolean(),
  provider: z.object({
    github: storedGithubClient.nullable(),
    facebook: storedClient.nullable(),
    microsoft: storedClient.nullable(),
    google: storedClient.nullable(),
    linkedin: storedClient.nullable(),
    gitlab: storedClient.nullable(),
    twitch: storedClient.nullable(),
    amazon: storedClient.nullable(),
  }),
  ...storedSessionFields,
  authCheckInterval: z.number(),
});

type SecretChange = (place: Place, field: string, secret: string) => string;

function withSecrets(module: Oauth, place: Place, change: SecretChange): Oauth {
  const changed = <Client extends OauthClient>(client: Client | null): Client | null =>
    client && { ...client, clientSecret: change(place, CLIENT_SECRET, client.clientSecret) };
  const { github, facebook, microsoft, google, linkedin, gitlab, twitch, amazon } = module.provider;
  const provider = {
    github: changed(github),
    facebook: changed(facebook),
    microsoft: changed(microsoft),
    google: changed(google),
    linkedin: changed(linkedin),
    gitlab: changed(gitlab),
    twitch: changed(twitch),
    amazon: changed(amazon),
  };
  return { ...module, provider };
}

/**
 * Allows only users who log in with an identity provider (specification, EndpointOAuth). Durations are seconds, 0 by
 * default. `clientSecret` is sealed, and "" for a read-only key; it and `clientId` are "" while the managed application
 * is used.
 */
export const oauth: DocumentModule<Oauth, Oauth, Oauth> = {
  rule,
  store: (module, place) => ({ stored: withSecrets(module, place, sealSecret), value: module }),
  parse: (column) => document.parse(column),
  read: (stored, place) => withSecrets(stored, place, openSecret),
  sealed: Object.keys(oauthProviders).map((name) => ["provider", name, "clientSecret"]),
};
