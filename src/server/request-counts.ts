import type { Worker } from "node:cluster";
import type { Counted, Counters, Sender } from "../admission/counters.js";
import { type FromPrimary, type FromWorker, tellPrimary } from "./messages.js";
import { tellWorker } from "./workers.js";

/** Longer than a limiter waits for counts: whoever hears nothing is not to wait for ever. */
const ANSWER_LIMIT_MS = 1_000;

type Asking = Extract<FromWorker, { edgeplane: "count" }>;
type Answer = Extract<FromPrimary, { edgeplane: "counted" }>;

/** In a primary: counts what `worker` asks for, and answers. */
export async function answerCounts(
  counters: Counters,
  worker: Worker,
  { round, sender, asked }: Asking,
): Promise<void> {
  const counted = await counters[sender](asked);
  tellWorker(worker, { edgeplane: "counted", round, counted: [...counted] });
}

/** The counters of the primary, as a worker has them. They reject when the primary has gone, or does not answer. */
export interface PrimaryCounters {
  readonly counters: Counters;
  answered(answer: Answer): void;
}

export function askForCounts(): PrimaryCounters {
  let round = 0;
  const waiting = new Map<number, (counted: readonly Counted[]) => void>();
  const countBy = (sender: Sender): Counters[Sender] => {
    return (asked) =>
      new Promise((resolve, reject) => {
        if (!process.connected) return reject(new Error("The primary has gone."));
        round += 1;
        const own = round;
        const limit = setTimeout(() => {
          waiting.delete(own);
          reject(new Error("The primary does not answer."));
        }, ANSWER_LIMIT_MS);
        waiting.set(own, (counted) => {
          clearTimeout(limit);
          waiting.delete(own);
          resolve(counted);
        });
        void tellPrimary({ edgeplane: "count", round, sender, asked: [...asked] });
      });
  };
  return {
    counters: { keys: countBy("keys"), networks: countBy("networks") },
    answered: ({ round, counted }) => waiting.get(round)?.(counted),
  };
}
