import {
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLError,
  type GraphQLNamedType,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import type { Plugin } from "graphql-yoga";
import { withUnknownReferences } from "../../../domain/apply/desired-references.js";
import {
  below,
  DomainError,
  type Issue,
  invalidRequest,
  MOST_ISSUES,
} from "../../../domain/core/errors.js";
import { type Check, checksOf } from "../../builder/argument-checks.js";
import type { GraphqlContext } from "../../builder/builder.js";
import { invalidVariables } from "../../builder/errors.js";
import { schema } from "../../index.js";
import { type Fragments, fragmentOf, fragmentsOf } from "../../reads/fragments.js";
import { isIncluded } from "../../reads/inclusion.js";
import { fieldOf, type Variables } from "./cost.js";
import { unfitLiteralsOf } from "./document-issues.js";
import { hasUnfitLiterals, operationOf } from "./documents.js";
import type { GraphqlSettings } from "./settings.js";
import { isOfUnfitValue, nodeView, type Reading, readValue } from "./values.js";
import { readVariables } from "./variables.js";

/** A field or a directive with arguments, as it stands in an operation. */
interface ArgumentList {
  readonly node: FieldNode | DirectiveNode;
  readonly args: readonly GraphQLArgument[];
  readonly checks: readonly Check[];
  /** Whether the checks are only for those who may change something. */
  readonly isChange: boolean;
}

/** Problems of one list: the first of them, and how many there are. */
interface Problems {
  readonly node: ASTNode;
  readonly issues: readonly Issue[];
  readonly count: number;
}

/** What is noted while arguments are read. */
interface Notes {
  /** Variables that stand in arguments. */
  readonly used: Set<string>;
  /** Where the values of the document stand whose problems are known. */
  readonly refused: Set<ASTNode>;
}

interface MarkedContext extends GraphqlContext {
  /** Whether literals or variables do not fit their types. */
  readonly isUnfit: boolean;
}

/**
 * Refuses operations whose literals or variables do not fit their types, in place of executing them: so the deadline
 * holds for what looks for all of their problems.
 */
export function unfitArguments({ introspection }: GraphqlSettings): Plugin<MarkedContext> {
  const errorsOf = (
    { document, operationName, variableValues }: ExecutionArgs,
    context: GraphqlContext,
  ) =>
    findErrors(
      document,
      operationOf(document, operationName),
      variableValues ?? {},
      introspection,
      context,
    );
  return {
    onExecute({ args, setExecuteFn }) {
      if (!args.contextValue.isUnfit) return;
      setExecuteFn(async (given) => ({ errors: await errorsOf(given, given.contextValue) }));
    },
    async onSubscribe({ args, setResultAndStopExecution }) {
      if (!args.contextValue.isUnfit) return;
      setResultAndStopExecution({ errors: await errorsOf(args, args.contextValue) });
    },
  };
}

/**
 * The errors of an operation whose literals or variables do not fit their types: one for each field or directive, with
 * all problems of its arguments, also those of their rules and of references that do not exist. A variable that stands in
 * several places is a problem of each. Literals that the operation does not use, in a field that is left out or in another
 * operation, have an error each.
 */
async function findErrors(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
  names: boolean,
  context: GraphqlContext,
): Promise<GraphQLError[]> {
  const notes: Notes = { used: new Set(), refused: new Set() };
  const readings = readVariables(operation, given, names, notes.refused);
  const found: Problems[] = [];
  for (const list of argumentListsOf(operation, fragmentsOf(document), readings)) {
    found.push(await problemsOf(list, readings, names, notes, context));
  }
  for (const node of operation.variableDefinitions ?? []) {
    const name = node.variable.name.value;
    const { issues = [] } = notes.used.has(name) ? {} : (readings.get(name) ?? {});
    const listed = issues.slice(0, MOST_ISSUES);
    found.push({ node, issues: below([name], listed), count: issues.length });
  }
  for (const [node, issues] of hasUnfitLiterals(document) ? unfitLiteralsOf(document, names) : []) {
    if (!notes.refused.has(node)) found.push({ node, issues, count: issues.length });
  }
  return errorsFor(found.filter(({ count }) => count > 0));
}

/** As many errors as have room for an issue: an answer lists as many as an error does. */
function errorsFor(found: readonly Problems[]): GraphQLError[] {
  let room = MOST_ISSUES;
  const shown = found.flatMap((problems) => {
    if (room <= 0) return [];
    const issues = problems.issues.slice(0, room);
    room -= issues.length;
    return [{ ...problems, issues }];
  });
  const others = found.slice(shown.length).reduce((sum, { count }) => sum + count, 0);
  return shown.map(({ node, issues, count }, index) =>
    invalidVariables(issues, count + (index === shown.length - 1 ? others : 0), node),
  );
}

async function problemsOf(
  { node, args: definitions, checks, isChange }: ArgumentList,
  readings: ReadonlyMap<string, Reading>,
  names: boolean,
  { used, refused }: Notes,
  context: GraphqlContext,
): Promise<Problems> {
  const issues: Issue[] = [];
  let count = 0;
  const report = (path: Issue["path"], found: readonly Issue[], at?: ASTNode) => {
    if (at) refused.add(at);
    issues.push(...below(path, found.slice(0, MOST_ISSUES - issues.length)));
    count += found.length;
  };
  const args: Record<string, unknown> = {};
  for (const { name, type, defaultValue } of definitions) {
    const given = node.arguments?.find((argument) => argument.name.value === name);
    const view = given && nodeView(given.value, (variable) => readings.get(variable));
    const value =
      !view || (view.isAbsent && defaultValue !== undefined)
        ? defaultValue
        : readValue(type, view, [name], {
            names,
            report,
            onVariable: (variable) => used.add(variable),
          });
    if (value !== undefined) args[name] = value;
  }
  // A key that may only read gets no work done by rules for changes.
  if (!isChange || context.actor.scope === "write") {
    const found = await problemsOfRules(checks, args, context);
    report(
      [],
      found.filter(({ path }) => !isOfUnfitValue(args, path)),
    );
  }
  return { node, issues, count };
}

/** What the resolver would refuse. */
async function problemsOfRules(
  checks: readonly Check[],
  args: Readonly<Record<string, unknown>>,
  context: GraphqlContext,
): Promise<readonly Issue[]> {
  const { input } = args;
  context.signal?.throwIfAborted();
  try {
    for (const check of checks) await check(args);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "INVALID_REQUEST") throw error;
    return withUnknownReferences(context, error);
  }
  return input === undefined ? [] : withUnknownReferences(context, invalidRequest([], { input }));
}

