import type { ExecutionArgs, ExecutionResult, GraphQLError } from "graphql";
import { createGraphQLError, isAsyncIterable, type Plugin } from "graphql-yoga";
import { DomainError } from "../../domain/core/errors.js";
import { fromStorageError } from "../../domain/storage/errors.js";
import { withDanglingReferences } from "../../domain/storage/reference-checks.js";
import { ClientGone } from "../../http/body.js";
import type { Trace } from "../../trace.js";
import type { GraphqlContext } from "../builder/builder.js";
import { isCoded, maskedError, toGraphqlError, withoutValue } from "../builder/errors.js";

type TracedContext = GraphqlContext & { readonly trace: Trace };

/** Converts the errors of resolvers to errors with codes, with all problems of an input at once. */
export function refusals(): Plugin<TracedContext> {
  return {
    onExecute({ args }) {
      const { contextValue } = args;
      return {
        async onExecuteDone({ result, setResult }) {
          if (!isAsyncIterable(result)) setResult(await coded(contextValue, result));
        },
      };
    },
    onSubscribe({ args: { contextValue }, subscribeFn, setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const result = await subscribeFn(args);
        return isAsyncIterable(result) ? result : coded(contextValue, result);
      });
      return {
        onSubscribeResult: () => ({
          onNext({ result, setResult }) {
            if (isAsyncIterable(result) || !result.errors) return;
            return coded(contextValue, result).then(setResult);
          },
        }),
      };
    },
  };
}

async function coded(context: TracedContext, result: ExecutionResult): Promise<ExecutionResult> {
  if (!result.errors) return result;
  const errors = await Promise.all(result.errors.map((error) => completed(context, error)));
  return { ...result, errors };
}

async function completed(context: TracedContext, error: GraphQLError): Promise<GraphQLError> {
  const { originalError } = error;
  if (!originalError) return error;
  // A refusal of this transport, such as a limit that only shows while the operation runs.
  if (isGraphqlError(originalError) && isCoded(originalError)) {
    return createGraphQLError(originalError.message, {
      ...(error.path && { path: error.path }),
      extensions: originalError.extensions,
    });
  }
  const refusal = fromStorageError(originalError);
  if (!refusal) {
    context.trace.defect = originalError;
    return maskedError(context.trace.operationId, error.path);
  }
  const { code, message, currentVersion } = refusal;
  const issues = await withDanglingReferences(context, refusal);
  return toGraphqlError(new DomainError(code, message, issues, { currentVersion }), error.path);
}

/**
 * Converts an error from outside of a resolver, or an error of the library about arguments, to an error with a code.
 */
export function translate(error: unknown, report: (defect: unknown) => void): Error {
  if (error instanceof ClientGone) return maskedError();
  const original = error instanceof Error && "originalError" in error ? error.originalError : error;
  const refusal = fromStorageError(original);
  if (refusal) return toGraphqlError(refusal);
  if (isGraphqlError(error)) {
    if (isCoded(error)) return error;
    // Arguments that do not fit, which only shows when the variables are known.
    const message = withoutValue(error.message);
    const issues = [{ path: [], message }];
    return toGraphqlError(new DomainError("INVALID_REQUEST", message, issues), error.path);
  }
  report(error);
  return maskedError();
}

/** Its own name, since a test runner may load the class twice. */
function isGraphqlError(error: unknown): error is GraphQLError {
  return (
    error instanceof Error &&
    error.name === "GraphQLError" &&
    !("originalError" in error && error.originalError)
  );
}
