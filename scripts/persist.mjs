// Prints the manifest of persisted operations for the .graphql files of a folder and those below it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Usage: npm run --silent persist -- folder > operations.json");
  process.exit(1);
}
const documents = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".graphql"))
  .sort()
  .map((file) => readFileSync(path.join(folder, file), "utf8"));
const entries = documents.map((text) => [createHash("sha256").update(text).digest("hex"), text]);
console.log(JSON.stringify(Object.fromEntries(entries), null, 2));
