import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CertificateManagementPolicy,
  certificateManagementPolicy,
  certificateManagementPolicyChange,
  changedCertificateManagementPolicy,
} from "../src/domain/formats/certificate-management.js";
import { problems } from "./modules/support.js";

const DEFAULTS = { authority: "letsencrypt", privateKeyType: "rsa" } as const;

const unset = fc.constantFrom(undefined, null, "" as const);
const authority = fc.oneof(unset, fc.constant("letsencrypt" as const));
const privateKeyType = fc.oneof(unset, fc.constantFrom("rsa" as const, "ecdsa" as const));
const given = fc.record({ authority, privateKeyType }, { requiredKeys: [] });
const policy: fc.Arbitrary<CertificateManagementPolicy> = fc.record({
  authority: fc.constant("letsencrypt" as const),
  privateKeyType: fc.constantFrom("rsa" as const, "ecdsa" as const),
});

describe("a certificate management policy", () => {
  it("has defaults for what is absent, null or empty", () => {
    fc.assert(
      fc.property(given, (input) => {
        expect(certificateManagementPolicy.parse(input)).toEqual({
          authority: input.authority || DEFAULTS.authority,
          privateKeyType: input.privateKeyType || DEFAULTS.privateKeyType,
        });
      }),
    );
  });

  it("has one authority and two types of keys, and every problem is told", () => {
    for (const rule of [certificateManagementPolicy, certificateManagementPolicyChange]) {
      expect(problems(rule, { authority: "other", privateKeyType: "RSA", other: 1 })).toEqual({
        authority: 'must be "letsencrypt"',
        privateKeyType: 'must be one of "rsa", "ecdsa"',
        other: expect.stringContaining("is not a supported field"),
      });
    }
  });

  it("changes in the members that are given, and in no other", () => {
    fc.assert(
      fc.property(fc.option(policy), given, (current, input) => {
        const change = certificateManagementPolicyChange.parse(input);
        const changed = changedCertificateManagementPolicy(current, change);
        const before = current ?? DEFAULTS;
        const isEmpty = !input.authority && !input.privateKeyType;
        const expected = {
          authority: input.authority || before.authority,
          privateKeyType: input.privateKeyType || before.privateKeyType,
        };
        expect(changed).toEqual(isEmpty ? undefined : expected);
      }),
    );
  });

  it("is left by an absent change and ended by null", () => {
    fc.assert(
      fc.property(fc.option(policy), (current) => {
        expect(changedCertificateManagementPolicy(current, undefined)).toBeUndefined();
        expect(changedCertificateManagementPolicy(current, null)).toBeNull();
      }),
    );
  });
});
