import type { Worker } from "node:cluster";
import type { Services } from "../domain/core/context.js";
import { tellWorker } from "./workers.js";

/** Passes on, in a primary, that the change log has grown: between its workers, and between them and other processes. */
export interface ChangeRelay {
  /** A worker has committed changes. */
  changed(by: Worker): void;
  /** A worker wants to hear of changes from now on. */
  follows(worker: Worker): void;
  ended(worker: Worker): void;
}

/** Listens at `signal` once some worker follows the log: before, the primary needs no connection for it. */
export function relayChanges(signal: Services["changeSignal"]): ChangeRelay {
  const following = new Set<Worker>();
  let isListening = false;
  const tell = (worker: Worker) => tellWorker(worker, { edgeplane: "changed" });
  return {
    changed(by) {
      // To other commands and on other machines. Their own announcements never come back to them.
      signal.announce();
      for (const worker of following) if (worker !== by) tell(worker);
    },
    follows(worker) {
      following.add(worker);
      // Changes from before it was known to follow.
      tell(worker);
      if (isListening) return;
      isListening = true;
      signal.listen(() => {
        for (const each of following) tell(each);
      });
    },
    ended: (worker) => void following.delete(worker),
  };
}
