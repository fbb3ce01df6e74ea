import { z } from "zod";
import type { Services } from "../domain/core/context.js";
import { type Count, type Counted, notCounted } from "./counters.js";

/**
 * Counts in windows of `seconds`, in the table `rate_limits`, which all processes on one database share. Its clock decides
 * when a window ends, since those of processes differ.
 */
export function countInDatabase(
  { executeAlone }: Pick<Services, "executeAlone">,
  seconds: number,
): Count {
  return async (asked) => {
    const names = asked.map(({ name }) => name);
    const requests = asked.map(({ requests }) => requests);
    const rows = await executeAlone(COUNT, [names, requests, seconds * 1000]);
    const totals = new Map(rows.map((json) => totalOf(json)));
    return names.map((name) => totals.get(name) ?? notCounted(name));
  };
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

/** Deletes the counters whose windows have ended. */
export async function pruneRateLimits({
  executeAlone,
}: Pick<Services, "executeAlone">): Promise<void> {
  await executeAlone("DELETE FROM rate_limits WHERE ends_at < statement_timestamp()", []);
}
