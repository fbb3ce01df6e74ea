import type { IncomingMessage } from "node:http";
import type { Plugin } from "graphql-yoga";
import type { Authenticated } from "../../domain/api-keys.js";
import type { Services } from "../../domain/core/context.js";
import { servicesForQueries } from "../../domain/reads/replica.js";
import type { GraphqlContext } from "../builder/builder.js";
import { operationOf } from "./limits/documents.js";

interface ServerContext {
  readonly req: IncomingMessage;
}

/**
 * Lets queries read from the replica. What changes something reads where it writes, and so does what follows the changes.
 */
export function replicaReads(
  services: Services,
  callerOf: (req: IncomingMessage) => Authenticated,
): Plugin<GraphqlContext & ServerContext, ServerContext> {
  return {
    onExecute({ args: { document, operationName, contextValue }, extendContext }) {
      if (operationOf(document, operationName).operation !== "query") return;
      const { readTexts } = servicesForQueries(services, callerOf(contextValue.req));
      extendContext({ readTexts });
    },
  };
}
