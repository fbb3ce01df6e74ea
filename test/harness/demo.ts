import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestServer } from "./server.js";

const DEMO = fileURLToPath(new URL("../../scripts/demo.mjs", import.meta.url));

/** Fills the server with the data of `npm run demo`. */
export async function fillWithDemo(server: TestServer): Promise<void> {
  const { PATH = "" } = process.env;
  await promisify(execFile)(process.execPath, [DEMO], {
    env: { PATH, EDGEPLANE_URL: server.url, API_KEY: server.writeKey },
  });
}
