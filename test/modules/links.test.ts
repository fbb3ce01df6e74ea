import { describe, expect, it } from "vitest";
import { BACKENDS, newId } from "../../src/domain/core/ids.js";
import {
  backendSettings,
  ipRestrictionSettings,
  mutualTlsSettings,
} from "../../src/domain/modules/links.js";
import { problems } from "./support.js";

describe("modules that refer to other resources", () => {
  it("take a backend of any kind, which is required", () => {
    for (const kind of BACKENDS) {
      const backendId = newId(kind);
      expect(backendSettings.parse({ backendId })).toEqual({ enabled: true, backendId });
    }
    for (const backendId of [undefined, null, "", 1, newId("ipPolicy"), "bkdsc_"]) {
      expect(problems(backendSettings, { backendId })).toHaveProperty("backendId");
    }
  });

  it("take 1 to 100 IP policies, each once, in order", () => {
    const ids = Array.from({ length: 101 }, () => newId("ipPolicy"));
    const hundred = ids.slice(1).reverse();
    expect(ipRestrictionSettings.parse({ ipPolicyIds: hundred }).ipPolicyIds).toEqual(hundred);
    const [first] = ids;
    expect(problems(ipRestrictionSettings, { ipPolicyIds: [] })).toEqual({
      ipPolicyIds: "must have at least 1 item",
    });
    expect(problems(ipRestrictionSettings, { ipPolicyIds: ids })).toHaveProperty("ipPolicyIds");
    expect(
      problems(ipRestrictionSettings, { ipPolicyIds: [first, newId("tlsEdge"), first] }),
    ).toEqual({
      "ipPolicyIds.1": "is the id of a TLS edge, and must be an id of the kind IP policy (ipp_…)",
      "ipPolicyIds.2": "is given twice",
    });
    expect(problems(ipRestrictionSettings, {})).toEqual({ ipPolicyIds: "is required" });
  });

  it("take 1 to 10 certificate authorities, each once, in order", () => {
    const ids = Array.from({ length: 11 }, () => newId("certificateAuthority"));
    const ten = ids.slice(1).reverse();
    expect(mutualTlsSettings.parse({ certificateAuthorityIds: ten })).toEqual({
      enabled: true,
      certificateAuthorityIds: ten,
    });
    for (const certificateAuthorityIds of [[], ids, null]) {
      expect(problems(mutualTlsSettings, { certificateAuthorityIds })).toHaveProperty(
        "certificateAuthorityIds",
      );
    }
  });
});
