import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RESOURCES } from "../src/domain/core/ids.js";
import { resources } from "./harness/resources.js";

// A resource has one name, kebab-case and plural, so that a listing by that name is all of it.

const FOLDERS = ["src/domain", "src/domain/lists/filters", "src/schema", "src/rest", "test"];

/** `httpsEdge` of which there are `HTTPS edges` becomes `https-edges`. */
function fileNameOf(plural: string): string {
  return plural.toLowerCase().replaceAll(" ", "-").replace("addresses", "addrs");
}

describe("each kind of resource", () => {
  it.each(Object.values(RESOURCES).map(({ plural }) => fileNameOf(plural)))(
    "has a file of its name in every room of resources: %s",
    (name) => {
      const missing = FOLDERS.map((folder) =>
        folder === "test" ? `${folder}/${name}.test.ts` : `${folder}/${name}.ts`,
      ).filter((file) => !existsSync(file));
      expect(missing).toEqual([]);
    },
  );

  it("is driven by the harness, but for routes, which have paths of their own", () => {
    const driven = resources.map(({ one }) => one);
    expect([...driven, "httpsEdgeRoute"].sort()).toEqual(Object.keys(RESOURCES).sort());
  });
});
