import {
  type ASTNode,
  type DocumentNode,
  type GraphQLError,
  isInputType,
  Kind,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { below, type Issue } from "../../../domain/core/errors.js";
import { argumentIssue } from "../../builder/errors.js";
import { schema } from "../../index.js";
import { nodeView, type Path, readValue } from "./values.js";

/** The message of the library for an argument that is not there. */
const MISSING = /^(?:Field|Directive) "@?\w+" argument "(\w+)" of type /;

/**
 * What finds the issues of an error of a document: the problems of an argument, with their paths. Other errors have
 * none. Messages name what there is instead if `names`. The document is looked through only when an error needs it.
 */
export function issuesIn(document: DocumentNode, names: boolean) {
  let found: ReadonlyMap<ASTNode, Issue[]> | null = null;
  return ({ nodes, message }: GraphQLError): readonly Issue[] => {
    const [node] = nodes ?? [];
    if (!node) return [];
    if (node.kind === Kind.ARGUMENT) {
      return [{ path: [node.name.value], message: "is not a supported argument" }];
    }
    const [, missing] = MISSING.exec(message) ?? [];
    if (missing !== undefined) return [{ path: [missing], message: "is required" }];
    found ??= unfitLiteralsOf(document, names);
    // The library reports the problems of one value in the same order.
    const next = found.get(node)?.shift();
    return next ? [next] : [];
  };
}

/**
 * What finds the issues of an argument that does not fit with the given variables, by the error of the library, which
 * names the value that the argument has in the document.
 */
export function issuesOfArguments(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  names: boolean,
) {
  const known = new Map<ASTNode, readonly Issue[]>();
  return ({ nodes, message }: GraphQLError): readonly Issue[] => {
    const [node] = nodes ?? [];
    const found = node && (known.get(node) ?? issuesOfValue(document, node, variables, names));
    if (node && found) known.set(node, found);
    return found && found.length > 0 ? found : [argumentIssue(message)];
  };
}

function issuesOfValue(
  document: DocumentNode,
  node: ASTNode,
  variables: Readonly<Record<string, unknown>>,
  names: boolean,
): Issue[] {
  const issues: Issue[] = [];
  const report = (path: Path, found: readonly Issue[]) => {
    issues.push(...below(path, found));
  };
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Argument({ value }) {
        const argument = types.getArgument();
        if (value !== node || !argument) return;
        const view = nodeView(value, (name) => ({ value: variables[name], issues: [] }));
        readValue(argument.type, view, [argument.name], { names, report });
      },
    }),
  );
  return issues;
}

/** The problems of all values that are written in a document, by where they stand. */
export function unfitLiteralsOf(document: DocumentNode, names: boolean): Map<ASTNode, Issue[]> {
  const issues = new Map<ASTNode, Issue[]>();
  const places = new Map<string, Path[]>();
  const report = (path: Path, found: readonly Issue[], node: ASTNode | undefined) => {
    if (!node) return;
    const known = issues.get(node) ?? [];
    issues.set(node, known);
    known.push(...below(path, found));
  };
  const onVariable = (name: string, path: Path) => {
    places.set(name, [...(places.get(name) ?? []), path]);
  };
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Argument({ value }) {
        const argument = types.getArgument();
        if (!argument) return;
        const reader = { names, report, onVariable };
        readValue(argument.type, nodeView(value, null), [argument.name], reader);
      },
    }),
  );
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { variable, type: node, defaultValue } of definition.variableDefinitions ?? []) {
      const type = typeFromAST(schema, node);
      if (!defaultValue || !isInputType(type)) continue;
      const [first] = places.get(variable.name.value) ?? [];
      const path = first ?? [variable.name.value];
      readValue(type, nodeView(defaultValue, null), path, { names, report });
    }
  }
  return issues;
}
