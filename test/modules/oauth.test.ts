import { describe, expect, it } from "vitest";
import { type OauthProviderName, oauth, oauthProviders } from "../../src/domain/modules/oauth.js";
import { place, problems, stored } from "./support.js";

const { rule } = oauth;

const NAMES = Object.keys(oauthProviders) as OauthProviderName[];
const NONE = Object.fromEntries(NAMES.map((name) => [name, null]));
const CLIENT = { clientId: "id", clientSecret: "correct horse" };
const LISTS = { scopes: [], emailAddresses: [], emailDomains: [] };
const GITHUB_LISTS = { ...LISTS, teams: [], organizations: [] };

describe("OAuth", () => {
  it("shows all eight providers in order, and the defaults", async () => {
    const { value } = await stored(oauth, { provider: { google: {} } });
    expect(value).toEqual({
      enabled: true,
      provider: { ...NONE, google: { clientId: "", clientSecret: "", ...LISTS } },
      optionsPassthrough: false,
      cookiePrefix: "ngrok.",
      inactivityTimeout: 0,
      maximumDuration: 0,
      authCheckInterval: 0,
    });
    expect(Object.keys(value.provider)).toEqual(
      "github facebook microsoft google linkedin gitlab twitch amazon".split(" "),
    );
  });

  it.each(NAMES)("keeps the client of %s sealed, and shows what was given", async (name) => {
    const lists = name === "github" ? GITHUB_LISTS : LISTS;
    const given = {
      enabled: false,
      provider: {
        ...NONE,
        [name]: { ...CLIENT, ...lists, scopes: ["a:b"], emailDomains: ["example.com"] },
      },
      optionsPassthrough: true,
      cookiePrefix: "a.",
      inactivityTimeout: 1,
      maximumDuration: 2,
      authCheckInterval: 4_294_967_295,
    };
    const { document, value } = await stored(oauth, given);
    expect(document).not.toContain("correct horse");
    expect(value).toEqual(given);
    expect(rule.parse(value)).toEqual(value);
    const { value: hidden } = await stored(oauth, given, place("read"));
    expect(hidden.provider[name]).toMatchObject({ clientId: "id", clientSecret: "" });
  });

  it("takes exactly one provider, null being none", () => {
    for (const provider of [{}, NONE, { google: "" }, { google: {}, github: {} }]) {
      expect(problems(rule, { provider })).toEqual({
        provider: expect.stringContaining("exactly one provider"),
      });
    }
    for (const provider of [undefined, null, 1, []]) {
      expect(problems(rule, { provider })).toHaveProperty("provider");
    }
    expect(problems(rule, { provider: { okta: {}, google: {} } })).toEqual({
      "provider.okta": expect.stringContaining("`amazon`"),
    });
  });

  it.each(["facebook", "amazon"])("wants a client of one's own for %s", (name) => {
    expect(problems(rule, { provider: { [name]: {} } })).toEqual({
      [`provider.${name}.clientId`]: expect.stringContaining("no managed application"),
      [`provider.${name}.clientSecret`]: expect.stringContaining("no managed application"),
    });
    expect(problems(rule, { provider: { [name]: CLIENT } })).toEqual({});
  });

  it("refuses half a client, and scopes without one", () => {
    expect(problems(rule, { provider: { gitlab: { clientId: "a", scopes: ["b"] } } })).toEqual({
      "provider.gitlab.clientSecret": "is required with `clientId`",
    });
    expect(problems(rule, { provider: { github: { clientSecret: "a", clientId: "" } } })).toEqual({
      "provider.github.clientId": "is required with `clientSecret`",
    });
    expect(problems(rule, { provider: { twitch: { scopes: ["b"], extra: 1 } } })).toEqual({
      "provider.twitch.scopes": "may only be set together with `clientId` and `clientSecret`",
      "provider.twitch.extra": expect.stringContaining("not a supported field"),
    });
  });

  it("checks addresses, domains, teams and organizations, all at once", () => {
    const good = {
      emailAddresses: ["a+b@example.com", "é@xn--p1ai.example"],
      emailDomains: ["example.com", "localhost"],
      teams: ["org/team-1", "1234"],
      organizations: ["org", "other_org"],
    };
    expect(problems(rule, { provider: { github: good } })).toEqual({});
    const bad = {
      emailAddresses: [
        "a",
        "@b.c",
        "a@",
        "a b@c.de",
        "a@b@c.de",
        "a@b..c",
        `${"a".repeat(65)}@b.c`,
        "A@b.c",
        "x@y.z",
        "x@y.z",
      ],
      emailDomains: ["", "@b.c", "Example.com", "a_b.c/d", "a.b", "a.b"],
      teams: ["a/b/c", "a/", "a", "a/b", "a/b", "a b/c"],
      organizations: ["", "a/b", "a", "a"],
    };
    const fields = Object.keys(problems(rule, { provider: { github: bad } })).map((path) =>
      path.replace("provider.github.", ""),
    );
    expect(fields.sort()).toEqual(
      [
        ...[0, 1, 2, 3, 4, 5, 6, 7, 9].map((index) => `emailAddresses.${index}`),
        ...[0, 1, 2, 3, 5].map((index) => `emailDomains.${index}`),
        ...[0, 1, 2, 4, 5].map((index) => `teams.${index}`),
        ...[0, 1, 3].map((index) => `organizations.${index}`),
      ].sort(),
    );
  });

  it("bounds its texts and lists", () => {
    const given = {
      clientId: "é".repeat(257),
      clientSecret: "x".repeat(4097),
      scopes: ["a b", "", "x".repeat(257)],
      emailDomains: Array.from({ length: 251 }, (_, index) => `d${index}.example`),
    };
    expect(Object.keys(problems(rule, { provider: { linkedin: given } })).sort()).toEqual(
      ["clientId", "clientSecret", "emailDomains", "scopes.0", "scopes.1", "scopes.2"].map(
        (field) => `provider.linkedin.${field}`,
      ),
    );
  });

  it("survives odd shapes", () => {
    for (const odd of [
      null,
      1,
      "a",
      [],
      [1],
      { google: 1 },
      { google: [] },
      { github: { scopes: 1 } },
    ]) {
      expect(problems(rule, { provider: odd })).not.toEqual({});
      expect(problems(rule, odd)).not.toEqual({});
    }
  });
});
