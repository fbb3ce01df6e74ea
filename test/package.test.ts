import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));

describe("the packed package", () => {
  let directory: string;
  let unpacked: string;
  let files: string[];
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "edgeplane-package-"));
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", directory], {
      cwd: ROOT,
    });
    const [{ filename, files: packed }] = JSON.parse(stdout);
    files = packed.map((file: { path: string }) => file.path);
    await run("tar", ["xzf", path.join(directory, filename), "-C", directory]);
    unpacked = path.join(directory, "package");
    await linkDependencies(unpacked);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("has what runs and the schema, and no sources or tests", () => {
    const folders = new Set(files.map((file) => file.split("/", 1)[0]));
    expect([...folders].sort()).toEqual([
      "README.md",
      "dist",
      "openapi.json",
      "package.json",
      "pages",
      "prisma",
      "schema.graphql",
      "scripts",
    ]);
    expect(files.filter((file) => /\.ts$|tsbuildinfo|tsconfig/.test(file))).toEqual([]);
    const resolve = createRequire(path.join(unpacked, "package.json")).resolve;
    expect(resolve("edgeplane/schema.graphql")).toBe(path.join(unpacked, "schema.graphql"));
  });

  it("has of Swagger UI what the API reference loads, with the licences", () => {
    const bundled = /^dist\/swagger-ui\/(.*)/;
    expect(files.flatMap((file) => bundled.exec(file)?.[1] ?? []).sort()).toEqual([
      "LICENSE",
      "NOTICE",
      "swagger-ui-bundle.js",
      "swagger-ui-bundle.js.LICENSE.txt",
      "swagger-ui.css",
    ]);
  });

  it("has the dashboard as it was built, with the licences of what it is built from", () => {
    const built = files.filter((file) => file.startsWith("dist/dashboard-page/"));
    expect(built).toContain("dist/dashboard-page/index.html");
    expect(built).toContain("dist/dashboard-page/licenses.md");
    expect(built.filter((file) => !/\/assets\/[\w.-]+\.(js|css|svg)$/.test(file))).toHaveLength(2);
  });

  it("has of Prisma's query compilers the one that it uses, in its small form, with the licence", () => {
    const bundled = /^dist\/database\/prisma-client\/(.*)/;
    expect(files.flatMap((file) => bundled.exec(file)?.[1] ?? []).sort()).toEqual([
      "LICENSE",
      "client.cjs",
      "index-browser.mjs",
      "query_compiler_small_bg.postgresql.mjs",
      "query_compiler_small_bg.postgresql.wasm",
      "query_compiler_small_bg.postgresql.wasm-base64.mjs",
    ]);
  });

  it("starts, with the dashboard, GraphiQL and the API reference, and stops", async () => {
    const { PATH = "" } = process.env;
    const child = spawn(process.execPath, [path.join(unpacked, "dist/edgeplane.js")], {
      env: { PATH, PORT: "0", DATA_DIR: path.join(directory, "data"), LOG_LEVEL: "fatal" },
      stdio: ["ignore", "inherit", "pipe"],
    });
    const ended = once(child, "exit");
    try {
      let url = "";
      for await (const line of createInterface({ input: child.stderr })) {
        url = /^Edgeplane listens on (\S+) /.exec(line)?.[1] ?? "";
        if (url !== "") break;
      }
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      const page = await fetch(`${url}/graphql`, { headers: { Accept: "text/html" } });
      const html = await page.text();
      expect(html).toContain("query EdgeInDepth");
      const [asset] = /graphql\/assets\/page\.\w+\.js/.exec(html) ?? [];
      expect((await fetch(`${url}/${asset}`)).status).toBe(200);
      const reference = await (await fetch(`${url}/docs`)).text();
      const dashboard = await (await fetch(`${url}/dashboard`)).text();
      const [main] = /dashboard\/assets\/index-[\w-]+\.js/.exec(dashboard) ?? [];
      expect((await fetch(`${url}/${main}`)).status).toBe(200);
      const [script] = /docs\/assets\/swagger-ui\.\w+\.js/.exec(reference) ?? [];
      expect((await fetch(`${url}/${script}`)).status).toBe(200);
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended).toEqual([0, null]);
  });
});

/** What `npm install --omit=dev` would put beside the package: its dependencies, and nothing that only the build needs. */
async function linkDependencies(unpacked: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path.join(unpacked, "package.json"), "utf8"));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const link = path.join(unpacked, "node_modules", name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(ROOT, "node_modules", name), link);
  }
}
