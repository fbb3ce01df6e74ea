// @ts-check
// The last step of npm run build: copies what the generated client loads of @prisma/client into dist, with its licence.
// The package has query compilers for every kind of database, 72 MB, so an installed Edgeplane does without it.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const GENERATED = "dist/database/generated";
const COPIES = "dist/database/prisma-client";

mkdirSync(COPIES, { recursive: true });
for (const file of readdirSync(GENERATED, { encoding: "utf8", recursive: true })) {
  if (file.endsWith(".js")) bundleImportsOf(path.join(GENERATED, file));
}
copyFileSync(packaged("@prisma/client/LICENSE"), path.join(COPIES, "LICENSE"));

/** @param {string} file */
function bundleImportsOf(file) {
  const text = readFileSync(file, "utf8");
  const folder = path.relative(path.dirname(file), COPIES);
  const bundled = text.replace(
    /(\b(?:from|import\()\s*)"(@prisma\/client\/runtime\/[\w./-]+)"/g,
    (_, keyword, specifier) => `${keyword}"${folder}/${copied(specifier)}"`,
  );
  if (bundled !== text) writeFileSync(file, bundled);
}

/**
 * Copies the file that `specifier` means here, and returns the name of the copy.
 * @param {string} specifier
 */
function copied(specifier) {
  const file = packaged(specifier);
  // In its own package, which is no ES module, a file with this ending is CommonJS.
  const name = path.basename(file).replace(/\.js$/, ".cjs");
  copyFileSync(file, path.join(COPIES, name));
  return name;
}

/** @param {string} specifier */
function packaged(specifier) {
  return fileURLToPath(import.meta.resolve(specifier));
}
