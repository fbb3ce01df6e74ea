import { defineConfig } from "vitest/config";
import ordinary from "./vitest.config.js";

/** What takes minutes: run by `.ci/run`, one file after another, since each loads the machine by itself. */
export default defineConfig({
  ...ordinary,
  test: {
    ...ordinary.test,
    include: ["test/long/**/*.test.ts"],
    exclude: [],
    fileParallelism: false,
  },
});
