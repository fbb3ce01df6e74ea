import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
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
    // One more than there are processors, since some files wait for locks of processes that were killed.
    maxWorkers: availableParallelism() + 1,
    // Files of one worker share what they import, which would take a third of the time else.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