/** Everything with arguments in an operation, each fragment once, without what `@skip` and `@include` leave out. */
function argumentListsOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  readings: ReadonlyMap<string, Reading>,
): ArgumentList[] {
  const lists: ArgumentList[] = [];
  const spread = new Set<string>();
  const variables = Object.fromEntries([...readings].map(([name, { value }]) => [name, value]));

  const directives = (nodes: readonly DirectiveNode[] = []) => {
    for (const node of nodes) {
      const { args = [] } = schema.getDirective(node.name.value) ?? {};
      lists.push({ node, args, checks: [], isChange: false });
    }
  };
  const selections = ({ selections: nodes }: SelectionSetNode, type: GraphQLNamedType): void => {
    for (const node of nodes) {
      directives(node.directives);
      if (isLeftOut(node, variables)) continue;
      if (node.kind === Kind.FIELD) {
        const field = fieldOf(type, node.name.value);
        if (!field) continue;
        if (field.args.length > 0) {
          const isChange = type === schema.getMutationType();
          lists.push({ node, args: field.args, checks: checksOf(field), isChange });
        }
        if (node.selectionSet) selections(node.selectionSet, getNamedType(field.type));
        continue;
      }
      const fragment = fragmentOf(fragments, node, spread);
      const condition = fragment?.typeCondition?.name.value;
      const narrowed = condition === undefined ? type : schema.getType(condition);
      if (fragment && narrowed) selections(fragment.selectionSet, narrowed);
    }
  };

  directives(operation.directives);
  const root = schema.getRootType(operation.operation);
  if (root) selections(operation.selectionSet, root);
  return lists;
}

/** A selection stays in when the condition is a value that does not fit. */
function isLeftOut(node: SelectionNode, variables: Variables): boolean {
  try {
    return !isIncluded(node, variables);
  } catch {
    return false;
  }
}
