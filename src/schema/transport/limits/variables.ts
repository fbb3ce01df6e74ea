import {
  type GraphQLInputType,
  getNullableType,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from "graphql";
import type { Issue } from "../../../domain/core/errors.js";
import { invalidVariables } from "../../builder/errors.js";
import { schema } from "../../index.js";
import { named } from "./names.js";
import { SCALARS } from "./scalars.js";
import type { GraphqlSettings } from "./settings.js";

type Path = Issue["path"];
type Report = (path: Path, message: string) => void;
type Given = Readonly<Record<string, unknown>>;

/** The variables of an operation by their types, with defaults. Throws INVALID_REQUEST with every problem. */
export function coerceVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Given,
  { introspection }: GraphqlSettings,
): Readonly<Record<string, unknown>> {
  // Only whether it fits is the library's to say: it has the problems as texts, without paths but with values.
  const { coerced } = getVariableValues(schema, variableDefinitions, given, {
    maxErrors: 1,
  });
  if (coerced) return coerced;
  const issues: Issue[] = [];
  const report: Report = (path, message) => {
    issues.push({ path, message });
  };
  for (const { variable, type: node, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    if (!isInputType(type)) continue;
    const isGiven = Object.hasOwn(given, name) && given[name] !== undefined;
    if (isGiven) explain(type, given[name], [name], report, introspection);
    else if (isNonNullType(type) && !defaultValue) report([name], "is required");
  }
  if (issues.length === 0) report([], "has variables that do not fit their types");
  throw invalidVariables(issues);
}

/** Reports what keeps `value` from being of `type`. */
function explain(
  type: GraphQLInputType,
  value: unknown,
  path: Path,
  report: Report,
  names: boolean,
): void {
  const inner = getNullableType(type);
  if (value === undefined || value === null) {
    if (isNonNullType(type)) report(path, value === null ? "must not be null" : "is required");
    return;
  }
  if (isListType(inner)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [index, item] of items.entries()) {
      const place = Array.isArray(value) ? [...path, index] : path;
      explain(inner.ofType, item, place, report, names);
    }
    return;
  }
  if (isInputObjectType(inner)) {
    if (typeof value !== "object" || Array.isArray(value)) {
      report(path, "must be an object");
      return;
    }
    const fields = inner.getFields();
    const given = new Map(Object.entries(value));
    for (const name of given.keys()) {
      if (Object.hasOwn(fields, name)) continue;
      const known = names ? `; supported are ${named(Object.keys(fields), quoted)}` : "";
      report([...path, name], `is not a supported field${known}`);
    }
    for (const { name, type, defaultValue } of Object.values(fields)) {
      if (!given.has(name) && defaultValue !== undefined) continue;
      explain(type, given.get(name), [...path, name], report, names);
    }
    if (inner.isOneOf) {
      const set = [...given.values()].filter((member) => member != null);
      if (set.length !== 1 || given.size !== 1) {
        const known = names ? ` of ${named(Object.keys(fields), quoted)}` : " field";
        report(path, `must have exactly one${known}`);
      }
    }
    return;
  }
  if (isEnumType(inner)) {
    const values = inner.getValues().map(({ name }) => name);
    if (typeof value === "string" && values.includes(value)) return;
    report(path, names ? `must be one of ${named(values, quoted)}` : "is not a value of its type");
    return;
  }
  const scalar = SCALARS.get(inner.name);
  if (scalar) {
    if (!scalar.is(value)) report(path, `must be of the type ${inner.name}: ${scalar.text}`);
    return;
  }
  try {
    inner.parseValue(value);
  } catch (error) {
    // One of ours, which say what they take.
    report(path, error instanceof Error ? error.message : `must be of the type ${inner.name}`);
  }
}

function quoted(name: string): string {
  return `\`${name}\``;
}
