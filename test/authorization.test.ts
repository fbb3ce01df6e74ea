import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contract } from "../src/rest/index.js";
import { schema } from "../src/schema/index.js";
import { resources, routesOf, type TestResource } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest, transports } from "./harness/transports.js";

// Every operation of both transports with each kind of key. The operations come from the contract and the schema, so
// that a new one is here by itself.

let server: TestServer;
/** Ids of resources that exist, by their prefixes. */
const ids = new Map<string, string>();
const keys = new Map<string, string>();

beforeAll(async () => {
  server = await startServer();
  for (const resource of resources) await create(resource);
  await create(routesOf(ids.get("edghts") ?? ""), { matchType: "path_prefix", match: "/" });
  const revoked = (await rest(server, "POST", "/api_keys")).body;
  await rest(server, "DELETE", `/api_keys/${revoked.id}`);
  keys.set("a revoked key", revoked.token);
  keys.set("a key that is none", `${server.writeKey.slice(0, -1)}!`);
  keys.set("a read-only key", server.readKey);
  keys.set("a full key", server.writeKey);
});
afterAll(() => server.stop());

async function create(resource: TestResource, fields: Fields = {}): Promise<string> {
  const required = await resource.required?.(async (other) => ({ id: await create(other) }));
  const [overRest] = transports;
  if (!overRest) throw new Error("There is no transport.");
  const { id } = await overRest.drive(server, resource).create({ ...required, ...fields });
  ids.set(resource.prefix, id);
  return id;
}

const USELESS = ["no key", "a revoked key", "a key that is none"];

