import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Which part of the server answers: `none` when a request is refused before any of them sees it. */
type Part = "rest" | "graphql" | "page" | "health" | "none";

/** A GraphQL operation that a request asks for. */
export interface TracedOperation {
  readonly type: "query" | "mutation" | "subscription";
  /** As the client wrote it, so of any length; null without one. */
  readonly name: string | null;
  /** Whether the manifest of persisted operations has it, so that its name is one of few. */
  readonly isPersisted: boolean;
}

/** The span of a request, where requests are traced. */
export interface RequestSpan {
  readonly traceId: string;
  /** Begins a part of the request; the function that it returns ends it. */
  begin(name: string, attributes: Readonly<Record<string, string>>): (error?: unknown) => void;
  end(ended: EndedRequest): void;
}

/** A request whose answer has been sent, or whose client has gone. */
export interface EndedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly trace: Trace;
  /** From its head to the end of its answer. */
  readonly ms: number;
}

/**
 * The facts about one request, for its log line, for metrics and for traces. Whoever serves the request fills it in.
 */
export interface Trace {
  readonly operationId: string;
  part: Part;
  /** The template of the path, such as `/edges/https/{id}`; null for a path that has nothing. */
  route: string | null;
  /** The id of the caller's key: undefined until authenticated, null for the bootstrap key. */
  keyId?: string | null;
  /** In GraphQL, each operation that could be parsed. */
  readonly operations: TracedOperation[];
  /** The codes of all errors in the answer. */
  readonly codes: Set<string>;
  /** Statements that the request has waited for, and the sum of their times. */
  statements: number;
  databaseMs: number;
  /** The time that it waited for a connection to the database. */
  poolWaitMs: number;
  /** A defect: logged here, hidden in the response. */
  defect?: unknown;
  span?: RequestSpan;
}

export function newTrace(operationId: string): Trace {
  return {
    operationId,
    part: "none",
    route: null,
    operations: [],
    codes: new Set(),
    statements: 0,
    databaseMs: 0,
    poolWaitMs: 0,
  };
}

const requests = new AsyncLocalStorage<Trace | null>();

/** Runs `work`, and all that it waits for, as a part of the request, or of none. */
export function inRequest<Result>(trace: Trace | null, work: () => Result): Result {
  return requests.run(trace, work);
}

/** The request that runs now; null outside of any. */
export function currentRequest(): Trace | null {
  return requests.getStore() ?? null;
}
