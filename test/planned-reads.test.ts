import fc from "fast-check";
import { parse } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainAnswer } from "./harness/plain/answers.js";
import { anyOperation, type Operation } from "./harness/plain/selections.js";
import { createWorld, type World } from "./harness/plain/world.js";
import { startServer, type TestServer } from "./harness/server.js";
import type { Fields } from "./harness/transports.js";

// Whatever is selected: the server answers as if it had read each resource alone.

const SEED = 20;
/** `RUNS` asks for more, by hand. */
const RUNS = Number(process.env.RUNS ?? 40);
/** The third time a document is executed as compiled code; each of the variables comes before and after. */
const TIMES = 6;

let server: TestServer;
let world: World;
beforeAll(async () => {
  server = await startServer({
    graphql: {
      maxCost: 1e12,
      maxDepth: 200,
      maxAliases: 10_000,
      maxRootFields: 100,
      maxTokens: 100_000,
      deadlineMs: 60_000,
    },
  });
  world = await createWorld(server, SEED);
});
afterAll(() => server.stop());

async function ask(query: string, variables: Fields, key: string): Promise<Fields> {
  const response = await fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const { extensions: _, ...answer } = (await response.json()) as Fields;
  return answer;
}

async function check({ text, variables }: Operation): Promise<void> {
  const document = parse(text);
  for (let time = 0; time < TIMES; time += 1) {
    const given = variables[time % variables.length] ?? {};
    const keys = [
      [server.writeKey, world],
      [server.readKey, world.withoutSecrets],
    ] as const;
    // Which key comes first changes, since what is kept for one must not serve the other.
    for (const [key, seen] of time % 2 === 0 ? keys : keys.toReversed()) {
      const answer = await ask(text, given, key);
      const expected = JSON.parse(JSON.stringify(plainAnswer(seen, document, given)));
      const what = `${text}\n${JSON.stringify(given)}, time ${time}`;
      expect(answer, what).toEqual(expected);
      // The fields are in the order in which they are asked for.
      expect(JSON.stringify(answer), what).toBe(JSON.stringify(expected));
    }
  }
}

describe("a selection", () => {
  it.each([
    ["always the same ones", SEED],
    ["others each time", undefined],
  ])(
    "is answered as each resource is when read alone: %s",
    async (_, seed) => {
      await fc.assert(fc.asyncProperty(anyOperation(world), check), {
        numRuns: RUNS,
        ...(seed !== undefined && { seed }),
        // Who asks for more has the time, and looks at what was found as it is.
        ...(process.env.RUNS ? { endOnFailure: true } : { interruptAfterTimeLimit: 8_000 }),
      });
    },
    36_000_000,
  );
});
