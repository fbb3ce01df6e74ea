import type { ServerResponse } from "node:http";
import type { Plugin } from "graphql-yoga";
import type { GraphqlContext } from "../../builder/builder.js";
import { refusal } from "../../builder/errors.js";
import type { GraphqlSettings } from "./settings.js";

interface ServerContext {
  readonly res: ServerResponse;
}

/**
 * Answers DEADLINE_EXCEEDED when an operation takes too long, and stops its work: `context.signal` is aborted,
 * which keeps the domain from sending further statements, cancels those of a change and has it rolled back. It
 * is aborted as well when the client goes. A single statement that only reads ends by the statement timeout at
 * the latest. Subscriptions have no deadline.
 */
export function deadline({
  deadlineMs,
}: GraphqlSettings): Plugin<GraphqlContext & ServerContext, ServerContext> {
  const arrivals = new WeakMap<Request, number>();
  return {
    onRequest({ request }) {
      arrivals.set(request, performance.now());
    },
    onExecute({ args, executeFn, setExecuteFn, extendContext }) {
      const { request, res } = args.contextValue;
      const stop = new AbortController();
      extendContext({ signal: stop.signal });
      const passed = performance.now() - (arrivals.get(request) ?? performance.now());
      const timer = setTimeout(
        () => stop.abort(tooLate(deadlineMs)),
        Math.max(0, deadlineMs - passed),
      );
      const onClose = () => {
        if (!res.writableFinished) stop.abort(tooLate(deadlineMs));
      };
      res.once("close", onClose);
      setExecuteFn(async (given) => {
        const aborted = new Promise<{ errors: unknown[] }>((resolve) => {
          const answer = () => resolve({ errors: [stop.signal.reason] });
          stop.signal.addEventListener("abort", answer, { once: true });
        });
        try {
          // What goes on after that meets the aborted signal wherever it would reach for the database. The
          // executor could stop as well, but pays for it with a race for each object of each answer.
          return await Promise.race([executeFn(given), aborted]);
        } finally {
          clearTimeout(timer);
          res.off("close", onClose);
        }
      });
    },
  };
}

function tooLate(deadlineMs: number) {
  return refusal(
    "DEADLINE_EXCEEDED",
    `The answer was not ready within ${deadlineMs / 1000} seconds. The running change is rolled back, unless its commit had already started. Earlier mutations of the same request stay in effect.`,
  );
}
