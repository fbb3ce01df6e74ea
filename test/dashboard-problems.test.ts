import { CombinedError } from "@urql/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTemporary, isUnauthenticated, problemOf } from "../dashboard/src/api/problems.js";
import { pauseAfter, retryAfterOf } from "../dashboard/src/api/retries.js";
import { startServer } from "./harness/server.js";
import type { Fields } from "./harness/transports.js";

const errorOf = (extensions: Fields, response?: Response) =>
  new CombinedError({ graphQLErrors: [{ message: "Said", extensions }], response });

describe("a problem in the dashboard", () => {
  it("has the words, code, issues and operation id of a real refusal", async () => {
    const server = await startServer();
    try {
      const ask = async (key: string) => {
        const answer = await fetch(`${server.url}/graphql`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ query: '{ ipPolicies(first: 0, after: "x") { totalCount } }' }),
        });
        const { errors } = (await answer.json()) as Fields;
        // The class of this process is not that of its fetch.
        const response = new Response(null, { status: answer.status, headers: answer.headers });
        return { error: new CombinedError({ graphQLErrors: errors, response }), errors, response };
      };
      const { error, errors, response } = await ask(server.readKey);
      const problem = problemOf(error);
      expect(problem).toEqual({
        code: "INVALID_REQUEST",
        message: errors[0].message,
        issues: errors[0].extensions.issues.map(({ path, message }: Fields) => ({ path, message })),
        operationId: response.headers.get("Operation-Id"),
        currentVersion: null,
      });
      expect(problem.issues.length).toBeGreaterThan(0);
      expect(problem.operationId).toMatch(/^op_/);
      expect(isUnauthenticated(error)).toBe(false);
      expect(isUnauthenticated((await ask("wrong")).error)).toBe(true);
    } finally {
      await server.stop();
    }
  });

  it("says that the server could not be reached when there was no answer", () => {
    const error = new CombinedError({ networkError: new Error("Failed to fetch") });
    expect(problemOf(error)).toEqual({
      code: "UNREACHABLE",
      message: "The server could not be reached: Failed to fetch.",
      issues: [],
      operationId: null,
      currentVersion: null,
    });
  });

  it("is unauthenticated by its code, and by the status of an answer that has none", () => {
    const proxied = new Response("<html>", { status: 401 });
    const networkError = new Error("Unauthorized");
    expect(isUnauthenticated(errorOf({ code: "UNAUTHENTICATED" }))).toBe(true);
    expect(isUnauthenticated(new CombinedError({ networkError, response: proxied }))).toBe(true);
    expect(isUnauthenticated(errorOf({ code: "FORBIDDEN" }))).toBe(false);
  });

  it("passes by itself only where the server could not answer", () => {
    const temporary = (code: string) => isTemporary(problemOf(errorOf({ code })));
    const passing = ["UNAVAILABLE", "RATE_LIMITED", "DEADLINE_EXCEEDED", "REQUEST_TIMEOUT"];
    expect(passing.map(temporary)).toEqual(passing.map(() => true));
    const lasting = ["INVALID_REQUEST", "NOT_FOUND", "FORBIDDEN", "UNAUTHENTICATED", "INTERNAL"];
    expect(lasting.map(temporary)).toEqual(lasting.map(() => false));
  });

  it("withstands extensions of any shape", () => {
    fc.assert(
      fc.property(fc.object(), (extensions) => {
        const { issues, code } = problemOf(errorOf(extensions));
        expect(typeof code).toBe("string");
        for (const { path, message } of issues) {
          expect([Array.isArray(path), typeof message]).toEqual([true, "string"]);
        }
      }),
    );
  });
});

describe("the pause before another attempt", () => {
  it("grows with the failures, to ten seconds at most, and is never none", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, chance) => {
          const pause = pauseAfter(failures, 0, chance);
          expect(pause).toBeGreaterThanOrEqual(100);
          expect(pause).toBeLessThanOrEqual(10_000);
          expect(pauseAfter(failures + 1, 0, chance)).toBeGreaterThanOrEqual(pause);
        },
      ),
    );
  });

  it("is at least what the server asks for, to a minute", () => {
    expect(pauseAfter(1, 7_000)).toBe(7_000);
    expect(pauseAfter(1, 3_600_000)).toBe(60_000);
    expect(pauseAfter(20, 1_000, 1)).toBe(10_000);
  });

  it("is read from Retry-After in both of its forms", () => {
    const read = (text: string) => retryAfterOf(new Headers({ "Retry-After": text }));
    expect(retryAfterOf(undefined)).toBe(0);
    expect(retryAfterOf(new Headers())).toBe(0);
    expect(read("7")).toBe(7_000);
    expect(read("soon")).toBe(0);
    expect(read("Wed, 21 Oct 2015 07:28:00 GMT")).toBe(0);
    const inAnHour = read(new Date(Date.now() + 3_600_000).toUTCString());
    expect(inAnHour).toBeGreaterThan(3_500_000);
    expect(inAnHour).toBeLessThanOrEqual(3_600_000);
  });
});
