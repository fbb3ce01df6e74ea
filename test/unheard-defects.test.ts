import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString, parse } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { describe, expect, it } from "vitest";
import { fragmentsOf } from "../src/schema/reads/fragments.js";
import { isTooLong } from "../src/schema/transport/compiled-execution.js";
import { operationOf } from "../src/schema/transport/limits/documents.js";
import {
  createBudget,
  occupying,
  turnstile,
} from "../src/schema/transport/limits/large-operations.js";
import { runServer, urlOf } from "./harness/processes.js";
import { freshDatabase } from "./harness/server.js";

// What a defect does to others, where no resolver's error handling can hear of it.

describe("a defect that nobody catches", () => {
  it("is logged, and the process goes on", async () => {
    const database = await freshDatabase();
    const strand = "process.on('SIGUSR2', () => Promise.reject(new Error('stranded')))";
    const server = runServer({
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(strand)}`,
    });
    try {
      const url = await urlOf(server);
      server.child.kill("SIGUSR2");
      while (!server.output().includes("stranded")) {
        expect(server.child.exitCode).toBeNull();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect((await fetch(`${url}/livez`)).status).toBe(200);
      expect(server.output()).toContain("an unhandled defect");
    } finally {
      server.child.kill("SIGKILL");
      await server.exited;
      await database.stop();
    }
  });

  it("keeps no place from others once its operation is given up", async () => {
    const places = turnstile(1);
    const stop = new AbortController();
    const stranded = occupying(
      places,
      createBudget(1000),
      stop.signal,
      () => new Promise(() => {}),
    );
    const next = occupying(places, createBudget(1000), undefined, async () => "served");
    await nextTurn();
    stop.abort();
    expect(await next).toBe("served");
    expect(await Promise.race([stranded, Promise.resolve("not ended")])).toBe("not ended");
  });

  it("is not begun when it was given up while it waited", async () => {
    const places = turnstile(1);
    const leave = await places();
    const stop = new AbortController();
    let begun = false;
    const late = occupying(places, createBudget(1000), stop.signal, async () => {
      begun = true;
    });
    stop.abort(new Error("too late"));
    leave();
    await expect(late).rejects.toThrow("too late");
    expect(begun).toBe(false);
    expect(await occupying(places, createBudget(1000), undefined, async () => "free")).toBe("free");
  });
});

describe("compiled code", () => {
  const later = <Value>(value: () => Value) => Promise.resolve().then(value);
  const type = new GraphQLObjectType({
    name: "Query",
    fields: {
      failing: {
        type: GraphQLString,
        resolve: () =>
          later(() => {
            throw new Error("a defect");
          }),
      },
      absent: { type: new GraphQLNonNull(GraphQLString), resolve: () => later(() => null) },
      served: { type: GraphQLString, resolve: () => later(() => "served") },
    },
  });

  it.each([
    ["{ failing served }", { failing: null, served: "served" }],
    ["{ served absent }", null],
  ])("hears what a promise rejects with or lacks: %s", async (query, data) => {
    const compiled = compileQuery(new GraphQLSchema({ query: type }), parse(query));
    if (!isCompiledQuery(compiled)) throw new Error("It does not compile.");
    const result = await compiled.query({}, {}, {});
    expect([result.data, result.errors?.length]).toEqual([data, 1]);
  });

  const nested = (levels: number, open: string, inner: string, close: string) =>
    open.repeat(levels) + inner + close.repeat(levels);
  const parents = (width: number) =>
    Array.from({ length: width }, (_, i) => `a${i}: parents(first: 1) { nodes { id } }`).join(" ");

  it.each([
    ["a list of an interface", false, `{ backends { nodes { ${parents(1)} } } }`],
    [
      "children of children",
      false,
      "{ backends { nodes { id ... on FailoverBackend { backends { id ... on WeightedBackend { backends { backend { id } } } } } } } }",
    ],
    ["seven lists on each type of an interface", true, `{ backends { nodes { ${parents(7)} } } }`],
    [
      "interfaces in interfaces",
      true,
      `{ backends { nodes { ${nested(3, "parents { nodes { ", "id", " } } ")} } } }`,
    ],
    [
      "children in fifteen ways at two levels",
      true,
      `{ backends { nodes { ${Array.from({ length: 15 }, (_, i) => `... on FailoverBackend { a${i}: backends { ${Array.from({ length: 10 }, (_, k) => `b${k}: id`).join(" ")} } }`).join(" ")} } } }`,
    ],
  ])("is made of what makes little of it, of %s: not %s", (_, isLong, query) => {
    const document = parse(query);
    expect(isTooLong(fragmentsOf(document), operationOf(document, null))).toBe(isLong);
  });
});
