import type { IncomingMessage } from "node:http";
import type { DatabaseObserver, StatementKind } from "../database/index.js";
import type { Meter } from "../domain/core/context.js";
import { currentRequest, type EndedRequest, inRequest, type Trace } from "../trace.js";
import type { Metrics } from "./metrics.js";
import type { Tracing } from "./tracing.js";

/** What is told what happens in a process. */
export interface Telemetry {
  /** Adds up for each request how long it waits for its statements, and for connections to send them on. */
  readonly statements: DatabaseObserver;
  readonly meter: Meter;
  begun(request: IncomingMessage, trace: Trace): void;
  ended(ended: EndedRequest): void;
}

/** Tells `metrics` and `tracing` too, where these are not null. */
export function createTelemetry(metrics: Metrics | null, tracing: Tracing | null): Telemetry {
  return {
    statements: {
      statement(kind) {
        const end = beginStatement(kind);
        return (error) => {
          const ms = end(error);
          metrics?.statement(kind, ms / 1000, error !== undefined);
        };
      },
      connection(isIdle) {
        if (isIdle) return () => {};
        const request = currentRequest();
        const start = performance.now();
        const endPart = request && beginPart(request, "wait for a connection", {});
        return (error) => {
          const ms = performance.now() - start;
          if (request) request.poolWaitMs += ms;
          endPart?.(error);
          metrics?.waited(ms / 1000);
        };
      },
    },
    meter: {
      sendShared: (send) => inRequest(null, send),
      awaitShared: () => {
        const end = beginStatement("SELECT");
        return () => void end();
      },
      changed: (changes) => metrics?.changed(changes),
      read: (plan) => metrics?.read(plan),
      readFrom: (server) => metrics?.readFrom(server),
    },
    begun(request, trace) {
      if (tracing) trace.span = tracing.begin(request, trace);
    },
    ended(ended) {
      metrics?.ended(ended);
      ended.trace.span?.end(ended);
    },
  };
}

/** Returns what ends the statement, charges it to the request that waits for it, and returns its time in ms. */
function beginStatement(kind: StatementKind): (error?: unknown) => number {
  const request = currentRequest();
  const start = performance.now();
  const endPart = request && beginPart(request, kind, { ...POSTGRESQL, "db.operation.name": kind });
  return (error) => {
    const ms = performance.now() - start;
    if (request) {
      request.statements += 1;
      request.databaseMs += ms;
    }
    endPart?.(error);
    return ms;
  };
}

const POSTGRESQL = { "db.system.name": "postgresql" };

/** Of a subscription only what it begins with is traced: it may go on for days, and reads at each change. */
function beginPart(
  { span, operations }: Trace,
  name: string,
  attributes: Readonly<Record<string, string>>,
): ((error?: unknown) => void) | undefined {
  if (!span || operations.some(({ type }) => type === "subscription")) return undefined;
  return span.begin(name, attributes);
}
