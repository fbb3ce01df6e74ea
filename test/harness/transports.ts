import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
} from "graphql";
import { schema } from "../../src/schema/index.js";
import type { TestServer } from "./server.js";

/** Where requests go, and the key that they have. */
export type Target = Pick<TestServer, "url" | "writeKey">;

/** Everything that a resource is called in both transports. */
export interface ResourceNames {
  /** In GraphQL: the field that reads one, such as `ipPolicy`. */
  readonly one: string;
  /** In GraphQL: the field that lists them, such as `ipPolicies`. */
  readonly many: string;
  /** Over REST: the path of the list. */
  readonly path: string;
  /** Over REST: the member of the envelope. */
  readonly listKey: string;
  /** Over REST: the names of fields that are other words there, in camelCase, by the domain's names. */
  readonly wireNames?: Readonly<Record<string, string>>;
}

/** A resource or an input in the domain's spelling; references are ids, maps are objects. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
export type Fields = Record<string, any>;

/** A refusal, the same for both transports. `paths` are the problems' paths in the domain's spelling. */
class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly issues: Readonly<Record<string, string>>,
  ) {
    super(`${code}: ${message}`);
  }

  get paths(): string[] {
    return Object.keys(this.issues).sort();
  }
}

/** One resource, driven over one transport. Each function throws a `Refusal` for a coded error. */
export interface Driver {
  create(input?: Fields): Promise<Fields>;
  get(id: string): Promise<Fields>;
  /** A page of `size`, newest first, after the one that `after` ended. */
  page(size: number, after?: string): Promise<{ items: Fields[]; next: string | null }>;
  update(id: string, input: Fields): Promise<Fields>;
  remove(id: string): Promise<void>;
}

export interface Transport {
  readonly name: "REST" | "GraphQL";
  drive(server: TestServer, resource: ResourceNames, key?: string): Driver;
}

export const transports: readonly Transport[] = [
  { name: "REST", drive: restDriver },
  { name: "GraphQL", drive: graphqlDriver },
];

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Fields;
}

