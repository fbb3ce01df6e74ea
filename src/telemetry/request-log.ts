import type { Logger } from "pino";
import { shortened } from "../domain/core/errors.js";
import { pathOf } from "../http/target.js";
import type { EndedRequest, TracedOperation } from "../trace.js";

const LONGEST_PATH = 300;
const LONGEST_OPERATION_NAME = 100;

/** Writes the line of a request, at level info; of one that met a defect at level error, with it. */
export function logRequest(logger: Logger, { request, response, trace, ms }: EndedRequest): void {
  const { operationId, keyId, route, operations, codes, poolWaitMs, span, defect } = trace;
  const line = {
    operationId,
    ...(span && { traceId: span.traceId }),
    method: request.method,
    path: shortened(pathOf(request), LONGEST_PATH),
    ...(route !== null && { route }),
    ...operationsIn(operations),
    status: response.statusCode,
    ms: rounded(ms),
    databaseMs: rounded(trace.databaseMs),
    statements: trace.statements,
    ...(poolWaitMs > 0 && { poolWaitMs: rounded(poolWaitMs) }),
    ...(codes.size > 0 && { codes: [...codes] }),
    ...(keyId !== undefined && { keyId }),
    ...(!response.writableFinished && { aborted: true }),
  };
  if (defect === undefined) logger.info(line, "request");
  else logger.error({ ...line, err: defect }, "request failed");
}

function operationsIn(operations: readonly TracedOperation[]) {
  const [operation] = operations;
  if (!operation) return {};
  if (operations.length > 1) return { operations: operations.length };
  const { type, name } = operation;
  return {
    operation: { type, ...(name !== null && { name: shortened(name, LONGEST_OPERATION_NAME) }) },
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
