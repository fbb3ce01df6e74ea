import type { DatabaseObserver } from "../database/index.js";
import type { Meter } from "../domain/core/context.js";
import { currentRequest, inRequest } from "../trace.js";

/** Adds up for each request how long it waits for its statements, and for connections to send them on. */
export function statementsOfRequests(): DatabaseObserver {
  return {
    statement: beginStatement,
    connection(isIdle) {
      const request = currentRequest();
      const start = performance.now();
      return () => {
        if (request && !isIdle) request.poolWaitMs += performance.now() - start;
      };
    },
  };
}

/** The same for statements that several requests wait for. */
export function sharedStatements(): Meter {
  return {
    sendShared: (send) => inRequest(null, send),
    awaitShared: beginStatement,
  };
}

function beginStatement(): () => void {
  const request = currentRequest();
  const start = performance.now();
  return () => {
    if (!request) return;
    request.statements += 1;
    request.databaseMs += performance.now() - start;
  };
}
