import {
  type ASTNode,
  type GraphQLInputType,
  getVariableValues,
  isInputType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from "graphql";
import { below, type Issue } from "../../../domain/core/errors.js";
import { schema } from "../../index.js";
import { jsonView, nodeView, type Reading, readValue } from "./values.js";

type Given = Readonly<Record<string, unknown>>;

/** The variables of an operation by their types, with defaults; null when one does not fit its type. */
export function coerceVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Given,
): Given | null {
  // Only whether it fits is the library's to say: it has the problems as texts, without paths but with values.
  const { coerced } = getVariableValues(schema, variableDefinitions, given, { maxErrors: 1 });
  return coerced ?? null;
}

/**
 * Each variable of an operation, read as far as it fits its type. Messages name what there is instead if `names`.
 * `refused` gets the parts of defaults that do not fit.
 */
export function readVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Given,
  names: boolean,
  refused: Set<ASTNode>,
): ReadonlyMap<string, Reading> {
  return new Map(
    variableDefinitions.flatMap((definition) => {
      const type = typeFromAST(schema, definition.type);
      if (!isInputType(type)) return [];
      return [
        [definition.variable.name.value, readVariable(definition, type, given, names, refused)],
      ];
    }),
  );
}

function readVariable(
  { variable, defaultValue }: VariableDefinitionNode,
  type: GraphQLInputType,
  given: Given,
  names: boolean,
  refused: Set<ASTNode>,
): Reading {
  const name = variable.name.value;
  const issues: Issue[] = [];
  const isGiven = Object.hasOwn(given, name) && given[name] !== undefined;
  const view =
    isGiven || !defaultValue
      ? jsonView(isGiven ? given[name] : undefined)
      : nodeView(defaultValue, null);
  const value = readValue(type, view, [], {
    names,
    report: (path, found, node) => {
      if (node) refused.add(node);
      issues.push(...below(path, found));
    },
  });
  return { value, issues };
}
