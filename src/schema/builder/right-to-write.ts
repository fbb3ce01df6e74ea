import type { GraphQLSchema } from "graphql";
import { requireWrite } from "../../domain/changes/transactions.js";
import type { GraphqlContext } from "./builder.js";

/**
 * Makes every mutation of `schema` check the right to write before it checks its input, as REST does before it reads a
 * body. Otherwise a read-only key could use much time for checks. The mutation throws FORBIDDEN.
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
