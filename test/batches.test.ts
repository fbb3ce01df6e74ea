import { ApolloClient, gql, InMemoryCache } from "@apollo/client";
import { CombinedGraphQLErrors } from "@apollo/client/errors";
import { BatchHttpLink } from "@apollo/client/link/batch-http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LARGEST_BATCH } from "../src/schema/transport/limits/settings.js";
import { startServer, type TestServer } from "./harness/server.js";
import type { Fields } from "./harness/transports.js";

let server: TestServer;
let none: TestServer;
let large: TestServer;
beforeAll(async () => {
  [server, none, large] = await Promise.all([
    startServer(),
    startServer({ graphql: { maxBatch: 0 } }),
    startServer({ graphql: { maxBatch: LARGEST_BATCH } }),
  ]);
});
afterAll(() => Promise.all([server.stop(), none.stop(), large.stop()]));

async function send({ url, writeKey }: TestServer, body: string, accept = "*/*") {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: {
      Accept: accept,
      Authorization: `Bearer ${writeKey}`,
      "Content-Type": "application/json",
    },
    body,
  });
  const text = await response.text();
  const type = response.headers.get("content-type")?.split(";", 1)[0];
  return { status: response.status, type, text, answer: JSON.parse(text) as Fields };
}

const batch = (length: number) =>
  JSON.stringify(Array.from({ length }, () => ({ query: "{ __typename }" })));
const refusal = (size: number, limit: number) => ({
  message: `\`batch\` is ${size}, and may be at most ${limit}.`,
  extensions: {
    code: "LIMIT_EXCEEDED",
    issues: [{ path: ["batch"], message: `is ${size}, and may be at most ${limit}`, limit }],
  },
});

describe("a batch", () => {
  it("of 10 operations is executed by default", async () => {
    const { status, answer } = await send(server, batch(10));
    expect(status).toBe(200);
    expect(answer.map(({ data }: Fields) => data)).toEqual(
      Array.from({ length: 10 }, () => ({ __typename: "Query" })),
    );
  });

  it("of as many as can be allowed is executed, without a warning of the process", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    const { answer } = await send(large, batch(LARGEST_BATCH));
    process.off("warning", onWarning);
    expect(answer).toHaveLength(LARGEST_BATCH);
    expect(answer.every(({ errors }: Fields) => errors === undefined)).toBe(true);
    expect(warnings).toEqual([]);
  });

  it.each(["application/json", "application/graphql-response+json"])(
    "that is too long gets a refusal for each operation, as %s",
    async (accept) => {
      for (const length of [11, LARGEST_BATCH]) {
        const { status, type, text, answer } = await send(server, batch(length), accept);
        expect([status, type]).toEqual([200, accept]);
        expect(answer).toEqual(Array.from({ length }, () => ({ errors: [refusal(length, 10)] })));
        expect(text.length).toBeLessThan(32 * 1024);
      }
    },
  );

  it("gets them also where no batch is allowed", async () => {
    const { status, answer } = await send(none, batch(2));
    expect([status, answer]).toEqual([
      200,
      [{ errors: [refusal(2, 0)] }, { errors: [refusal(2, 0)] }],
    ]);
  });

  it("gets them whatever its items are", async () => {
    const { answer } = await send(server, JSON.stringify(Array(11).fill(null)));
    expect(answer).toEqual(Array.from({ length: 11 }, () => ({ errors: [refusal(11, 10)] })));
  });

  it("that is longer than any server allows gets a single refusal, which is short", async () => {
    const most = `[${"0,".repeat(128 * 1024 - 2)}0]`;
    for (const body of [batch(LARGEST_BATCH + 1), most]) {
      const { answer, text } = await send(server, body);
      expect(answer.errors).toHaveLength(1);
      expect(answer.errors[0].extensions).toMatchObject({
        code: "LIMIT_EXCEEDED",
        issues: [{ path: ["batch"], limit: 10 }],
      });
      expect(text.length).toBeLessThan(1024);
    }
  });
});

describe("BatchHttpLink of Apollo Client", () => {
  /** Sends so many operations in one request, and returns what each of them gets. */
  async function ask({ url, writeKey }: TestServer, operations: number) {
    const requests: unknown[] = [];
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new BatchHttpLink({
        uri: `${url}/graphql`,
        headers: { Authorization: `Bearer ${writeKey}` },
        batchMax: operations,
        fetch: (target, init) => {
          requests.push(init?.body);
          return fetch(target, init);
        },
      }),
    });
    const asked = Array.from({ length: operations }, (_, index) =>
      client.query({ query: gql(`query Q${index} { __typename }`), fetchPolicy: "no-cache" }),
    );
    const outcomes = await Promise.allSettled(asked);
    expect(requests).toHaveLength(1);
    return outcomes;
  }

  it("gets its 10 operations answered", async () => {
    const outcomes = await ask(server, 10);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(10).fill("fulfilled"));
  });

  it("hands each operation its own refusal, with its code", async () => {
    const outcomes = await ask(server, 12);
    expect(outcomes).toHaveLength(12);
    for (const outcome of outcomes) {
      const reason = outcome.status === "rejected" ? outcome.reason : null;
      expect(CombinedGraphQLErrors.is(reason)).toBe(true);
      expect(reason.errors).toEqual([refusal(12, 10)]);
    }
  });
});
