import type { IncomingMessage } from "node:http";
import type { Issue } from "../../domain/core/errors.js";
import { pathOf } from "../../http/target.js";
import { ERROR_NUMBERS, type ErrorNumber, SEVERAL_PROBLEMS } from "./error-numbers.js";

/** What `error_code` is: our own word for the kind of error, or the original's number for the problem. */
export type ErrorCodes = "words" | "numbered";

/** A refusal. `issues` are spelled as on the wire. */
interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly issues: readonly Issue[];
}

/** The number of a refusal of `request`; null when there is none. */
export function numberOf(request: IncomingMessage, refusal: Refusal): number | null {
  const path = decoded(pathOf(request));
  const problems = problemsOf(request, refusal);
  const fields = new Set(problems.map((problem) => problem.path.join(".")));
  if (fields.size > 1 && isRefusedAt(SEVERAL_PROBLEMS, refusal, path)) {
    return SEVERAL_PROBLEMS.number;
  }
  const known = ERROR_NUMBERS.filter((row) => isRefusedAt(row, refusal, path));
  for (const problem of problems) {
    const row = known.find((row) => isOf(row, problem));
    if (row) return row.number;
  }
  return null;
}

/** A path without percent escapes; as it is when it has an escape of nothing, which no endpoint takes. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Those that numbers tell apart: the issues, else what the headers say, else the refusal as a whole. */
function problemsOf(request: IncomingMessage, { code, message, issues }: Refusal): Issue[] {
  const { authorization, "content-type": contentType } = request.headers;
  if (code === "UNAUTHENTICATED") {
    return [{ path: ["Authorization"], message: credentialProblem(authorization ?? "") }];
  }
  if (code === "UNSUPPORTED_MEDIA_TYPE") {
    return [{ path: ["Content-Type"], message: contentType ? "is not JSON" : "is missing" }];
  }
  if (issues.length === 0) return [{ path: [], message }];
  return issues.map((issue) => ({ ...issue, path: pathInResource(request, issue.path) }));
}

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
const KEY = /^[0-9A-Za-z]{27}_[\x21-\x7e]+$/;
const ID_OF_KEY = /^ak_[0-9A-Za-z]+$/;

/** What is wrong with a header that names no key of ours. */
function credentialProblem(authorization: string): string {
  if (authorization === "") return "is missing";
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) return "is not Bearer";
  if (ID_OF_KEY.test(token)) return "is the id of a key";
  return KEY.test(token) ? "is unknown" : "is not a key";
}

/** Only modules are put: each stands in its owner by the name at the end of its path, with or without a wrapper. */
function pathInResource(request: IncomingMessage, path: Issue["path"]): Issue["path"] {
  if (request.method !== "PUT") return path;
  const module = decoded(pathOf(request)).split("/").at(-1) ?? "";
  return [module, ...(path[0] === "module" ? path.slice(1) : path)];
}

function isRefusedAt(
  { code, at }: Pick<ErrorNumber, "code" | "at">,
  refusal: Refusal,
  path: string,
): boolean {
  if (code !== refusal.code) return false;
  return at.split("|").some((start) => `${path}/`.startsWith(`${start}/`));
}

function isOf({ field, says }: ErrorNumber, { path, message }: Issue): boolean {
  const isSaid = says.length === 0 || says.some((text) => message.startsWith(text));
  return isSaid && field.split("|").some((pattern) => isPath(pattern, path));
}

function isPath(pattern: string, path: Issue["path"]): boolean {
  if (pattern === "**") return true;
  const names = pattern === "" ? [] : pattern.split(".");
  return (
    names.length === path.length &&
    names.every((name, index) => name === "*" || name === String(path[index]))
  );
}
