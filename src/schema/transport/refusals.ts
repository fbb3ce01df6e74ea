import type { ExecutionArgs, ExecutionResult, GraphQLError } from "graphql";
import { createGraphQLError, isAsyncIterable, type Plugin } from "graphql-yoga";
import { withUnknownReferences } from "../../domain/apply/desired-references.js";
import { DomainError, invalidRequest } from "../../domain/core/errors.js";
import { fromStorageError } from "../../domain/storage/errors.js";
import { ClientGone } from "../../http/body.js";
import type { Trace } from "../../trace.js";
import type { GraphqlContext } from "../builder/builder.js";
import { argumentIssue, isCoded, maskedError, toGraphqlError } from "../builder/errors.js";
import { issuesOfArguments } from "./limits/document-issues.js";
import { operationOf } from "./limits/documents.js";
import type { GraphqlSettings } from "./limits/settings.js";
import { coerceVariables } from "./limits/variables.js";

type TracedContext = GraphqlContext & { readonly trace: Trace };

/** Converts the errors of resolvers to errors with codes, with all problems of an input at once. */
export function refusals({ introspection }: GraphqlSettings): Plugin<TracedContext> {
  const coded = async (args: Args, result: ExecutionResult): Promise<ExecutionResult> => {
    if (!result.errors) return result;
    const issuesOf = result.errors.some(isOfArgument)
      ? argumentIssues(args, introspection)
      : () => [];
    const errors = await Promise.all(
      result.errors.map((error) =>
        isOfArgument(error)
          ? toGraphqlError(invalidRequest(issuesOf(error)), error.path)
          : completed(args.contextValue, error),
      ),
    );
    return { ...result, errors };
  };
  return {
    onExecute: ({ args }) => ({
      async onExecuteDone({ result, setResult }) {
        if (!isAsyncIterable(result)) setResult(await coded(args, result));
      },
    }),
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      setSubscribeFn(async (given: ExecutionArgs) => {
        const result = await subscribeFn(given);
        return isAsyncIterable(result) ? result : coded(args, result);
      });
      return {
        onSubscribeResult: () => ({
          onNext({ result, setResult }) {
            if (isAsyncIterable(result) || !result.errors) return;
            return coded(args, result).then(setResult);
          },
        }),
      };
    },
  };
}

interface Args extends ExecutionArgs {
  readonly contextValue: TracedContext;
}

/** What the library says of an argument that only shows to be wrong in the operation: null in a variable with a default. */
function isOfArgument(error: GraphQLError): boolean {
  return !isCoded(error) && error.message.startsWith("Argument ");
}

function argumentIssues({ document, operationName, variableValues }: Args, names: boolean) {
  const operation = operationOf(document, operationName);
  const variables = coerceVariables(operation, variableValues ?? {}) ?? {};
  return issuesOfArguments(document, variables, names);
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
  if (!refusal || refusal.cause !== undefined) context.trace.defect = originalError;
  if (!refusal) return maskedError(context.trace.operationId, error.path);
  const { code, message, currentVersion } = refusal;
  const issues = await withUnknownReferences(context, refusal);
  return toGraphqlError(new DomainError(code, message, issues, { currentVersion }), error.path);
}

/**
 * Converts an error from outside of a resolver, or an error of the library about arguments, to an error with a code.
 */
export function translate(error: unknown, report: (defect: unknown) => void): Error {
  if (error instanceof ClientGone) return maskedError();
  const original = error instanceof Error && "originalError" in error ? error.originalError : error;
  const refusal = fromStorageError(original);
  if (refusal) {
    if (refusal.cause !== undefined) report(error);
    return toGraphqlError(refusal);
  }
  if (isGraphqlError(error)) {
    if (isCoded(error)) return error;
    // Arguments that do not fit, which only shows when the variables are known.
    return toGraphqlError(invalidRequest([argumentIssue(error.message)]), error.path);
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
