import { type GraphQLError, isInputObjectType } from "graphql";
import { createGraphQLError, isAsyncIterable, type Plugin } from "graphql-yoga";
import { isCoded, withoutValue } from "../builder/errors.js";
import { schema } from "../index.js";
import type { GraphqlSettings } from "./limits/settings.js";

const ONE_OF = Object.values(schema.getTypeMap())
  .filter(isInputObjectType)
  .filter(({ isOneOf }) => isOneOf);

/**
 * Lets refusals of a value that has none or several fields of a `@oneOf` input name those that it may have. What
 * only shows when the operation runs, such as a variable without a value there, is the caller's mistake too.
 */
export function oneOfNames({ introspection }: GraphqlSettings): Plugin {
  const hinted = introspection ? withHint : (message: string) => message;
  return {
    onValidate:
      () =>
      ({ result, setResult }) => {
        const errors: readonly GraphQLError[] = result.filter((error) => "nodes" in error);
        if (errors.length > 0) setResult(errors.map((error) => withNames(error, hinted)));
      },
    onExecute: () => ({
      onExecuteDone({ result, setResult }) {
        if (isAsyncIterable(result) || !result.errors) return;
        const errors = result.errors.map((error) =>
          isOfLibrary(error) ? refused(error, hinted) : error,
        );
        setResult({ ...result, errors });
      },
    }),
  };
}

/** Of a value that does not fit its type the library speaks in an error inside of another. */
function isOfLibrary(error: GraphQLError): boolean {
  return error.originalError?.name === "GraphQLError" && !isCoded(error);
}

type Hint = (message: string) => string;

function refused({ message, nodes, path }: GraphQLError, hint: Hint): GraphQLError {
  const extensions = { code: "INVALID_REQUEST", issues: [] };
  return createGraphQLError(hint(withoutValue(message)), {
    ...(nodes && { nodes }),
    ...(path && { path }),
    extensions,
  });
}

function withNames(error: GraphQLError, hint: Hint): GraphQLError {
  const { message, nodes, extensions } = error;
  const hinted = hint(message);
  if (hinted === message) return error;
  return createGraphQLError(hinted, { ...(nodes && { nodes }), extensions });
}

function withHint(message: string): string {
  const type = ONE_OF.find(({ name }) => new RegExp(`"${name}["\\.]`).test(message));
  if (!type) return message;
  const names = Object.keys(type.getFields()).map((name) => `\`${name}\``);
  return `${message} Give exactly one of ${names.join(", ")}.`;
}
