import type { ExecutionArgs } from "graphql";
import { isAsyncIterable, type Plugin } from "graphql-yoga";
import type { GraphqlContext } from "../../builder/builder.js";
import { limitExceeded } from "../../builder/errors.js";
import { fragmentsOf } from "../../reads/fragments.js";
import { costOf } from "./cost.js";
import { hasUnfitLiterals, operationOf } from "./documents.js";
import { whatFits } from "./fitting.js";
import type { GraphqlSettings } from "./settings.js";
import { limitIssue } from "./shape.js";
import { coerceVariables } from "./variables.js";

/** Advice for an operation that is too much only with those of its batch before it. */
const ALONE = "it fits in a request of its own";

/**
 * Before an operation is executed: refuses one that costs more than the limit, alone or with those of its batch before
 * it, saying what would fit. Every answer of an operation that was counted shows in `extensions.cost` what it was taken
 * to cost, so that clients can see how near they are. One whose literals or variables do not fit their types is marked as
 * `isUnfit`, for those who refuse it.
 */
export function costLimit(
  settings: GraphqlSettings,
): Plugin<GraphqlContext & { readonly points: number; readonly isUnfit: boolean }> {
  const limit = settings.maxCost;
  const spent = new WeakMap<Request, number>();

  const examine = (args: ExecutionArgs & { readonly contextValue: { request: Request } }) => {
    const { document, operationName, variableValues, contextValue } = args;
    const operation = operationOf(document, operationName);
    const variables = coerceVariables(operation, variableValues ?? {});
    if (!variables || hasUnfitLiterals(document)) return null;
    const fragments = fragmentsOf(document);
    const requested = costOf(operation, fragments, variables);
    const total = requested + (spent.get(contextValue.request) ?? 0);
    const advice = () =>
      requested > limit
        ? whatFits(operation, fragments, variables, limit)
        : [{ path: ["cost"], message: `of this operation is ${requested}: ${ALONE}` }];
    const refused =
      total > limit ? limitExceeded([limitIssue("cost", total, limit)], advice()) : null;
    if (!refused) spent.set(contextValue.request, total);
    return { extensions: { cost: { requested, limit } }, points: requested, refused };
  };

  return {
    onExecute({ args, setResultAndStopExecution, extendContext }) {
      const examined = examine(args);
      extendContext({ points: examined?.points ?? 0, isUnfit: !examined });
      if (!examined) return;
      const { extensions, refused } = examined;
      if (refused) {
        setResultAndStopExecution({ errors: [refused], extensions });
        return;
      }
      return {
        onExecuteDone({ result, setResult }) {
          if (isAsyncIterable(result)) return;
          setResult({ ...result, extensions: { ...result.extensions, ...extensions } });
        },
      };
    },
    onSubscribe({ args, setResultAndStopExecution, extendContext }) {
      const examined = examine(args);
      extendContext({ isUnfit: !examined });
      if (!examined) return;
      const { extensions, refused } = examined;
      if (refused) {
        setResultAndStopExecution({ errors: [refused], extensions });
        return;
      }
      return {
        onSubscribeResult: () => ({
          onNext({ result, setResult }) {
            setResult({ ...result, extensions: { ...result.extensions, ...extensions } });
          },
        }),
      };
    },
  };
}
