import { type GraphQLError, isInputObjectType } from "graphql";
import { createGraphQLError, type Plugin } from "graphql-yoga";
import { schema } from "../index.js";
import type { GraphqlSettings } from "./limits/settings.js";

const ONE_OF = Object.values(schema.getTypeMap())
  .filter(isInputObjectType)
  .filter(({ isOneOf }) => isOneOf);

/** Lets errors of a value that has none or several fields of a `@oneOf` input name those that it may have. */
export function oneOfNames({ introspection }: GraphqlSettings): Plugin {
  const hinted = introspection ? withHint : (message: string) => message;
  return {
    onValidate:
      () =>
      ({ result, setResult }) => {
        const errors: readonly GraphQLError[] = result.filter((error) => "nodes" in error);
        if (errors.length > 0) setResult(errors.map((error) => withNames(error, hinted)));
      },
  };
}

function withNames(error: GraphQLError, hint: (message: string) => string): GraphQLError {
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
