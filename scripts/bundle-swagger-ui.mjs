// @ts-check
// Part of npm run build: copies what the API reference loads of swagger-ui-dist into dist, with its licences. The package
// has 12 MB, and depends on one that counts installations, so an installed Edgeplane does without it.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = path.dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist")));
const COPIES = "dist/swagger-ui";
const SOURCE_MAP = /\s*\/[*/]# sourceMappingURL=\S+\.map(?:\s*\*\/)?\s*$/;

mkdirSync(COPIES, { recursive: true });
for (const file of ["swagger-ui-bundle.js", "swagger-ui.css"]) {
  const text = readFileSync(path.join(PACKAGE, file), "utf8");
  writeFileSync(path.join(COPIES, file), `${text.replace(SOURCE_MAP, "")}\n`);
}
for (const file of ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"]) {
  copyFileSync(path.join(PACKAGE, file), path.join(COPIES, file));
}
