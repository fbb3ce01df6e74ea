import { describe, expect, it } from "vitest";
import { appliedHttpsEdge } from "../src/domain/apply/https-edges.js";
import { nestedHttpsEdgeInput } from "../src/domain/https-edges.js";

// Checking much lets other requests through meanwhile.

const ROUTES = 250;
const routes = Array.from({ length: ROUTES }, (_, index) => ({
  matchType: "path_prefix",
  match: `/${index}`,
  userAgentFilter: { allow: Array(20).fill("(?i)bot") },
}));

describe.each([
  ["of a new edge", nestedHttpsEdgeInput],
  ["of an edge as it is to be", appliedHttpsEdge],
])("the routes %s", (_, rule) => {
  it("are checked one after the other, with what else there is to do between them", async () => {
    let turns = 0;
    let isChecking = true;
    const count = () => {
      turns += 1;
      if (isChecking) setImmediate(count);
    };
    setImmediate(count);
    const found = await rule.safeParseAsync({ routes });
    isChecking = false;
    expect(found.success).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(ROUTES);
  });

  it("are all told that have problems, in order", async () => {
    const given = routes.map((route, index) =>
      index % 100 ? route : { ...route, matchType: "x" },
    );
    const { error } = await rule.safeParseAsync({ routes: given });
    expect(error?.issues.map(({ path }) => path)).toEqual(
      [0, 100, 200].map((index) => ["routes", index, "matchType"]),
    );
  });
});
