import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenApi } from "../src/openapi/document.js";
import { openApi } from "../src/openapi/document.js";
import { recordExamples } from "../src/openapi/examples.js";
import type { JsonSchema } from "../src/openapi/schemas.js";
import { contract } from "../src/rest/index.js";
import { schema } from "../src/schema/index.js";
import { rawAnswer } from "./harness/raw-answers.js";
import { startServer, type TestServer } from "./harness/server.js";
import { rest } from "./harness/transports.js";

const text = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const committed = text("openapi.json");
const document: OpenApi = JSON.parse(committed);

interface Answer {
  readonly headers?: Readonly<Record<string, unknown>>;
}

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ baseDomain: "edgeplane.localhost" });
});
afterAll(() => server.stop());

describe("the OpenAPI document", () => {
  it("is committed as openapi.json (npm run openapi), and its examples are what a server answers", async () => {
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(server.url + path, {
        method,
        headers: {
          Authorization: `Bearer ${server.writeKey}`,
          "Service-Version": "2",
          "Content-Type": "application/json",
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
      const isJson = answer.headers.get("content-type") === "application/json";
      return isJson ? answer.json() : null;
    };
    const examples = await recordExamples(contract, call, server.url);
    const { version } = JSON.parse(text("package.json"));
    expect(openApi(contract, schema, version, examples)).toEqual(document);
  }, 120_000);

  it("has no problem by the strictest of the recommended rules", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });
    const problems = await lintFromString({ source: committed, config });
    expect(problems.map(({ message, location }) => [message, location[0]?.pointer])).toEqual([]);
  });

  it("describes every schema and every field, as REST spells names", () => {
    const fields = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      fieldsIn(schema, name),
    );
    expect(fields.length).toBeGreaterThan(500);
    expect(fields.filter(([, { description }]) => !description).map(([path]) => path)).toEqual([]);
    const misspelled = fields.filter(([, { description = "" }]) =>
      /`[a-z]+[A-Z]\w*`|`[A-Z_]{3,}`|GraphQL/.test(description),
    );
    expect(misspelled.map(([path, { description }]) => [path, description])).toEqual([]);
  });

  it("has an operation with an id of its own for each endpoint", () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const documented = contract.filter(({ operation }) => operation !== null);
    expect(operations).toHaveLength(documented.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(documented.length);
  });

  it("requires a body of a create just where one without members is refused", async () => {
    const creates = Object.entries(document.paths).flatMap(([path, { post }]) =>
      post && !path.includes("{") ? [[path, Object(post.requestBody).required] as const] : [],
    );
    expect(creates.length).toBeGreaterThan(15);
    for (const [path, required] of creates) {
      const { status } = await rest(server, "POST", path, {});
      expect([path, status]).toEqual([path, required ? 400 : 201]);
    }
  });

  it("has names that stay apart in every spelling of a client", () => {
    const { parameters, schemas } = document.components;
    for (const named of [Object(parameters), schemas]) {
      const names = Object.keys(named).map((name) => name.replace(/[_-]/g, "").toLowerCase());
      expect(new Set(names).size).toBe(names.length);
    }
    expect(Object.keys(schemas).filter((name) => name in globalThis)).toEqual([]);
  });

  it("has the refusal of too many requests for each operation, and the headers that say what is left", () => {
    const LEFT = ["RateLimit", "RateLimit-Policy"];
    const headersIn = ({ headers = {} }: Answer) => Object.keys(headers);
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    for (const { operationId, ...operation } of operations) {
      const answers = Object.entries(operation.responses as Record<string, Answer>);
      const [success] = answers.filter(([status]) => status.startsWith("2"));
      expect([operationId, headersIn(success?.[1] ?? {})]).toEqual([
        operationId,
        expect.arrayContaining(LEFT),
      ]);
      expect(answers).toContainEqual(["429", { $ref: "#/components/responses/RateLimited" }]);
    }
    const { RateLimited, Unavailable, HeadersTooLarge } = document.components.responses as Record<
      string,
      Answer
    >;
    expect(headersIn(RateLimited ?? {})).toEqual([...LEFT, "Retry-After"]);
    expect(headersIn(Unavailable ?? {})).toEqual([...LEFT, "Retry-After"]);
    expect(headersIn(HeadersTooLarge ?? {})).toEqual([]);
  });

  it("is served to everybody, as a document for this server", async () => {
    const answer = await fetch(`${server.url}/openapi.json`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual(document);
    const known = { "If-None-Match": answer.headers.get("etag") ?? "" };
    expect((await fetch(`${server.url}/openapi.json`, { headers: known })).status).toBe(304);
    expect((await rest(server, "POST", "/openapi.json", {})).status).toBe(405);
  });

  it("is compressed as its reader likes, and known again however it was", async () => {
    const url = `${server.url}/openapi.json`;
    const unpacked = {
      br: brotliDecompressSync,
      gzip: gunzipSync,
      identity: (bytes: Buffer) => bytes,
    };
    for (const [encoding, unpack] of Object.entries(unpacked)) {
      const { status, headers, body } = await rawAnswer(url, encoding);
      expect(status).toBe(200);
      expect(headers["content-encoding"] ?? "identity").toBe(encoding);
      expect(headers["content-length"]).toBe(`${body.length}`);
      expect(headers.vary).toContain("Accept-Encoding");
      expect(unpack(body).toString()).toBe(committed);
      const tag = headers.etag ?? "";
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
        const again = await fetch(url, { headers: { "If-None-Match": known } });
        expect([again.status, again.headers.get("etag")]).toEqual([304, tag]);
      }
    }
    const other = await fetch(url, {
      method: "HEAD",
      headers: { "If-None-Match": '"other"', "Accept-Encoding": "identity" },
    });
    expect(other.status).toBe(200);
    expect(other.headers.get("content-length")).toBe(`${Buffer.byteLength(committed)}`);
    expect(await other.text()).toBe("");
  });
});

/** A schema and all of the fields in it, with the paths that lead to them. */
function fieldsIn(schema: JsonSchema, path: string): [string, JsonSchema][] {
  const inner = [schema.items, ...(schema.anyOf ?? [])].filter((each) => each !== undefined);
  return [
    ...(path.includes(".") ? [] : ([[path, schema]] satisfies [string, JsonSchema][])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, JsonSchema][] => [
      [`${path}.${name}`, field],
      ...fieldsIn(field, `${path}.${name}`),
    ]),
    ...inner.flatMap((each) => fieldsIn(each, `${path}.`)).filter(([, each]) => each !== schema),
  ];
}
