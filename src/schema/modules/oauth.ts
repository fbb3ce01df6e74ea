import { MAX_LIST_ITEMS } from "../../domain/core/fields.js";
import type {
  GithubOauthClient,
  Oauth,
  OauthClient,
  OauthProvider,
} from "../../domain/modules/oauth.js";
import {
  MAX_CLIENT_ID_BYTES,
  MAX_CLIENT_SECRET_BYTES,
  MAX_SCOPE_BYTES,
} from "../../domain/modules/oauth-client.js";
import { builder } from "../builder/builder.js";
import type { InputFields } from "../builder/inputs.js";
import { secretField } from "../reads/field-reads.js";
import { enabledInput, Module, type ModuleType } from "./module.js";
import { Session, sessionInputs } from "./session.js";

const OauthClientInterface = builder.interfaceRef<OauthClient>("OauthClient").implement({
  description:
    "The users of an identity provider who are allowed, and the application for their login.",
  fields: (t) => ({
    clientId: t.exposeString("clientId", {
      description: "The id of your application; empty while the managed application is used.",
    }),
    clientSecret: t.exposeString("clientSecret", {
      ...secretField,
      description:
        "The secret of your application; empty while the managed application is used, and empty for a read-only API key.",
    }),
    scopes: t.exposeStringList("scopes", {
      description: "The scopes to request in addition to those of the login.",
    }),
    emailAddresses: t.exposeStringList("emailAddresses", {
      description: "The email addresses of the users who are allowed.",
    }),
    emailDomains: t.exposeStringList("emailDomains", {
      description: "The email domains whose users are allowed.",
    }),
  }),
});

function clientInputs(t: InputFields) {
  return {
    clientId: t.string({
      description: `The id of your own application, at most ${MAX_CLIENT_ID_BYTES} bytes; give it together with \`clientSecret\`. Default: the managed application, if the provider has one.`,
    }),
    clientSecret: t.string({
      description: `The secret of your own application, at most ${MAX_CLIENT_SECRET_BYTES} bytes; give it together with \`clientId\`. Default none.`,
    }),
    scopes: t.stringList({
      description: `The scopes to request, only with your own application: at most ${MAX_LIST_ITEMS} of at most ${MAX_SCOPE_BYTES} bytes; default none.`,
    }),
    emailAddresses: t.stringList({
      description: `The email addresses of the users who are allowed: at most ${MAX_LIST_ITEMS}, each once, in lower case; default none.`,
    }),
    emailDomains: t.stringList({
      description: `The email domains whose users are allowed, such as \`example.com\`: at most ${MAX_LIST_ITEMS}, each once, in lower case; default none.`,
    }),
  };
}

const WITHOUT_MANAGED_APPLICATION =
  " There is no managed application, so `clientId` and `clientSecret` are required.";

function clientType(name: string, provider: string) {
  return builder.objectRef<OauthClient>(name).implement({
    description: `Login with ${provider}.`,
    interfaces: [OauthClientInterface],
  });
}

function clientInput(name: string, provider: string, exception = "") {
  return builder.inputType(name, {
    description: `Login with ${provider}.${exception}`,
    fields: clientInputs,
  });
}

const GithubOauth = builder.objectRef<GithubOauthClient>("GithubOauth").implement({
  description: "Login with GitHub.",
  interfaces: [OauthClientInterface],
  fields: (t) => ({
    teams: t.exposeStringList("teams", {
      description:
        "The teams whose members are allowed, each as `organization/team` or as a number.",
    }),
    organizations: t.exposeStringList("organizations", {
      description: "The short names of the organizations whose members are allowed.",
    }),
  }),
});

const GithubOauthInput = builder.inputType("GithubOauthInput", {
  description: "Login with GitHub.",
  fields: (t) => ({
    ...clientInputs(t),
    teams: t.stringList({
      description: `The teams whose members are allowed, each as \`organization/team\` or as a number: at most ${MAX_LIST_ITEMS}, each once; default none.`,
    }),
    organizations: t.stringList({
      description: `The short names of the organizations whose members are allowed: at most ${MAX_LIST_ITEMS}, each once; default none.`,
    }),
  }),
});

