// @ts-check
// Part of npm run build: makes one file of what is used of OpenTelemetry, with the licence, which all of its packages
// share. The packages have 28 MB, most of which nobody loads, so an installed Edgeplane does without them.
import { copyFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const API = path.join(
  path.dirname(fileURLToPath(import.meta.resolve("@opentelemetry/api"))),
  "../..",
);

await build({
  input: "src/telemetry/opentelemetry.ts",
  platform: "node",
  logLevel: "warn",
  output: { file: "dist/telemetry/opentelemetry.js", format: "esm", codeSplitting: false },
});
copyFileSync(path.join(API, "LICENSE"), "dist/telemetry/opentelemetry.LICENSE");
