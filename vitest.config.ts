import { createRequire } from "node:module";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    // Otherwise the tests import a second copy of graphql, whose classes are not the server's.
    alias: { graphql: createRequire(import.meta.url).resolve("graphql") },
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/long/**"],
    globalSetup: "test/harness/cluster.ts",
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
