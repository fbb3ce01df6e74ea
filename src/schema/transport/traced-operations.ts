import type { ExecutionResult } from "graphql";
import { isAsyncIterable, type Plugin } from "graphql-yoga";
import type { Trace } from "../../trace.js";
import { isCoded } from "../builder/errors.js";
import { operationOf } from "./limits/documents.js";
import { isPersisted } from "./persisted-operations.js";

interface ServerContext {
  readonly trace: Trace;
}

/** Notes in the trace of a request which operations it asks for, and the codes of all errors that it is answered with. */
export function tracedOperations(): Plugin<ServerContext, ServerContext> {
  return {
    onParse: () => {
      return ({ result, context: { params, trace } }) => {
        if (!result || result instanceof Error) return;
        const { operation: type, name } = operationOf(result, params.operationName);
        trace.operations.push({
          type,
          name: name?.value ?? null,
          isPersisted: isPersisted(result),
        });
      };
    },
    onSubscribe: ({ args: { contextValue } }) => ({
      onSubscribeResult: () => ({
        onNext: ({ result }) => {
          if (!isAsyncIterable(result)) noteCodes(contextValue.trace, result);
        },
      }),
    }),
    onResultProcess({ result, serverContext: { trace } }) {
      for (const each of Array.isArray(result) ? result : [result]) {
        if (!isAsyncIterable(each)) noteCodes(trace, each);
      }
    },
  };
}

function noteCodes({ codes }: Trace, { errors = [] }: ExecutionResult): void {
  for (const { extensions } of errors) {
    codes.add(isCoded({ extensions }) ? String(extensions.code) : "INTERNAL");
  }
}
