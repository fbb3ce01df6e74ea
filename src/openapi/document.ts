import type { GraphQLSchema } from "graphql";
import { z } from "zod";
import { typeNameOf } from "../domain/core/ids.js";
import { withCapital } from "../domain/core/names.js";
import { type Endpoint, type Operation, templateOf } from "../rest/contract/contract.js";
import { MODULE_ANSWERS } from "../rest/contract/module-answers.js";
import type { Spelling } from "../rest/contract/wire.js";
import { described } from "./descriptions.js";
import { HEADERS } from "./headers.js";
import {
  type Examples,
  type OperationObject,
  operationOf,
  PARAMETERS,
  paramsOf,
  repeatedIds,
  tagOf,
} from "./operations.js";
import { ERROR_CODE, REFUSAL, RESPONSES } from "./responses.js";
import {
  answerSchemas,
  bodySchemas,
  type Components,
  type JsonSchema,
  type NamedSchemas,
} from "./schemas.js";

// The OpenAPI document of the REST contract: everything in it comes from the rules that check requests, the schemas by
// which views are typed, and the descriptions of the GraphQL schema.

export interface OpenApi {
  readonly [member: string]: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly [member: string]: unknown;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

const ABOUT =
  "The management plane of a network ingress platform. Every request needs a key and the header `Service-Version: 2`. Every refusal has the same envelope, which names each problem by its path.";

const ABOUT_ROOT = "What is asked for before anything else.";

/** The document of `contract`, with `examples` where there are some. */
export function openApi(
  contract: readonly Endpoint[],
  schema: GraphQLSchema,
  version: string,
  examples: Examples,
): OpenApi {
  const named = namedSchemas(contract, schema);
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const endpoint of contract) {
    if (!endpoint.operation) continue;
    const path = templateOf(endpoint.path);
    const operations = paths[path] ?? {};
    paths[path] = operations;
    operations[endpoint.method.toLowerCase()] = operationOf(
      endpoint,
      endpoint.operation,
      schema,
      named,
      examples,
    );
  }
  const kinds = new Set(contract.flatMap(({ operation }) => (operation ? [operation.kind] : [])));
  return {
    openapi: "3.1.0",
    info: {
      title: "Edgeplane",
      version,
      description: ABOUT,
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    // Relative to the document, as a proxy may serve both below a path.
    servers: [{ url: ".", description: "This server." }],
    security: [{ key: [] }],
    tags: [...kinds].map((kind) => ({
      name: tagOf(kind),
      description: (kind ? named.components[typeNameOf(kind)]?.description : null) ?? ABOUT_ROOT,
    })),
    paths,
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key." },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: RESPONSES,
      schemas: { ...named.components, ErrorCode: ERROR_CODE, Refusal: REFUSAL },
    },
  };
}

function namedSchemas(contract: readonly Endpoint[], schema: GraphQLSchema): NamedSchemas {
  const rules = new Map<string, z.ZodType>();
  const answers = new Map<string, z.ZodType>();
  const names = new Map<z.ZodType, string>();
  const spellings = new Map<string, Spelling>();
  const add = (map: Map<string, z.ZodType>, name: string, value: z.ZodType) => {
    if (names.has(value)) return;
    map.set(name, value);
    names.set(value, name);
  };
  for (const [module, answer] of Object.entries(MODULE_ANSWERS)) {
    add(answers, `${withCapital(module)}Module`, answer);
  }
  const abouts = new Map<string, string>();
  for (const { takes, answer, query, operation } of contract) {
    if (takes) {
      const { name, fullName = name } = takes;
      add(rules, rules.has(name) ? fullName : name, takes.rule);
      if (takes.spelling) spellings.set(name, takes.spelling);
    }
    if (!operation || !(answer instanceof z.ZodType)) continue;
    const name = nameOfAnswer(operation, query !== undefined);
    add(answers, name, answer);
    abouts.set(name, operation.summary);
  }
  const bodies = withMore(contract, names, bodySchemas(rules, spellings));
  const all = { ...answerSchemas(answers), ...bodies };
  const typeOf = (name: string) =>
    rules.has(name) && !schema.getType(name) ? `${name}Input` : name;
  const updates = new Set(
    contract.flatMap(({ method, takes }) => (method === "PATCH" && takes ? [takes.name] : [])),
  );
  return {
    components: described(all, schema, {
      typeOf,
      isInput: (name) => rules.has(name),
      isUpdate: (name) => updates.has(name),
      aboutOf: (name) => abouts.get(name) ?? "",
    }),
    names,
  };
}

function nameOfAnswer({ id, kind }: Operation, isList: boolean): string {
  if (!kind) return id.replace(/^get/, "");
  return isList ? `${typeNameOf(kind)}List` : typeNameOf(kind);
}

/** What bodies may have besides the fields of their rules: what older clients send, and the ids of the path. */
function withMore(
  contract: readonly Endpoint[],
  names: NamedSchemas["names"],
  schemas: Components,
): Components {
  const more = contract.flatMap(({ path, takes }): [string, JsonSchema][] => {
    const name = takes && names.get(takes.rule);
    const schema = name === undefined ? undefined : schemas[name];
    if (!takes || takes.isModule || name === undefined || !schema) return [];
    const { properties = {}, required = [], ...others } = schema;
    const ids = repeatedIds(paramsOf(path));
    const older = (takes.tolerates ?? []).map(({ adds }) => adds?.(properties) ?? {});
    const all = Object.assign({ ...properties }, ids, ...older);
    const eased = (takes.tolerates ?? []).flatMap(({ eases }) => eases ?? []);
    const needed = required.filter((field) => !(field in ids || eased.includes(field)));
    return [[name, { ...others, properties: all, ...(needed.length > 0 && { required: needed }) }]];
  });
  return { ...schemas, ...Object.fromEntries(more) };
}
