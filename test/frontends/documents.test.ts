import { execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../harness/server.js";
import { rest } from "../harness/transports.js";
import { makeEdges, until } from "./edges.js";

// docs/frontends.md shows the code that runs, and the example runs by itself.

const EXAMPLE = fileURLToPath(new URL("../../examples/dashboard-data", import.meta.url));
const TSC = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

describe("docs/frontends.md", () => {
  const text = readFileSync(new URL("../../docs/frontends.md", import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code);
  const sources = readdirSync(EXAMPLE)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(`${EXAMPLE}/${name}`, "utf8"));

  it("has code of the example alone", () => {
    expect(blocks).toHaveLength(4);
    for (const block of blocks) {
      expect(sources.filter((source) => source.includes(block))).toHaveLength(1);
    }
  });
});

describe("the example", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it("compiles with its own settings, prints the edges, and then what changes", async () => {
    await makeEdges(server, 1);
    await promisify(execFile)(process.execPath, [TSC, "-p", EXAMPLE]);
    const { PATH = "" } = process.env;
    const env = { PATH, EDGEPLANE_URL: server.url, API_KEY: server.readKey };
    const example = spawn(process.execPath, [`${EXAMPLE}/dist/main.js`], { env });
    let printed = "";
    for (const stream of [example.stdout, example.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    }
    await until(() => printed.includes("\n"));
    const { id } = (await rest(server, "POST", "/ip_policies", {})).body;
    await until(() => printed.includes(id));
    example.kill();
    expect(printed).toBe(`edge 0 (e0.example:443)\nCREATED IpPolicy ${id}\n`);
  });
});