/** The headers of a request with the key of this name. */
function headersWith(key: string): Record<string, string> {
  const token = keys.get(key);
  return {
    "Service-Version": "2",
    "Content-Type": "application/json",
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
}

/** Calls `ask` for each, some at a time; returns what it found wrong. */
async function problemsOf<Item>(
  items: readonly Item[],
  ask: (item: Item) => Promise<string | null>,
): Promise<string[]> {
  const left = [...items];
  const problems: string[] = [];
  const client = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      const problem = await ask(item);
      if (problem !== null) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return problems;
}

/** The number of changes that were ever made. */
async function changeCount(): Promise<number> {
  return server.context.db.change.count();
}

describe("over REST", () => {
  const prefixes = new Map(resources.map(({ path, prefix }) => [path, prefix]));
  const PARENT = "/edges/https/:edge_id/routes";

  /** The path of an operation on resources that exist, or on none that does. */
  function pathOf(path: string, exists: boolean): string {
    const list = path.startsWith(PARENT) ? PARENT : path.split("/:")[0];
    const prefix = list === PARENT ? "edghtsrt" : prefixes.get(list ?? "");
    const id = (prefix: string) => (exists ? (ids.get(prefix) ?? "") : `${prefix}_none`);
    return path.replace(":edge_id", id("edghts")).replace(":id", id(prefix ?? ""));
  }

  interface Answered {
    readonly status: number;
    /** "" for an answer that is no refusal. */
    readonly code: string;
  }

  async function ask(method: string, path: string, key: string): Promise<Answered> {
    const takesBody = ["POST", "PATCH", "PUT"].includes(method);
    const response = await fetch(server.url + path, {
      method,
      headers: headersWith(key),
      ...(takesBody && { body: "{}" }),
    });
    const text = await response.text();
    const code = response.ok || text === "" ? "" : JSON.parse(text).error_code;
    return { status: response.status, code };
  }

  const reads = contract.filter(({ method }) => method === "GET");
  const changes = contract.filter(({ method }) => method !== "GET");

  it("there are operations of both kinds", () => {
    expect(reads.length).toBeGreaterThan(80);
    expect(changes.length).toBeGreaterThan(140);
  });

  it.each(USELESS)("everything is refused with %s, and nothing happens", async (key) => {
    const before = await changeCount();
    const heads = reads.map(({ path }) => ({ method: "HEAD", path }));
    const problems = await problemsOf([...contract, ...heads], async ({ method, path }) => {
      const { status, code } = await ask(method, pathOf(path, true), key);
      const expected = method === "HEAD" ? "" : "ERR_UNAUTHENTICATED";
      return status === 401 && code === expected ? null : `${method} ${path}: ${status} ${code}`;
    });
    expect(problems).toEqual([]);
    expect(await changeCount()).toBe(before);
  });

  it("a read-only key reads what a full key reads", async () => {
    let found = 0;
    const problems = await problemsOf(reads, async ({ path }) => {
      const full = await ask("GET", pathOf(path, true), "a full key");
      const readOnly = await ask("GET", pathOf(path, true), "a read-only key");
      if (full.status === 200) found++;
      // A module that is not set is not found.
      const isRead = full.status === 200 || full.code === "ERR_NOT_FOUND";
      const isSame = readOnly.status === full.status && readOnly.code === full.code;
      return isRead && isSame ? null : `${path}: ${readOnly.status} ${readOnly.code}`;
    });
    expect(problems).toEqual([]);
    expect(found).toBeGreaterThan(2 * resources.length);
  });

  it("a read-only key changes nothing, whether the request is right or not", async () => {
    const before = await changeCount();
    const problems = await problemsOf(changes, async ({ method, path }) => {
      for (const exists of [true, false]) {
        const { status, code } = await ask(method, pathOf(path, exists), "a read-only key");
        if (status !== 403 || code !== "ERR_FORBIDDEN") return `${method} ${path}: ${status}`;
      }
      return null;
    });
    expect(problems).toEqual([]);
    expect(await changeCount()).toBe(before);
  });

  it("a full key is refused nothing for its rights", async () => {
    const problems = await problemsOf(contract, async ({ method, path }) => {
      const { status, code } = await ask(method, pathOf(path, false), "a full key");
      return [401, 403].includes(status) || status >= 500 ? `${method} ${path}: ${code}` : null;
    });
    expect(problems).toEqual([]);
  });
});

describe("over GraphQL", () => {
  type Field = GraphQLField<unknown, unknown>;
  const fieldsOf = (type: "Query" | "Mutation" | "Subscription"): readonly Field[] => {
    const found = schema.getType(type);
    if (!found || !("getFields" in found)) throw new Error(`There is no ${type}.`);
    return Object.values(found.getFields()) as Field[];
  };

  /** The prefix of the ids that the field takes: those of the kind in its name, with the longest name that fits. */
  function prefixOf({ name }: Field): string {
    const kinds = [...resources, routesOf("")]
      .filter(({ one }) => name.toLowerCase().endsWith(one.toLowerCase()))
      .sort((a, b) => b.one.length - a.one.length);
    return kinds[0]?.prefix ?? "ipp";
  }

  /** The least that a type takes; where it takes ids, `id`. */
  function leastOf(type: GraphQLInputType, id: string): unknown {
    const inner = getNullableType(type);
    if (isListType(inner)) return [leastOf(inner.ofType, id)];
    if (isEnumType(inner)) return inner.getValues()[0]?.name;
    if (isInputObjectType(inner)) {
      const fields = Object.values(inner.getFields());
      const given = inner.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField);
      return Object.fromEntries(given.map(({ name, type }) => [name, leastOf(type, id)]));
    }
    if (inner.name === "ID") return id;
    if (inner.name === "Int" || inner.name === "Float") return 1;
    if (inner.name === "Boolean") return true;
    return "https://example.com/";
  }

  interface Operation {
    readonly name: string;
    readonly query: string;
    readonly variables: Fields;
  }

  function operationOf(
    kind: string,
    field: Field,
    exists: boolean,
    alsoGiven: (argument: GraphQLArgument) => boolean = () => false,
  ): Operation {
    const prefix = prefixOf(field);
    const id = exists ? (ids.get(prefix) ?? "") : `${prefix}_none`;
    const given = field.args.filter((each) => isRequiredArgument(each) || alsoGiven(each));
    const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(", ");
    const passed = given.map(({ name }) => `${name}: $${name}`).join(", ");
    const [declaration, args] = given.length === 0 ? ["", ""] : [`(${declared})`, `(${passed})`];
    return {
      name: field.name,
      query: `${kind}${declaration} { ${field.name}${args} { __typename } }`,
      variables: Object.fromEntries(given.map(({ name, type }) => [name, leastOf(type, id)])),
    };
  }

  interface Answered {
    readonly status: number;
    /** "" for an answer without errors. */
    readonly code: string;
    readonly data: Fields | null | undefined;
  }

  const bodyOf = ({ query, variables }: Operation) => ({ query, variables });

  async function ask(operation: Operation, key: string): Promise<Answered> {
    const response = await fetch(`${server.url}/graphql`, {
      method: "POST",
      headers: headersWith(key),
      body: JSON.stringify(bodyOf(operation)),
    });
    const { data, errors } = (await response.json()) as Fields;
    return { status: response.status, code: errors?.[0].extensions.code ?? "", data };
  }

  const queries = fieldsOf("Query");
  const mutations = fieldsOf("Mutation");
  const subscriptions = fieldsOf("Subscription");
  const operations = (exists: boolean) => [
    ...queries.map((field) => operationOf("query", field, exists)),
    ...mutations.map((field) => operationOf("mutation", field, exists)),
  ];

  it("there are operations of all kinds", () => {
    expect(queries.length).toBeGreaterThan(50);
    expect(mutations.length).toBeGreaterThan(70);
    expect(subscriptions.length).toBeGreaterThan(0);
  });

  it.each(USELESS)("everything is refused with %s, and nothing happens", async (key) => {
    const before = await changeCount();
    const all = [
      ...operations(true),
      ...subscriptions.map((field) => operationOf("subscription", field, true)),
    ];
    const problems = await problemsOf(all, async (operation) => {
      const { status, code, data } = await ask(operation, key);
      const isRefused = status === 401 && code === "UNAUTHENTICATED" && data === undefined;
      return isRefused ? null : `${operation.name}: ${status} ${code}`;
    });
    expect(problems).toEqual([]);
    expect(await changeCount()).toBe(before);
  });

  it.each(USELESS)(
    "queries by GET, event streams, batches and texts that are no GraphQL are refused with %s",
    async (key) => {
      const stream = { ...headersWith(key), Accept: "text/event-stream" };
      const post = (body: unknown, headers = headersWith(key)) =>
        fetch(`${server.url}/graphql`, { method: "POST", headers, body: JSON.stringify(body) });
      const answers = await Promise.all([
        fetch(`${server.url}/graphql?query={__typename}`, { headers: headersWith(key) }),
        ...subscriptions.map((field) =>
          post(bodyOf(operationOf("subscription", field, true)), stream),
        ),
        post({ query: "{ __typename }" }, stream),
        post([{ query: "{ __typename }" }, { query: "{ overview { __typename } }" }]),
        post({ query: "{ __schema { queryType { name } } }" }),
        post({ query: "}" }),
        post({}),
      ]);
      for (const answer of answers) {
        expect(answer.status).toBe(401);
        expect(await answer.text()).toContain('"code":"UNAUTHENTICATED"');
      }
    },
  );

  it("a read-only key reads everything", async () => {
    const asked = queries.map((field) => operationOf("query", field, true));
    const problems = await problemsOf(asked, async (operation) => {
      const { status, code, data } = await ask(operation, "a read-only key");
      const isRead = status === 200 && code === "" && data?.[operation.name];
      return isRead ? null : `${operation.name}: ${status} ${code}`;
    });
    expect(problems).toEqual([]);
  });

  it.each(["a read-only key", "a full key"])("%s follows changes", async (key) => {
    for (const field of subscriptions) {
      const response = await fetch(`${server.url}/graphql`, {
        method: "POST",
        headers: { ...headersWith(key), Accept: "text/event-stream" },
        body: JSON.stringify(bodyOf(operationOf("subscription", field, true))),
      });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      await response.body?.cancel();
    }
  });

  it("a read-only key changes nothing, whether the request is right or not, dry or not", async () => {
    const before = await changeCount();
    const asked = mutations.flatMap((field) => [
      operationOf("mutation", field, true),
      operationOf("mutation", field, false),
      operationOf("mutation", field, true, ({ name }) => name === "dryRun"),
    ]);
    const problems = await problemsOf(asked, async (operation) => {
      const { status, code, data } = await ask(operation, "a read-only key");
      const isRefused = status === 200 && code === "FORBIDDEN" && !data?.[operation.name];
      return isRefused ? null : `${operation.name}: ${status} ${code}`;
    });
    expect(problems).toEqual([]);
    expect(await changeCount()).toBe(before);
  });

  it("a read-only key changes nothing in a batch or under several names either", async () => {
    const before = await changeCount();
    const create = "createIpPolicy(input: {}) { __typename }";
    const query = `mutation { one: ${create} two: ${create} }`;
    const response = await fetch(`${server.url}/graphql`, {
      method: "POST",
      headers: headersWith("a read-only key"),
      body: JSON.stringify([{ query }, { query: "{ overview { __typename } }" }]),
    });
    const [refused, read] = (await response.json()) as Fields[];
    const codes = refused?.errors.map(({ extensions }: Fields) => extensions.code);
    expect(new Set(codes)).toEqual(new Set(["FORBIDDEN"]));
    expect(read?.data.overview).toBeTruthy();
    expect(await changeCount()).toBe(before);
  });

  it("a full key is refused nothing for its rights", async () => {
    const problems = await problemsOf(operations(false), async (operation) => {
      const { status, code } = await ask(operation, "a full key");
      const isRefused =
        status >= 500 || ["UNAUTHENTICATED", "FORBIDDEN", "INTERNAL"].includes(code);
      return isRefused ? `${operation.name}: ${status} ${code}` : null;
    });
    expect(problems).toEqual([]);
  });
});

