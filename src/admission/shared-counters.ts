import { RateLimiterRes } from "rate-limiter-flexible";
import { z } from "zod";
import type { Services } from "../domain/core/context.js";
import { together } from "../domain/reads/together.js";
import type { Consume, Store } from "./insured.js";

type ExecuteAlone = Services["executeAlone"];

/** Requests to count for a name. */
interface Asked {
  readonly name: string;
  readonly requests: number;
}

/** All requests of a name in its window, those asked for included, and the milliseconds until it ends. */
interface Counted {
  readonly requests: number;
  readonly endsIn: number;
}

/** Requests that one statement counts. */
const MOST_TOGETHER = 100;
/** As long as requests wait for a connection to the database. */
const LIMIT_MS = 2_000;

/**
 * Counts in windows of `seconds` for `most` requests, in the table `rate_limits`, which all processes on one database
 * share. Its clock decides when a window ends, since those of processes differ.
 */
export function sharedCounters(
  { requests: most, seconds }: { readonly requests: number; readonly seconds: number },
  { executeAlone }: Pick<Services, "executeAlone">,
): Store {
  const count = together(
    (asked: readonly Asked[]) => countAll(executeAlone, asked, seconds * 1000),
    MOST_TOGETHER,
  );
  const consume: Consume = async (name, requests) => {
    const counted = await count({ name, requests });
    const left = Math.max(most - counted.requests, 0);
    const result = new RateLimiterRes(left, counted.endsIn, counted.requests);
    return counted.requests > most ? Promise.reject(result) : result;
  };
  return { consume, limitMs: LIMIT_MS };
}

/**
 * Each gets the count at its own turn: what one statement counts for a name is shared out in the order in which it came,
 * so that just as many pass as there is room for.
 */
async function countAll(
  executeAlone: ExecuteAlone,
  asked: readonly Asked[],
  milliseconds: number,
): Promise<Counted[]> {
  const sums = new Map<string, number>();
  const turns = asked.map(({ name, requests }) => {
    const turn = (sums.get(name) ?? 0) + requests;
    sums.set(name, turn);
    return turn;
  });
  const rows = await executeAlone(COUNT, [[...sums.keys()], [...sums.values()], milliseconds]);
  const totals = new Map(rows.map((json) => totalOf(json)));
  return asked.map(({ name }, index) => {
    const { requests, endsIn } = totals.get(name) ?? missing(name);
    return { requests: requests - (sums.get(name) ?? 0) + (turns[index] ?? 0), endsIn };
  });
}

// In the order of names, so that two statements do not wait for each other.
const COUNT = `
  INSERT INTO rate_limits AS known (name, requests, ends_at)
  SELECT name, requests, statement_timestamp() + $3::int * interval '1 millisecond'
  FROM unnest($1::text[], $2::int[]) AS asked(name, requests) ORDER BY name
  ON CONFLICT (name) DO UPDATE SET
    requests = excluded.requests
      + CASE WHEN known.ends_at > statement_timestamp() THEN known.requests ELSE 0 END,
    ends_at =
      CASE WHEN known.ends_at > statement_timestamp() THEN known.ends_at ELSE excluded.ends_at END
  RETURNING json_build_array(name, requests,
    ceil(extract(epoch FROM ends_at - statement_timestamp()) * 1000)::int)::text`;

const total = z.tuple([z.string(), z.number(), z.number()]);

function totalOf(json: string): [string, Counted] {
  const [name, requests, endsIn] = total.parse(JSON.parse(json));
  return [name, { requests, endsIn }];
}

function missing(name: string): never {
  throw new Error(`The requests of ${name} were not counted.`);
}

/** Deletes the counters whose windows have ended. */
export async function pruneRateLimits({
  executeAlone,
}: Pick<Services, "executeAlone">): Promise<void> {
  await executeAlone("DELETE FROM rate_limits WHERE ends_at < statement_timestamp()", []);
}
