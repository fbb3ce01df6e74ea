import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  WEBHOOK_PROVIDERS,
  webhookVerification,
} from "../../src/domain/modules/webhook-verification.js";
import { place, problems, stored } from "./support.js";

const { rule } = webhookVerification;

function publicKey(type: "ec" | "ed25519"): string {
  const { publicKey } =
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("ed25519");
  return publicKey.export({ format: "der", type: "spki" }).toString("base64");
}

describe("webhook verification", () => {
  it("knows 67 providers, each once", () => {
    expect(new Set(WEBHOOK_PROVIDERS).size).toBe(67);
    expect(WEBHOOK_PROVIDERS).toHaveLength(67);
  });

  it("takes every provider in any case, and shows it as given", async () => {
    for (const provider of WEBHOOK_PROVIDERS.map((name) => name.toUpperCase())) {
      const secret =
        provider === "SNS" ? "" : provider === "SENDGRID" ? publicKey("ec") : "correct horse";
      const given = { enabled: true, provider, secret };
      const { value } = await stored(webhookVerification, given);
      expect(value).toEqual(given);
      expect(rule.parse(value)).toEqual(value);
    }
  });

  it("seals the secret, and hides it from a key that may only read", async () => {
    const given = { provider: "github", secret: "correct horse" };
    const { document, value } = await stored(webhookVerification, given, place("read"));
    expect(document).not.toContain("correct horse");
    expect(value).toEqual({ enabled: true, provider: "github", secret: "" });
  });

  it("does not open a secret on another route", async () => {
    const { document } = await stored(webhookVerification, { provider: "slack", secret: "s" });
    const moved = webhookVerification.parse(JSON.parse(document));
    expect(() => webhookVerification.read(moved, place("write", "edghtsrt_2"))).toThrow();
  });

  it("refuses unknown providers, naming those it knows", () => {
    expect(problems(rule, { provider: "acme", secret: "s" })).toEqual({
      provider: expect.stringContaining("aftership, airship"),
    });
    expect(problems(rule, {})).toEqual({ provider: "is required" });
    expect(problems(rule, { provider: "constructor", secret: "" })).toHaveProperty("provider");
  });

  it("wants a secret from all but sns", () => {
    for (const secret of [undefined, null, ""]) {
      expect(problems(rule, { provider: "Stripe", secret })).toEqual({
        secret: "is required for stripe",
      });
      expect(problems(rule, { provider: "sns", secret })).toEqual({});
    }
    expect(problems(rule, { provider: "SNS", secret: "s" })).toEqual({
      secret: "must not be set for sns",
    });
    expect(problems(rule, { provider: "box", secret: "é".repeat(2049) })).toHaveProperty("secret");
  });

  it("wants sendgrid's public key, and says so beside other problems", () => {
    const key = publicKey("ec");
    for (const secret of ["s", "", publicKey("ed25519"), key.slice(4), `${key}\n`, `-${key}`]) {
      expect(problems(rule, { enabled: 1, provider: "SendGrid", secret })).toEqual({
        enabled: "must be true or false",
        secret: expect.any(String),
      });
    }
  });
});