/** One REST request as a client sends it. `body` is sent as it is when it is a text. */
export async function rest(
  server: Target,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<RestAnswer> {
  const response = await fetch(path.startsWith("http") ? path : server.url + path, {
    method,
    headers: {
      Authorization: `Bearer ${server.writeKey}`,
      "Service-Version": "2",
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? {} : (JSON.parse(text) as Fields),
  };
}

/** One GraphQL request; returns `data`, throws a `Refusal` for the first error. */
export async function graphql(
  server: Target,
  query: string,
  variables: Fields = {},
  key = server.writeKey,
): Promise<Fields> {
  const response = await fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as Fields;
  if (!errors) return data;
  const [{ message, extensions }] = errors;
  const issues = (extensions?.issues ?? []) as { path: (string | number)[]; message: string }[];
  throw new Refusal(
    extensions?.code ?? "NONE",
    errors.map((error: Fields) => error.message).join("\n") || message,
    Object.fromEntries(
      issues.map(({ path, message }) => [path.join(".").replace(/^(input|id)\./, ""), message]),
    ),
  );
}

/** Fields of a resource as REST takes them. */
export function restBody(
  fields: Fields,
  { wireNames = {} }: Pick<ResourceNames, "wireNames"> = {},
): Fields {
  return toWire(respelled(fields, wireNames)) as Fields;
}

function restDriver(
  server: TestServer,
  { path, listKey, wireNames = {} }: ResourceNames,
  key?: string,
): Driver {
  const ownNames = Object.fromEntries(Object.entries(wireNames).map(([own, wire]) => [wire, own]));
  const shown = (body: unknown) => respelled(fromWire(body) as Fields, ownNames);
  const authorization: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {};
  const call = async (method: string, target: string, input?: Fields) => {
    const body = input && restBody(input, { wireNames });
    const answer = await rest(server, method, target, body, authorization);
    if (answer.status < 400) return answer.body;
    const { operation_id: _, ...details } = answer.body.details;
    throw new Refusal(
      answer.body.error_code.replace(/^ERR_/, ""),
      answer.body.msg,
      Object.fromEntries(
        Object.entries(details).map(([name, text]) => {
          const [head = "", ...rest] = camelPath(name).split(".");
          return [[ownNames[head] ?? head, ...rest].join("."), String(text)];
        }),
      ),
    );
  };
  return {
    create: async (input = {}) => shown(await call("POST", path, input)),
    get: async (id) => shown(await call("GET", `${path}/${id}`)),
    async page(size, after) {
      const query = `?limit=${size}${after ? `&before_id=${after}` : ""}`;
      const list = await call("GET", path + query);
      const next = list.next_page_uri && new URL(list.next_page_uri).searchParams.get("before_id");
      return { items: list[listKey].map(shown), next };
    },
    update: async (id, input) => shown(await call("PATCH", `${path}/${id}`, input)),
    remove: async (id) => void (await call("DELETE", `${path}/${id}`)),
  };
}

function graphqlDriver(server: TestServer, { one, many }: ResourceNames, key?: string): Driver {
  const pascal = one.charAt(0).toUpperCase() + one.slice(1);
  const type = schema.getQueryType()?.getFields()[one]?.type;
  if (!type) throw new Error(`The schema has no query ${one}.`);
  const fields = selection(type);
  const call = async (document: string, variables: Fields) => {
    try {
      return await graphql(server, document, variables, key);
    } catch (error) {
      throw error instanceof Refusal ? withDomainPaths(error) : error;
    }
  };
  const mutation = async (verb: string, variables: Fields) => {
    const name = `${verb}${pascal}`;
    const declared = [
      ...("id" in variables ? ["$id: ID!"] : []),
      ...("input" in variables ? [`$input: ${capitalized(verb)}${pascal}Input!`] : []),
    ];
    const passed = Object.keys(variables).map((argument) => `${argument}: $${argument}`);
    const input = schema.getType(`${capitalized(verb)}${pascal}Input`);
    const data = await call(
      `mutation(${declared.join(", ")}) { ${name}(${passed.join(", ")}) { ${one} ${fields} } }`,
      {
        ...variables,
        ...(input && { input: toInput(variables.input, input as GraphQLInputType) }),
      },
    );
    return fromOutput(data[name][one], type);
  };
  return {
    create: (input = {}) => mutation("create", { input }),
    async get(id) {
      const data = await call(`query($id: ID!) { ${one}(id: $id) ${fields} }`, { id });
      return fromOutput(data[one], type);
    },
    async page(size, after) {
      const data = await call(
        `query($first: Int, $after: String) { ${many}(first: $first, after: $after) {
           nodes ${fields} pageInfo { hasNextPage endCursor } } }`,
        { first: size, after },
      );
      const { nodes, pageInfo } = data[many];
      return {
        items: nodes.map((node: unknown) => fromOutput(node, type)),
        next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
      };
    },
    update: (id, input) => mutation("update", { id, input }),
    remove: async (id) => void (await mutation("delete", { id })),
  };
}

// REST <-> the domain's spelling.

function respelled(fields: Fields, names: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [names[name] ?? name, value]),
  );
}

const USER_MAPS = new Set(["add", "headers", "labels", "critical_options", "extensions"]);

function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [name, USER_MAPS.has(name) || key === "backends" ? member : toWire(member)];
    }),
  );
}

function fromWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromWire);
  if (typeof value !== "object" || value === null) return value;
  const { id, uri, ...rest } = value as Fields;
  if (typeof id === "string" && typeof uri === "string" && Object.keys(rest).length === 0)
    return id;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "uri")
      .map(([key, member]) => [
        camel(key),
        USER_MAPS.has(key) || key === "backends" ? member : fromWire(member),
      ]),
  );
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function camelPath(path: string): string {
  const [head = "", ...rest] = path.split(".");
  const inUserMap = USER_MAPS.has(head) || head === "backends";
  return [
    camel(head),
    ...(inUserMap ? rest : rest.length > 0 ? [camelPath(rest.join("."))] : []),
  ].join(".");
}

