import type { IncomingMessage } from "node:http";
import type { DatabaseObserver, StatementKind } from "../database/index.js";
import type { Meter } from "../domain/core/context.js";
import { currentRequest, inRequest, type Trace } from "../trace.js";
import type { Metrics } from "./metrics.js";
import type { EndedRequest } from "./request-log.js";

/** What is told what happens in a process. */
export interface Telemetry {
  /** Adds up for each request how long it waits for its statements, and for connections to send them on. */
  readonly statements: DatabaseObserver;
  readonly meter: Meter;
  begun(request: IncomingMessage, trace: Trace): void;
  ended(ended: EndedRequest): void;
}

/** Tells `metrics` too, unless it is null. */
export function createTelemetry(metrics: Metrics | null): Telemetry {
  const statement = (kind: StatementKind) => {
    const end = beginStatement();
    return (error?: unknown) => {
      const ms = end();
      metrics?.statement(kind, ms / 1000, error !== undefined);
    };
  };
  return {
    statements: {
      statement,
      connection(isIdle) {
        const request = currentRequest();
        const start = performance.now();
        return () => {
          if (isIdle) return;
          const ms = performance.now() - start;
          if (request) request.poolWaitMs += ms;
          metrics?.waited(ms / 1000);
        };
      },
    },
    meter: {
      sendShared: (send) => inRequest(null, send),
      awaitShared: beginStatement,
      changed: (changes) => metrics?.changed(changes),
      read: (plan) => metrics?.read(plan),
    },
    begun() {},
    ended: (ended) => metrics?.ended(ended),
  };
}

/** Returns what ends the statement, charges it to the request that waits for it, and returns its time in ms. */
function beginStatement(): () => number {
  const request = currentRequest();
  const start = performance.now();
  return () => {
    const ms = performance.now() - start;
    if (request) {
      request.statements += 1;
      request.databaseMs += ms;
    }
    return ms;
  };
}
