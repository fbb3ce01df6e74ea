import { setTimeout as sleep } from "node:timers/promises";
import { type EventReader, openEvents } from "./event-streams.js";
import { FAULTS_KEY } from "./faults.js";
import { type Fields, graphql } from "./transports.js";

export interface Follower {
  /** Ids of the resources whose changes were told, in order. */
  readonly seen: readonly string[];
  /** How its streams ended before it was stopped: "completed", a code, or what was wrong with the connection. */
  readonly ends: ReadonlySet<string>;
  stop(): void;
}

const SUBSCRIPTION = "subscription { changes { id resourceId } }";
const AGAIN_AFTER_MS = 20;

/** Follows the change log of a server under faults from now on, and goes on behind the last event when a stream ends. */
export async function followChanges(url: string): Promise<Follower> {
  const seen: string[] = [];
  const ends = new Set<string>();
  const { changes } = await graphql(
    { url, writeKey: FAULTS_KEY },
    "{ changes(last: 1) { position } }",
  );
  let position: string = changes.position;
  let events: EventReader | null = null;
  let isDone = false;
  const toTheEnd = async (): Promise<string> => {
    events = await openEvents({ url }, FAULTS_KEY, { query: SUBSCRIPTION }, position);
    for (;;) {
      const event = await events.next();
      if (!event) return "completed";
      const { data, errors }: Fields = event.result;
      if (errors) return errors[0].extensions.code;
      position = data.changes.id;
      seen.push(data.changes.resourceId);
    }
  };
  void (async () => {
    while (!isDone) {
      const end = await toTheEnd().catch((error: Error) => error.message);
      if (isDone) return;
      ends.add(end);
      if (end !== "completed") await sleep(AGAIN_AFTER_MS);
    }
  })();
  return {
    seen,
    ends,
    stop() {
      isDone = true;
      events?.close();
    },
  };
}
