import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { createClient, GraphqlFailure } from "../examples/typed-client/client.js";
import {
  CreateMaintenancePageDocument,
  EdgesDocument,
  type MatchType,
} from "../examples/typed-client/generated.js";
import { generateClients } from "../scripts/generate-client.mjs";
import { fillWithDemo } from "./harness/demo.js";
import { startServer, type TestServer } from "./harness/server.js";

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL("../examples/typed-client", import.meta.url));
const TSC = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

describe("the typed client of the examples", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await fillWithDemo(server);
  }, 120_000);
  afterAll(() => server.stop());

  it("has the types of the committed schema (npm run schema)", async () => {
    for (const [path, text] of Object.entries(await generateClients())) {
      expect(readFileSync(new URL(`../${path}`, import.meta.url), "utf8")).toBe(text);
    }
  });

  it("compiles with its own settings, and prints where each route leads", async () => {
    await run(process.execPath, [TSC, "-p", EXAMPLE]);
    const { PATH = "" } = process.env;
    const env = { PATH, EDGEPLANE_URL: server.url, API_KEY: server.readKey };
    const { stdout } = await run(process.execPath, [`${EXAMPLE}/dist/main.js`], { env });
    expect(stdout).toContain("shop.fjellmark.example:443, *.shop.fjellmark.example:443\n");
    expect(stdout).toContain("  /webhooks/stripe -> checkout.fjellmark.example:8443\n");
    expect(stdout).toContain("  /* -> status 200\n");

    const refused = run(process.execPath, [`${EXAMPLE}/dist/main.js`], {
      env: { ...env, API_KEY: "wrong-key-0123456789" },
    });
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^UNAUTHENTICATED: This needs a valid API key/),
    });
  });

  it("types results, and variables before they are sent", async () => {
    const request = createClient(server.url, server.writeKey);
    const { httpsEdges } = await request(EdgesDocument, {});
    const edge = httpsEdges?.nodes[0];
    expectTypeOf(edge?.hostports).toEqualTypeOf<string[] | undefined>();
    expectTypeOf(edge?.routes.nodes[0]?.matchType).toEqualTypeOf<MatchType | undefined>();
    // @ts-expect-error what was not asked for is not there
    expect(edge?.metadata).toBeUndefined();

    const page = await request(CreateMaintenancePageDocument, { input: { statusCode: 503 } });
    expect(page.createHttpResponseBackend?.httpResponseBackend?.statusCode).toBe(503);

    // @ts-expect-error the status is a number
    const wrong = request(CreateMaintenancePageDocument, { input: { statusCode: "503" } });
    await expect(wrong).rejects.toBeInstanceOf(GraphqlFailure);
  });
});
