// @ts-check
// Part of npm run build: copies what the generated client loads of @prisma/client into dist, with its licence.
// The package has query compilers for every kind of database, 72 MB, so an installed Edgeplane does without it.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const GENERATED = "dist/database/generated";
const COPIES = "dist/database/prisma-client";
const BASE64 = ".wasm-base64.mjs";

mkdirSync(COPIES, { recursive: true });
for (const file of readdirSync(GENERATED, { encoding: "utf8", recursive: true })) {
  if (file.endsWith(".js")) await bundleImportsOf(path.join(GENERATED, file));
}
copyFileSync(packaged("@prisma/client/LICENSE"), path.join(COPIES, "LICENSE"));

/** @param {string} file */
async function bundleImportsOf(file) {
  let text = readFileSync(file, "utf8");
  const imported = text.match(/(?<=\b(?:from |import\()")@prisma\/client\/runtime\/[\w./-]+(?=")/g);
  if (imported === null) return;
  const folder = path.relative(path.dirname(file), COPIES);
  for (const specifier of new Set(imported)) {
    text = text.replaceAll(`"${specifier}"`, `"${folder}/${await copied(specifier)}"`);
  }
  writeFileSync(file, text);
}

/**
 * Copies the file that `specifier` means here, and returns the name of the copy.
 * @param {string} specifier
 */
async function copied(specifier) {
  const file = packaged(specifier);
  // In its own package, which is no ES module, a file with this ending is CommonJS.
  const name = path.basename(file).replace(/\.js$/, ".cjs");
  if (name.endsWith(BASE64)) await writeBinary(specifier, name);
  else copyFileSync(file, path.join(COPIES, name));
  return name;
}

/**
 * As a text in a module, WebAssembly would stay in memory twice, as long as the process lives. The generated client
 * makes a buffer of what the module exports, which a buffer may be as well.
 * @param {string} specifier
 * @param {string} name
 */
async function writeBinary(specifier, name) {
  const { wasm } = await import(specifier);
  const binary = name.replace(BASE64, ".wasm");
  writeFileSync(path.join(COPIES, binary), Buffer.from(wasm, "base64"));
  writeFileSync(
    path.join(COPIES, name),
    `import { readFileSync } from "node:fs";
export const wasm = readFileSync(new URL("${binary}", import.meta.url));
`,
  );
}

/** @param {string} specifier */
function packaged(specifier) {
  return fileURLToPath(import.meta.resolve(specifier));
}