const OauthProviderType = builder.objectRef<OauthProvider>("OauthProvider").implement({
  description: "The identity provider: exactly one field is not null.",
  fields: (t) => ({
    github: t.expose("github", {
      type: GithubOauth,
      nullable: true,
      description: "GitHub.",
    }),
    facebook: t.expose("facebook", {
      type: clientType("FacebookOauth", "Facebook"),
      nullable: true,
      description: "Facebook.",
    }),
    microsoft: t.expose("microsoft", {
      type: clientType("MicrosoftOauth", "Microsoft"),
      nullable: true,
      description: "Microsoft.",
    }),
    google: t.expose("google", {
      type: clientType("GoogleOauth", "Google"),
      nullable: true,
      description: "Google.",
    }),
    linkedin: t.expose("linkedin", {
      type: clientType("LinkedinOauth", "LinkedIn"),
      nullable: true,
      description: "LinkedIn.",
    }),
    gitlab: t.expose("gitlab", {
      type: clientType("GitlabOauth", "GitLab"),
      nullable: true,
      description: "GitLab.",
    }),
    twitch: t.expose("twitch", {
      type: clientType("TwitchOauth", "Twitch"),
      nullable: true,
      description: "Twitch.",
    }),
    amazon: t.expose("amazon", {
      type: clientType("AmazonOauth", "Amazon"),
      nullable: true,
      description: "Amazon.",
    }),
  }),
});

const OauthProviderInput = builder.inputType("OauthProviderInput", {
  description: "The identity provider. Give exactly one field.",
  isOneOf: true,
  fields: (t) => ({
    github: t.field({ type: GithubOauthInput, description: "GitHub." }),
    facebook: t.field({
      type: clientInput("FacebookOauthInput", "Facebook", WITHOUT_MANAGED_APPLICATION),
      description: "Facebook.",
    }),
    microsoft: t.field({
      type: clientInput("MicrosoftOauthInput", "Microsoft"),
      description: "Microsoft.",
    }),
    google: t.field({
      type: clientInput("GoogleOauthInput", "Google"),
      description: "Google.",
    }),
    linkedin: t.field({
      type: clientInput("LinkedinOauthInput", "LinkedIn"),
      description: "LinkedIn.",
    }),
    gitlab: t.field({
      type: clientInput("GitlabOauthInput", "GitLab"),
      description: "GitLab.",
    }),
    twitch: t.field({
      type: clientInput("TwitchOauthInput", "Twitch"),
      description: "Twitch.",
    }),
    amazon: t.field({
      type: clientInput("AmazonOauthInput", "Amazon", WITHOUT_MANAGED_APPLICATION),
      description: "Amazon.",
    }),
  }),
});

const OauthModule = builder.objectRef<Oauth>("OauthModule").implement({
  description: "Allows only users who log in with an identity provider.",
  interfaces: [Module, Session],
  fields: (t) => ({
    provider: t.expose("provider", {
      type: OauthProviderType,
      description: "The identity provider and the users who are allowed.",
    }),
    authCheckInterval: t.expose("authCheckInterval", {
      type: "UInt32",
      description:
        "The number of seconds after which the identity provider is asked again whether a user is allowed; 0 means never during a session.",
    }),
  }),
});

const OauthModuleInput = builder.inputType("OauthModuleInput", {
  description:
    "Allows only users who log in with an identity provider. A route can have at most one of `oauth`, `saml` and `oidc` enabled.",
  fields: (t) => ({
    enabled: enabledInput(t),
    provider: t.field({
      type: OauthProviderInput,
      required: true,
      description: "The identity provider and the users who are allowed.",
    }),
    ...sessionInputs(t),
    authCheckInterval: t.field({
      type: "UInt32",
      description:
        "The number of seconds after which the identity provider is asked again whether a user is allowed. Default 0, which means never during a session.",
    }),
  }),
});

export const oauth: ModuleType<Oauth> = {
  type: OauthModule,
  input: OauthModuleInput,
  about: "Requires a login with OAuth; null means none.",
  kind: "Requires a login with OAuth.",
};
