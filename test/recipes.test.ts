import { readFileSync } from "node:fs";
import { parse as parseDocument } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fillWithDemo } from "./harness/demo.js";
import { startServer, type TestServer } from "./harness/server.js";
import { firstEvent } from "./harness/subscriptions.js";
import type { Fields } from "./harness/transports.js";

// Every recipe of docs/graphql.md, as printed, one after the other on the data of `npm run demo`.

const TEXT = readFileSync(new URL("../docs/graphql.md", import.meta.url), "utf8");

interface Recipe {
  readonly title: string;
  readonly document: string;
  readonly variables: Fields;
  /** What the answer has to have; without it, it must have data and no errors. */
  readonly answer: Fields | null;
}

const recipes = TEXT.split(/^## (?=\d)/m)
  .slice(1)
  .map((section): Recipe => {
    const block = (kind: string) =>
      new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, "ms").exec(section)?.[1] ?? null;
    const json = (kind: string) => JSON.parse(block(`json ${kind}`) ?? "null") as Fields | null;
    return {
      title: section.slice(0, section.indexOf("\n")),
      document: block("graphql") ?? "",
      variables: json("variables") ?? {},
      answer: json("answer"),
    };
  });

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await fillWithDemo(server);
});
afterAll(() => server.stop());

/** The last id of each prefix that an answer had: what `edghts_…` in variables stands for. */
const lastIds = new Map<string, string>();

function remember(answer: unknown): void {
  for (const [id, prefix = ""] of JSON.stringify(answer).matchAll(
    /\b([a-z]+)_[0-9A-Za-z]{27}\b/g,
  )) {
    lastIds.set(prefix, id);
  }
}

function withIds(variables: Fields): Fields {
  const text = JSON.stringify(variables).replace(
    /\b([a-z]+)_…/g,
    (all, prefix: string) => lastIds.get(prefix) ?? all,
  );
  return JSON.parse(text) as Fields;
}

/** `…` in an expected text stands for anything. */
function expected(value: unknown): unknown {
  if (typeof value === "string" && value.includes("…")) {
    const parts = value.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    return expect.stringMatching(new RegExp(`^${parts.join(".*")}$`));
  }
  if (Array.isArray(value)) return value.map(expected);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, expected(member)]),
  );
}

async function send({ document, variables }: Recipe): Promise<Fields> {
  const response = await fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${server.writeKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: document, variables: withIds(variables) }),
  });
  return (await response.json()) as Fields;
}

const operationOf = ({ document }: Recipe) => {
  const [definition] = parseDocument(document).definitions;
  return definition?.kind === "OperationDefinition" ? definition.operation : null;
};

describe("docs/graphql.md", () => {
  it("has ten recipes", () => {
    expect(recipes.map(({ title }) => Number.parseInt(title, 10))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
  });

  it.each(recipes)("$title", async (recipe) => {
    const answer = await (operationOf(recipe) === "subscription"
      ? firstEvent(server, recipe.document)
      : send(recipe));
    remember(answer);
    if (recipe.answer) expect(answer).toMatchObject(expected(recipe.answer) as object);
    else expect(answer).toEqual({ data: expect.anything(), extensions: expect.anything() });
    for (const [name, list] of Object.entries<Fields>(answer.data)) {
      if (Array.isArray(list?.nodes) && name !== "hostportConflicts") {
        expect([name, list.nodes.length]).not.toEqual([name, 0]);
      }
    }
  });

  it("follows by the printed curl command what the recipe follows", () => {
    const [, body = ""] = /-d '(\{"query": "subscription.*?)'\n/.exec(TEXT) ?? [];
    const { query } = JSON.parse(body) as Fields;
    expect(operationOf({ title: "", document: query, variables: {}, answer: null })).toBe(
      "subscription",
    );
  });
});
