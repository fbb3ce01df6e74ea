import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateRestClient } from "../scripts/generate-rest-client.mjs";
import { startServer, type TestServer } from "./harness/server.js";
import { rest } from "./harness/transports.js";

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL("../examples/rest-client", import.meta.url));
const TSC = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

describe("the REST client of the examples", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it("is made from the committed document (npm run openapi)", async () => {
    expect(readFileSync(`${EXAMPLE}/generated.ts`, "utf8")).toBe(await generateRestClient());
  });

  it("compiles with its own settings, publishes a service, and takes it down again", async () => {
    // With its own, more than two pages.
    const hosts = Array.from({ length: 41 }, (_, index) => `${index}.example.com:443`);
    for (const host of hosts) await rest(server, "POST", "/edges/https", { hostports: [host] });

    await run(process.execPath, [TSC, "-p", EXAMPLE]);
    const { PATH = "" } = process.env;
    const main = (API_KEY: string) =>
      run(process.execPath, [`${EXAMPLE}/dist/main.js`], {
        env: { PATH, EDGEPLANE_URL: server.url, API_KEY },
      });
    const lines = (await main(server.writeKey)).stdout.trimEnd().split("\n");
    expect(lines.slice(0, 42)).toEqual([
      "intranet.example.com:443: 1 routes",
      ...hosts.toReversed().map((host) => `${host}: 0 routes`),
    ]);
    expect(lines.slice(42)).toEqual([
      'It is now described as "Intranet, for the offices".',
      expect.stringMatching(/^The policy stays: .*edghtsrt_\w+/),
      "The policy is deleted.",
    ]);
    for (const [list, key, left] of [
      ["/edges/https", "https_edges", 41],
      ["/backends/static", "backends", 0],
      ["/ip_policies", "ip_policies", 0],
      ["/ip_policy_rules", "ip_policy_rules", 0],
    ] as const) {
      const { body } = await rest(server, "GET", list);
      expect([list, body[key].length]).toEqual([list, left]);
    }

    await expect(main("wrong-key-0123456789")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^ERR_UNAUTHENTICATED: This needs a valid API key/),
    });
    await expect(main(server.readKey)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^ERR_FORBIDDEN: /),
    });
  });

  it("types what is sent, what comes back, and what is refused", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "edgeplane-rest-client-"));
    try {
      await writeFile(path.join(folder, "check.mts"), CHECKS);
      const settings = { extends: `${EXAMPLE}/tsconfig.json`, files: ["check.mts"], include: [] };
      const compilerOptions = { noEmit: true, rootDir: "/", typeRoots: [TYPES] };
      await writeFile(
        path.join(folder, "tsconfig.json"),
        JSON.stringify({ ...settings, compilerOptions }),
      );
      const { stdout } = await run(process.execPath, [TSC, "-p", folder]).catch(
        (failure: { stdout: string }) => failure,
      );
      expect(stdout).toBe("");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const TYPES = fileURLToPath(new URL("../node_modules/@types", import.meta.url));

/** Each expected error is one, and there is no other. */
const CHECKS = `
import * as api from "${EXAMPLE}/generated.js";

const serviceVersion = "2";
const id = "ipp_1";
const policy = await api.createIpPolicy({ serviceVersion });
if (policy.status === 201) policy.data.description satisfies string;
// @ts-expect-error a refusal has no description
policy.data.description;
const removed = await api.deleteIpPolicy({ serviceVersion, id });
if (removed.status === 409) {
  const known: boolean = removed.data.error_code === "ERR_IN_USE";
  // @ts-expect-error there is no such code
  const unknown: boolean = removed.data.error_code === "ERR_USED";
}
const edge = await api.getHttpsEdge({ serviceVersion, id, ifNoneMatch: '"1"' });
if (edge.status === 200) {
  // @ts-expect-error there may be none
  edge.data.mutual_tls.enabled;
  edge.data.hostports satisfies string[];
}
api.createStaticBackend({ serviceVersion, createStaticBackend: { address: "a.example:1" } });
// @ts-expect-error the address is missing
api.createStaticBackend({ serviceVersion, createStaticBackend: {} });
// @ts-expect-error the body is missing
api.createStaticBackend({ serviceVersion });
// @ts-expect-error there is no such field
api.createIpPolicy({ serviceVersion, createIpPolicy: { name: "" } });
// @ts-expect-error the version is missing
api.listHttpsEdges({});
new Error("is the global one");
`;
