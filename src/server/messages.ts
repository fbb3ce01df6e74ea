import cluster from "node:cluster";
import { z } from "zod";
import { SENDERS } from "../admission/counters.js";

// What the processes of one command tell each other.

/** The variable in which a worker gets its number, from 1. */
export const NUMBER_VARIABLE = "EDGEPLANE_WORKER";

/** The number of this worker; null in a process that is no worker of this command. */
export function workerNumber(): number | null {
  const number = process.env[NUMBER_VARIABLE];
  // The process manager of an operator may run the command itself as a worker.
  return cluster.isWorker && number !== undefined ? Number(number) : null;
}

const fromWorker = z.discriminatedUnion("edgeplane", [
  /** It takes requests at the port from now on. */
  z.object({ edgeplane: z.literal("serves"), port: z.number() }),
  /** It cannot start, for the reason, and ends. */
  z.object({ edgeplane: z.literal("failed"), reason: z.string() }),
  /** The change log has grown. */
  z.object({ edgeplane: z.literal("changed") }),
  /** It is there, as it was asked. */
  z.object({ edgeplane: z.literal("is there") }),
  /** It has followers of the change log, and wants to hear of changes from now on. */
  z.object({ edgeplane: z.literal("follows") }),
  /** It wants requests counted, and to hear the counts with the number of the round. */
  z.object({
    edgeplane: z.literal("count"),
    round: z.number(),
    sender: z.enum(SENDERS),
    asked: z.array(z.object({ name: z.string(), requests: z.number() })),
  }),
  /** Its metrics, which it was asked for. */
  z.object({
    edgeplane: z.literal("metrics"),
    values: z.array(z.looseObject({ name: z.string(), type: z.string() })),
  }),
]);

const fromPrimary = z.discriminatedUnion("edgeplane", [
  /** The change log may have grown. */
  z.object({ edgeplane: z.literal("changed") }),
  /** The counts of a round, in the order in which it asked for them. */
  z.object({
    edgeplane: z.literal("counted"),
    round: z.number(),
    counted: z.array(z.object({ requests: z.number(), endsIn: z.number() })),
  }),
  z.object({ edgeplane: z.literal("ask for metrics") }),
  z.object({ edgeplane: z.literal("ask whether it is there") }),
  z.object({ edgeplane: z.literal("stop") }),
]);

export type FromWorker = z.output<typeof fromWorker>;
export type FromPrimary = z.output<typeof fromPrimary>;

/** Null for what libraries send. */
export function messageOfWorker(message: unknown): FromWorker | null {
  return fromWorker.safeParse(message).data ?? null;
}

/** Null for what libraries send. */
export function messageOfPrimary(message: unknown): FromPrimary | null {
  return fromPrimary.safeParse(message).data ?? null;
}

/** Sends a message to the primary. Resolves when it is sent, and also when the primary has gone. */
export function tellPrimary(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve()) ?? resolve();
  });
}
