// @ts-check
import { readFileSync } from "node:fs";

/**
 * The text of a file in the folder `files`. The certificates there are valid until 2125, and nobody has their
 * private keys.
 * @param {string} name
 */
export function file(name) {
  return readFileSync(new URL(`files/${name}`, import.meta.url), "utf8");
}
