import type { GraphQLSchema } from "graphql";
import { requireWrite } from "../../domain/changes/transactions.js";
import type { GraphqlContext } from "./builder.js";

/**
 * Has every mutation of `schema` ask for the right to write before its input is checked, as REST does before it
 * reads a body: to check much takes time, which nobody who may only read can ask for. Throws FORBIDDEN there.
 */
export function askToWriteFirst(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (!resolve) throw new Error(`The mutation ${field.name} does nothing.`);
    field.resolve = (parent, args, context: GraphqlContext, info) => {
      requireWrite(context);
      return resolve(parent, args, context, info);
    };
  }
  return schema;
}