// GraphQL <-> the domain's spelling, by the types of the schema.

/** All fields of a type that take no arguments; of another resource only its id. */
function selection(type: GraphQLOutputType, nested = false): string {
  const named = getNamedType(type);
  if (!isObjectType(named) && !isInterfaceType(named)) return "";
  if (nested && isResource(named)) return "{ id }";
  const fields = Object.values(named.getFields())
    .filter((field) => field.args.length === 0)
    .map((field) => `${field.name} ${selection(field.type, true)}`);
  return `{ ${fields.join(" ")} }`;
}

function isResource(type: unknown): boolean {
  if (isInterfaceType(type)) return true;
  return isObjectType(type) && type.getInterfaces().some(({ name }) => name === "Node");
}

function fromOutput(value: unknown, type: GraphQLOutputType): Fields {
  return normalized(value, type, true) as Fields;
}

function normalized(value: unknown, type: GraphQLOutputType, outermost = false): unknown {
  const nullable = getNullableType(type);
  if (value === null || value === undefined) return value;
  if (isListType(nullable)) {
    const named = getNamedType(nullable);
    const items = (value as unknown[]).map((item) => normalized(item, nullable.ofType));
    const pairs = PAIRS[named.name];
    return pairs
      ? Object.fromEntries((items as Fields[]).map((item) => pairs.map((name) => item[name])))
      : items;
  }
  if (isEnumType(nullable)) return nullable.getValue(String(value))?.value;
  if (!isObjectType(nullable) && !isInterfaceType(nullable)) return value;
  if (!outermost && isResource(nullable)) return (value as Fields).id;
  const fields = nullable.getFields();
  return Object.fromEntries(
    Object.entries(value as Fields).map(([name, member]) => {
      const field = fields[name];
      return [name, field ? normalized(member, field.type) : member];
    }),
  );
}

/** Types whose lists stand for maps: the members that are name and value. */
const PAIRS: Readonly<Record<string, readonly [string, string]>> = {
  NameValue: ["name", "value"],
  NameValueInput: ["name", "value"],
  WeightedChild: ["backend", "weight"],
  WeightedChildInput: ["backend", "weight"],
};

/** A refusal that names references as the domain does: by id alone, since a test gives no new ones. */
function withDomainPaths({ code, message, issues }: Refusal): Refusal {
  const paths = Object.entries(issues).map(([path, issue]) => [
    path
      .replace(/\bbackend\.backend\.id$/, "backend.backendId")
      .replace(/^(backends\.\d+)\.id$/, "$1"),
    issue,
  ]);
  return new Refusal(code, message, Object.fromEntries(paths));
}

/** What the domain's fields are as a value of the input type `name`. */
export function graphqlInput(name: string, fields: Fields): Fields {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`The schema has no input ${name}.`);
  return toInput(fields, type) as Fields;
}

function toInput(value: unknown, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  if (value === null || value === undefined) return value;
  if (isListType(nullable)) {
    const pairs = PAIRS[getNamedType(nullable).name];
    if (pairs && !Array.isArray(value)) {
      return Object.entries(value as Fields).map(([name, member]) => ({
        [pairs[0]]: pairs[0] === "backend" ? { id: name } : name,
        [pairs[1]]: member,
      }));
    }
    return Array.isArray(value) ? value.map((item) => toInput(item, nullable.ofType)) : value;
  }
  if (isEnumType(nullable)) {
    return nullable.getValues().find((known) => known.value === value)?.name ?? value;
  }
  if (!isInputObjectType(nullable)) return value;
  if (nullable.isOneOf && typeof value === "string") return { id: value };
  if (typeof value !== "object") return value;
  const fields = nullable.getFields();
  if ("backendId" in value && !fields.backendId) {
    const { backendId, ...module } = value;
    return toInput({ ...module, backend: backendId }, nullable);
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => !nullable.isOneOf || member !== null)
      .map(([name, member]) => {
        const field = fields[name];
        return [name, field ? toInput(member, field.type) : member];
      }),
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
