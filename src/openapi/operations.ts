import type { GraphQLSchema } from "graphql";
import type { z } from "zod";
import { RESOURCES, type ResourceKind, typeNameOf } from "../domain/core/ids.js";
import { snakeCase } from "../domain/core/names.js";
import { MAX_CONDITIONS } from "../domain/expressions/check.js";
import { MAX_EXPRESSION_LENGTH } from "../domain/expressions/parse.js";
import { MAX_IDS, MAX_PAGE_SIZE } from "../domain/lists/pages.js";
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN, REPLAYED } from "../http/idempotency-key.js";
import type { Endpoint, Operation, Taken } from "../rest/contract/contract.js";
import { exampleId } from "../rest/contract/examples.js";
import { headersOfCounted } from "./headers.js";
import { refusalsOf } from "./responses.js";
import { type JsonSchema, type NamedSchemas, SCHEMAS } from "./schemas.js";

/** Examples by the id of their operation: the body of the request, and that of the answer. */
export type Examples = Readonly<
  Record<string, { readonly request?: unknown; readonly answer?: unknown }>
>;

export interface OperationObject {
  readonly [member: string]: unknown;
  readonly operationId: string;
}

/** What a client may send for a parameter of a list that it leaves unset. */
const OR_EMPTY = { type: "string", enum: [""] };

