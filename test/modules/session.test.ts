import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sessionFields } from "../../src/domain/modules/session.js";
import { problems } from "./support.js";

const rule = z.strictObject(sessionFields);
const DEFAULTS = {
  optionsPassthrough: false,
  cookiePrefix: "ngrok.",
  inactivityTimeout: 0,
  maximumDuration: 0,
};

describe("session settings", () => {
  it("have the defaults of the specification", () => {
    expect(rule.parse({})).toEqual(DEFAULTS);
    expect(
      rule.parse({
        optionsPassthrough: null,
        cookiePrefix: "",
        inactivityTimeout: null,
        maximumDuration: 0,
      }),
    ).toEqual(DEFAULTS);
  });

  it("have durations that are whole numbers of 32 bits", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seconds) => {
        expect(rule.parse({ maximumDuration: seconds }).maximumDuration).toBe(seconds);
      }),
    );
    for (const seconds of [-1, 2 ** 32, 0.5, "1", true]) {
      expect(problems(rule, { inactivityTimeout: seconds, maximumDuration: seconds })).toEqual({
        inactivityTimeout: expect.any(String),
        maximumDuration: expect.any(String),
      });
    }
  });

  it("have a cookie prefix of letters, digits and dots", () => {
    for (const prefix of ["a b", "a-b", "a;b", "é", "a\n", "a".repeat(129)]) {
      expect(problems(rule, { cookiePrefix: prefix })).toHaveProperty("cookiePrefix");
    }
    expect(problems(rule, { cookiePrefix: "My.Edge2." })).toEqual({});
  });
});
