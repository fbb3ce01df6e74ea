import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { HttpApp } from "../../src/http/server.js";
import type { OpenApi } from "../../src/openapi/document.js";
import { withNumbers } from "../../src/rest/transport/document.js";
import type { ErrorCodes } from "../../src/rest/transport/numbering.js";

// Every request of REST that a test server gets, and every answer that it gives, is checked against the committed OpenAPI
// document: a path, a status or a field that is not in it is a problem of the test.

const document: OpenApi = JSON.parse(
  readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"),
);

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
addFormats.default(ajv);
ajv.addSchema(document, "words");
ajv.addSchema(withNumbers(document), "numbered");

const JSON_TYPE = "application/json";
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};
const FOR_OTHERS = /^\/(?:graphql|livez|readyz|openapi\.json|docs|dashboard)(?:\/|$)/;

const paths = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
}));

/** `app`, which answers these codes, with all of its REST traffic checked, and what was wrong with it. */
export function checkedAgainstContract(
  app: HttpApp,
  errorCodes: ErrorCodes,
): { app: HttpApp; problems: string[] } {
  const problems: string[] = [];
  const watch = (request: IncomingMessage, response: ServerResponse) => {
    const sent = collected(request, "data");
    const answered = written(response);
    const { method = "", url = "" } = request;
    response.once("finish", () => {
      const found = problemsOf({ method, url, errorCodes }, sent(), response, answered());
      problems.push(...found.map((problem) => `${method} ${url}: ${problem}`));
    });
  };
  return {
    problems,
    app: {
      serve(request, response) {
        watch(request, response);
        return app.serve(request, response);
      },
      refuse: app.refuse,
    },
  };
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly errorCodes: ErrorCodes;
}

function problemsOf(
  { method, url, errorCodes }: Asked,
  sent: string,
  response: ServerResponse,
  answered: string,
): string[] {
  const { statusCode: status } = response;
  const target = url.startsWith("/") ? `http://server${url}` : url;
  const path = URL.canParse(target) ? new URL(target).pathname : "";
  if (FOR_OTHERS.test(path) || method === "OPTIONS") return [];
  // The page for people with a browser.
  if (path === "/" && isForPeople(response)) return [];
  const known = paths.find(({ pattern }) => pattern.test(path))?.path;
  if (known === undefined) {
    return status >= 400
      ? refusalProblems(answered, errorCodes)
      : [`answers ${status} at a path that is not documented`];
  }
  const verb = (method === "HEAD" ? "GET" : method).toLowerCase();
  if (!document.paths[known]?.[verb]) {
    return status === 405 || status === 400
      ? refusalProblems(method === "HEAD" ? "" : answered, errorCodes)
      : [`answers ${status} to a method that is not documented`];
  }
  const operation = ["paths", known, verb];
  if (!at([...operation, "responses", String(status)]))
    return [`answers ${status}, which is not documented`];
  if (status >= 400) return method === "HEAD" ? [] : refusalProblems(answered, errorCodes);
  if (status === 304) return answered === "" ? [] : ["answers 304 with a body"];
  return [
    ...tagProblems([...operation, "responses", String(status)], response),
    ...(sent === "" ? [] : schemaProblems("takes", [...operation, "requestBody"], sent)),
    ...(answered === "" || method === "HEAD"
      ? []
      : schemaProblems("answers", [...operation, "responses", String(status)], answered)),
  ];
}

function refusalProblems(text: string, errorCodes: ErrorCodes): string[] {
  const pointer = ["components", "schemas", "Refusal"];
  return text === "" ? [] : problemsIn("refuses", pointer, text, errorCodes);
}

/** The header `ETag` is there just where it is documented. */
function tagProblems(pointer: readonly string[], response: ServerResponse): string[] {
  const isDocumented = at([...pointer, "headers", "ETag"]) !== undefined;
  if (response.hasHeader("etag") === isDocumented) return [];
  return [isDocumented ? "answers without ETag" : "answers with an ETag that is not documented"];
}

function schemaProblems(verb: string, pointer: readonly string[], text: string): string[] {
  const schema = [...pointer, "content", JSON_TYPE, "schema"];
  if (!at([...pointer, "content"])) return [`${verb} a body that is not documented`];
  return at(schema) ? problemsIn(verb, schema, text) : [];
}

const validators = new Map<string, ValidateFunction>();

function problemsIn(
  verb: string,
  pointer: readonly string[],
  text: string,
  errorCodes: ErrorCodes = "words",
): string[] {
  const $ref = `${errorCodes}#/${pointer.map((part) => encodeURIComponent(part.replace(/~/g, "~0").replace(/\//g, "~1"))).join("/")}`;
  const validate = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validate);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [`${verb} what is no JSON: ${text.slice(0, 200)}`];
  }
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).slice(0, 5);
  return [
    `${verb} ${text.slice(0, 300)}: ${errors
      .map(
        ({ instancePath, message, params }) =>
          `${instancePath} ${message} ${JSON.stringify(params)}`,
      )
      .join("; ")}`,
  ];
}

function at(pointer: readonly string[]): unknown {
  return pointer.reduce<unknown>((value, key) => Object(value)[key], document);
}

/** The text of what `stream` emits, without making it flow. */
function collected(stream: IncomingMessage, event: string): () => string {
  const chunks: Buffer[] = [];
  const emit = stream.emit.bind(stream);
  stream.emit = (name: string | symbol, ...args: unknown[]) => {
    if (name === event && args[0] instanceof Buffer) chunks.push(args[0]);
    return emit(name, ...args);
  };
  return () => Buffer.concat(chunks).toString("utf8");
}

function written(response: ServerResponse): () => string {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === "string") chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const { write, end } = response;
  response.write = (...args: unknown[]) => {
    keep(args[0]);
    return Reflect.apply(write, response, args);
  };
  response.end = (...args: unknown[]) => {
    keep(args[0]);
    return Reflect.apply(end, response, args);
  };
  return () => {
    const bytes = Buffer.concat(chunks);
    // To HEAD, which has the headers of the body without it.
    if (bytes.length === 0) return "";
    const encoding = response.getHeader("content-encoding");
    const decode = DECODERS[String(encoding)];
    return (decode ? decode(bytes) : bytes).toString("utf8");
  };
}

/** The root is a page for who opens it in a browser, or leads to one. */
function isForPeople(response: ServerResponse): boolean {
  return (
    response.getHeader("location") === "dashboard" ||
    String(response.getHeader("content-type")).startsWith("text/html")
  );
}