export const PARAMETERS = {
  ServiceVersion: {
    name: "Service-Version",
    in: "header",
    required: true,
    description: "The version of the API.",
    schema: { type: "string", enum: ["2"] },
    example: "2",
  },
  limit: {
    name: "limit",
    in: "query",
    description: `The number of items of a page; default ${MAX_PAGE_SIZE}.`,
    schema: { anyOf: [{ type: "integer", minimum: 1, maximum: MAX_PAGE_SIZE }, OR_EMPTY] },
  },
  before_id: {
    name: "before_id",
    in: "query",
    description:
      "The id of the item before the page: the page has items that were created before it.",
    schema: { type: "string" },
  },
  filter: {
    name: "filter",
    in: "query",
    description: `Only the items for which this expression is true, in a part of the Common Expression Language, of at most ${MAX_EXPRESSION_LENGTH} characters and ${MAX_CONDITIONS} conditions. The item is \`obj\`, and its fields are named as in the answer. Operators: \`! && || < <= == != >= > in ()\`. Functions: \`size()\` of a text, a list or a map, and \`timestamp()\` of a text in RFC 3339. Methods of texts: \`contains()\`, \`startsWith()\` and \`endsWith()\`. Lists in brackets have at most ${MAX_IDS} values. An unset text is \`""\`. Empty means no filter.`,
    schema: {
      type: "string",
      // In the schema, since pages that send requests begin with the example of a parameter.
      examples: [
        'obj.description.contains("shop") && obj.created_at > timestamp("2026-01-01T00:00:00Z")',
      ],
    },
  },
  IdempotencyKey: {
    name: IDEMPOTENCY_KEY,
    in: "header",
    description:
      "A key of the caller's own, such as a UUID, under which the request may be repeated for 24 hours: the answer is the first one, and nothing happens again.",
    schema: { type: "string", pattern: IDEMPOTENCY_KEY_PATTERN },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      "Entity tags of which the resource must have one, or `*`; otherwise nothing is changed, and the answer is 412.",
    schema: { type: "string" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "Entity tags of what the caller has already; the answer is 304 without a body while one of them is right.",
    schema: { type: "string" },
  },
};

export function operationOf(
  { method, path, query = [], status, takes, lock, answer }: Endpoint,
  { id, kind, summary, description, refusals }: Operation,
  schema: GraphQLSchema,
  named: NamedSchemas,
  examples: Examples,
): OperationObject {
  const example = examples[id];
  const params = paramsOf(path);
  const mutation = schema.getMutationType()?.getFields()[id];
  const hasTag = kind !== null && isSchema(answer);
  const isKnowable = method === "GET" && hasTag;
  const isRepeatable = method === "POST";
  const parameters = [
    ...query,
    ...(isKnowable ? ["IfNoneMatch"] : []),
    ...(lock ? ["IfMatch"] : []),
    ...(isRepeatable ? ["IdempotencyKey"] : []),
  ];
  return {
    operationId: id,
    tags: [tagOf(kind)],
    summary,
    description: description ?? mutation?.description ?? summary,
    parameters: [
      parameterRef("ServiceVersion"),
      ...params.map((name) => pathParameter(name, kind)),
      ...parameters.map(parameterRef),
    ],
    ...(takes && {
      requestBody: {
        ...presenceOf(takes, params),
        content: {
          "application/json": {
            schema: bodyOf(takes, params, named),
            ...(example?.request !== undefined && { example: example.request }),
          },
        },
      },
    }),
    responses: {
      [status]: {
        ...success(answer, named, example?.answer),
        headers: headersOfCounted(
          ...(hasTag ? (["ETag"] as const) : []),
          ...(isRepeatable ? ([REPLAYED] as const) : []),
        ),
      },
      ...(isKnowable && { 304: { $ref: "#/components/responses/NotModified" } }),
      ...refusalsOf(refusals, {
        hasBody: takes !== undefined,
        isConditional: lock !== undefined,
        isRepeatable,
      }),
    },
  };
}

/** The group of operations about resources of a kind, or about all of them. */
export function tagOf(kind: ResourceKind | null): string {
  return kind ? typeNameOf(kind) : "Root";
}

/** The named parts of a path. */
export function paramsOf(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

/** The members of a body that repeat parts of the path. */
export function repeatedIds(params: readonly string[]): Readonly<Record<string, JsonSchema>> {
  const schema = {
    type: ["string", "null"],
    description: "The same as in the path, which some clients repeat.",
  };
  return Object.fromEntries(params.map((param) => [snakeCase(param), schema]));
}

function parameterRef(name: string) {
  return { $ref: `#/components/parameters/${name}` };
}

function pathParameter(name: string, kind: ResourceKind | null) {
  const of = name === "edgeId" ? "httpsEdge" : kind;
  if (!of) throw new Error(`Of what is the id ${name}?`);
  return {
    name: snakeCase(name),
    in: "path",
    required: true,
    description: `The id of the ${RESOURCES[of].name}.`,
    schema: { type: "string" },
    example: exampleId(of),
  };
}

/** Whether a body has to be there: where one without members would be refused, though the path has the ids. */
function presenceOf({ rule }: Taken, params: readonly string[]) {
  const issues = rule.safeParse({}).error?.issues ?? [];
  return issues.some(({ path: [name] }) => !params.includes(String(name)))
    ? { required: true, description: "The fields." }
    : { required: false, description: "Without a body it is `{}`." };
}

/** The schema of a body. */
function bodyOf(
  { rule, isModule }: Taken,
  params: readonly string[],
  named: NamedSchemas,
): JsonSchema {
  const name = nameIn(named, rule);
  const $ref = SCHEMAS + name;
  if (!isModule) return { $ref };
  const ids = repeatedIds(params);
  const own = named.components[name];
  const wrapped = {
    type: "object",
    description: "The same in a wrapper, as some clients send it.",
    properties: { module: { anyOf: [{ $ref }, { type: "null" }] }, ...ids },
    required: ["module"],
    additionalProperties: false,
  };
  return { anyOf: [{ ...own, properties: { ...own?.properties, ...ids } }, wrapped] };
}

function success(answer: Endpoint["answer"], named: NamedSchemas, example: unknown) {
  if (answer === null) return { description: "Done; the answer has no body." };
  if (!isSchema(answer)) {
    const schema = { type: "string", contentMediaType: answer };
    return { description: "The file.", content: { [answer]: { schema } } };
  }
  const content = {
    schema: { $ref: SCHEMAS + nameIn(named, answer) },
    ...(example !== undefined && { example }),
  };
  return { description: "Done.", content: { "application/json": content } };
}

function isSchema(answer: Endpoint["answer"]): answer is z.ZodType {
  return answer !== null && typeof answer !== "string";
}

function nameIn({ names }: NamedSchemas, schema: z.ZodType): string {
  const name = names.get(schema);
  if (name === undefined) throw new Error("A rule or an answer has no name.");
  return name;
}