describe("without a key", () => {
  /** All that is open, by what a request for it accepts. */
  const OPEN: readonly (readonly [path: string, accept: string, hasFiles: boolean])[] = [
    ["/livez", "*/*", false],
    ["/readyz", "*/*", false],
    ["/openapi.json", "application/json", false],
    ["/docs", "text/html", true],
    ["/", "text/html", true],
    ["/dashboard", "text/html", true],
    ["/graphql", "text/html", true],
  ];

  it.each(OPEN)(
    "%s is open to %s, and shows nothing of what is stored",
    async (path, Accept, hasFiles) => {
      const description = "only those with a key know this";
      const id = await create(resources[0] as TestResource, { description });
      const response = await fetch(server.url + path, { headers: { Accept } });
      expect(response.status).toBe(200);
      const text = await response.text();
      for (const secret of [description, id]) expect(text).not.toContain(secret);
      const files = [...text.matchAll(/(?:src|href)="([^"]+\/assets\/[^"]+)"/g)];
      expect(files.length > 0).toBe(hasFiles);
      for (const [, file] of files) {
        expect((await fetch(new URL(file ?? "", server.url))).status).toBe(200);
      }
    },
  );
});

it("a key that is revoked while requests are under way is refused from then on, over both transports", async () => {
  const { id, token } = (await rest(server, "POST", "/api_keys")).body;
  const own = { url: server.url, writeKey: token };
  const asked = Array.from({ length: 20 }, () => graphql(own, "{ overview { __typename } }"));
  const revoked = rest(server, "DELETE", `/api_keys/${id}`);
  await Promise.allSettled(asked);
  expect((await revoked).status).toBe(204);
  for (let times = 0; times < 5; times++) {
    expect((await rest(own, "GET", "/ip_policies")).status).toBe(401);
    await expect(graphql(own, "{ overview { __typename } }")).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
  }
});
