import { readFileSync } from "node:fs";

const PACKAGE = new URL("../../package.json", import.meta.url);

/** The version of Edgeplane, as in its package. */
export function versionOfPackage(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(PACKAGE, "utf8"));
  return version;
}
