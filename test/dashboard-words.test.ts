import { describe, expect, it } from "vitest";
import { ENUMS, INPUTS } from "../dashboard/src/generated/inputs.js";
import { counted, words } from "../dashboard/src/words.js";

describe("names of the schema as words", () => {
  it.each([
    ["errorThresholdPercentage", "Error threshold percentage"],
    ["EXACT_PATH", "Exact path"],
    ["IDP_METADATA_URL", "IdP metadata URL"],
    ["clientId", "Client ID"],
    ["ids", "IDs"],
    ["numBuckets", "Number of buckets"],
    ["module_kind", "Module kind"],
    ["CREATED_AT", "Created at"],
    ["", ""],
  ])("writes %s as %s", (name, text) => expect(words(name)).toBe(text));

  it("writes every name of the schema without marks of programs, beginning with a large letter", () => {
    const names = [
      ...Object.values(INPUTS).flatMap(({ fields }) => fields.map(({ name }) => name)),
      ...Object.values(ENUMS).flatMap((values) => values.map(({ name }) => name)),
    ];
    expect(names.length).toBeGreaterThan(300);
    const wrong = [...new Set(names)].filter((name) => !/^[A-Z][A-Za-z0-9.' ]*$/.test(words(name)));
    expect(wrong).toEqual([]);
  });

  it("counts", () => {
    expect(counted(1, "IP policy", "IP policies")).toBe("1 IP policy");
    expect(counted(0, "IP policy", "IP policies")).toBe("0 IP policies");
    expect(counted(1234, "route")).toBe("1,234 routes");
  });
});
