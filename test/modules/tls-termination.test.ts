import { describe, expect, it } from "vitest";
import { tlsTermination, tlsTerminationAtEdge } from "../../src/domain/modules/tls-termination.js";
import { problems, stored } from "./support.js";

describe("TLS termination of an HTTPS edge", () => {
  const { rule } = tlsTerminationAtEdge;

  it("is always shown at the edge", async () => {
    for (const [minVersion, shown] of [
      [undefined, null],
      [null, null],
      ["", null],
      ["1.0", "1.0"],
      ["1.3", "1.3"],
    ]) {
      const { value } = await stored(tlsTerminationAtEdge, { minVersion });
      expect(value).toEqual({ enabled: true, terminateAt: "edge", minVersion: shown });
      expect(Object.keys(value)).toEqual(["enabled", "terminateAt", "minVersion"]);
    }
  });

  it("does not take a place to terminate", () => {
    for (const terminateAt of ["edge", "upstream", null]) {
      expect(problems(rule, { terminateAt, minVersion: "1.4" })).toEqual({
        terminateAt: "cannot be set on an HTTPS edge, which always terminates TLS itself",
        minVersion: 'must be one of "1.0", "1.1", "1.2", "1.3"',
      });
    }
    expect(problems(rule, { terminateAt: "edge", other: 1 })).toEqual({
      terminateAt: expect.stringContaining("supported are `enabled`, `minVersion`"),
      other: expect.stringContaining("supported are `enabled`, `minVersion`"),
    });
  });
});

describe("TLS termination of a TLS edge", () => {
  const { rule } = tlsTermination;

  it("is at the edge when unspecified", () => {
    for (const blank of [undefined, null, ""]) {
      expect(rule.parse({ enabled: blank, terminateAt: blank, minVersion: blank })).toEqual({
        enabled: true,
        terminateAt: "edge",
        minVersion: null,
      });
    }
  });

  it("comes back as given", async () => {
    for (const given of [
      { enabled: false, terminateAt: "edge", minVersion: "1.2" },
      { enabled: true, terminateAt: "upstream", minVersion: null },
    ]) {
      const { value } = await stored(tlsTermination, given);
      expect(value).toEqual(given);
      expect(rule.parse(value)).toEqual(value);
    }
  });

  it("has no minimum version where the upstream terminates", () => {
    expect(problems(rule, { enabled: 1, terminateAt: "upstream", minVersion: "1.2" })).toEqual({
      enabled: "must be true or false",
      minVersion: 'must be null when `terminateAt` is "upstream"',
    });
  });

  it("refuses other places and versions", () => {
    expect(problems(rule, { terminateAt: "agent", minVersion: "2" })).toEqual({
      terminateAt: 'must be one of "edge", "upstream"',
      minVersion: expect.any(String),
    });
    for (const odd of [null, 1, []]) expect(problems(rule, odd)).not.toEqual({});
  });
});
