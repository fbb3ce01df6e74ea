import { describe, expect, it } from "vitest";
import { oidc } from "../../src/domain/modules/oidc.js";
import { place, problems, stored } from "./support.js";

const { rule } = oidc;
const GIVEN = { issuer: "https://id.example.com/a", clientId: "id", clientSecret: "correct horse" };

describe("OIDC", () => {
  it("completes what is given, seals the secret and shows it to keys that may write", async () => {
    const { document, value } = await stored(oidc, GIVEN);
    expect(document).not.toContain("correct horse");
    expect(value).toEqual({
      enabled: true,
      optionsPassthrough: false,
      cookiePrefix: "ngrok.",
      inactivityTimeout: 0,
      maximumDuration: 0,
      ...GIVEN,
      scopes: [],
    });
    expect(rule.parse(value)).toEqual(value);
    expect((await stored(oidc, GIVEN, place("read"))).value).toEqual({
      ...value,
      clientSecret: "",
    });
  });

  it("requires issuer, client id and client secret", () => {
    for (const blank of [undefined, null, ""]) {
      const given = { issuer: blank, clientId: blank, clientSecret: blank };
      expect(Object.keys(problems(rule, given)).sort()).toEqual(Object.keys(given).sort());
      expect(problems(rule, { ...GIVEN, scopes: blank })).toEqual({});
    }
  });

  it("takes an https URL of at most 255 bytes as issuer, as given", () => {
    const good = [
      "https://a.example",
      "HTTPS://A.example/",
      "https://[::1]:8443/x",
      `https://a.example/${"x".repeat(237)}`,
    ];
    for (const issuer of good) {
      expect(rule.parse({ ...GIVEN, issuer }).issuer).toBe(issuer);
    }
    const bad = [
      ...["http://a.example", "https://", "https:/a", "a.example", "https://u:p@a.example"],
      ...["https://a.example?x", "https://a.example#x", " https://a.example", "https://a.exa mple"],
      ...["https://a.example\\x", "javascript:https://a", `https://a.example/${"x".repeat(238)}`],
    ];
    for (const issuer of bad) {
      expect(problems(rule, { ...GIVEN, issuer })).toHaveProperty("issuer");
    }
  });

  it("takes scopes one by one", () => {
    expect(problems(rule, { ...GIVEN, scopes: ["openid", "a b", "", '"'] })).toEqual({
      "scopes.1": expect.any(String),
      "scopes.2": expect.any(String),
      "scopes.3": expect.any(String),
    });
  });
});
