import {
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  Kind,
  type ValueNode,
} from "graphql";
import type { Nested } from "../../domain/lists/sequences.js";
import type { GivenPage } from "../../domain/reads/shape.js";
import { requestOf } from "../builder/list-requests.js";
import { listKey } from "./field-reads.js";
import type { Variables } from "./selected-fields.js";

/** The request for a page in a shape with these variables; null when its arguments do not fit. */
export type AskedPage = (variables: Variables) => GivenPage | null;

/** What asks for the page that a field selects. Arguments without variables are read once. */
export function askedPage(
  { sequence }: Nested,
  node: FieldNode,
  definition: GraphQLField<unknown, unknown>,
): AskedPage {
  const ask: AskedPage = (variables) => {
    try {
      const args = getArgumentValues(definition, node, variables);
      return { key: listKey(definition.name, args), request: requestOf(sequence, args) };
    } catch {
      return null;
    }
  };
  const isFixed = !node.arguments?.some(({ value }) => hasVariable(value));
  if (!isFixed) return ask;
  const fixed = ask({});
  return () => fixed;
}

function hasVariable(value: ValueNode): boolean {
  switch (value.kind) {
    case Kind.VARIABLE:
      return true;
    case Kind.LIST:
      return value.values.some(hasVariable);
    case Kind.OBJECT:
      return value.fields.some(({ value }) => hasVariable(value));
    default:
      return false;
  }
}
