import {
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  GraphQLError,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isValueNode,
  Kind,
  KnownArgumentNamesRule,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  type ParseOptions,
  parse,
  print,
  type Source,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  type ValueNode,
  ValuesOfCorrectTypeRule,
  validate,
} from "graphql";
import { createGraphQLError, type Plugin } from "graphql-yoga";
import { type Issue, shortened } from "../../../domain/core/errors.js";
import { limitExceeded, refusal } from "../../builder/errors.js";
import { schema } from "../../index.js";
import { issuesIn } from "./document-issues.js";
import { named } from "./names.js";
import { SCALARS } from "./scalars.js";
import type { GraphqlSettings } from "./settings.js";
import { limitIssue, literalIssues, shapeIssues, shapeOf } from "./shape.js";

/** Problems of one document that are reported. */
const MOST_ERRORS = 20;
/** Characters of a message: some repeat what the caller sent. */
const LONGEST_MESSAGE = 2_000;

/** Parses documents of at most `maxTokens` tokens. Throws GRAPHQL_PARSE_FAILED and LIMIT_EXCEEDED. */
export function createParse({ maxTokens, maxDepth }: GraphqlSettings) {
  return (source: string | Source, options: ParseOptions = {}): DocumentNode => {
    try {
      return parse(source, { ...options, maxTokens });
    } catch (error) {
      if (!(error instanceof GraphQLError)) {
        // The parser's recursion ended before its tokens did.
        if (error instanceof RangeError) {
          throw limitExceeded([limitIssue("depth", Number.POSITIVE_INFINITY, maxDepth)]);
        }
        throw error;
      }
      if (/^Syntax Error: Document contains more that \d+ tokens/.test(error.message)) {
        const message = `are more than ${maxTokens}, which is the limit for a document`;
        throw limitExceeded([{ path: ["tokens"], message, limit: maxTokens }]);
      }
      throw coded("GRAPHQL_PARSE_FAILED", error, withoutToken(error.message));
    }
  };
}

/**
 * The errors of a document: first its size, in one walk, and the rules only if the size is allowed. It must not read
 * variables, since the result is kept with the document.
 */
export function createValidate(settings: GraphqlSettings) {
  const { introspection } = settings;
  const values = ofLiterals(introspection ? taughtRule(VALUES_RULE) : VALUES_RULE);
  const others = introspection
    ? OTHER_RULES.map(taughtRule)
    : [...OTHER_RULES, NoSchemaIntrospectionCustomRule];
  return (document: DocumentNode): readonly GraphQLError[] => {
    const shape = shapeOf(document);
    const exceeded = [...shapeIssues(shape, settings), ...literalIssues(document)];
    if (exceeded.length > 0) return [limitExceeded(exceeded)];
    const errorsBy = (rules: readonly ValidationRule[]) =>
      validate(schema, document, rules, {
        maxErrors: MOST_ERRORS,
        hideSuggestions: !introspection,
      });
    // Other rules do not end on fragments that spread themselves.
    const found = errorsBy(shape.cyclic ? [NoFragmentCyclesRule] : [...others, values]);
    const issuesOf = issuesIn(document, introspection);
    const shown = found.map((error) => {
      const issues = issuesOf(error);
      const isOfLiteral = OF_LITERALS.has(error) && issues.length > 0;
      const shownError = coded("GRAPHQL_VALIDATION_FAILED", error, error.message, issues);
      return { error: shownError, isOfLiteral };
    });
    const errors = shown.map(({ error }) => error);
    // Beyond the most errors the library has not looked.
    const isComplete = found.length <= MOST_ERRORS;
    if (
      shown.length > 0 &&
      shown.slice(0, MOST_ERRORS).every(({ isOfLiteral }) => isOfLiteral) &&
      (isComplete || errorsBy(others).length === 0)
    ) {
      UNFIT.add(document);
    }
    return errors;
  };
}

/** Errors of values in a document that do not fit their types. */
const OF_LITERALS = new WeakSet<GraphQLError>();
/** Documents that are valid but for such values. */
const UNFIT = new WeakSet<DocumentNode>();

/**
 * Whether values in a document do not fit their types, and nothing else is wrong with it. It counts as valid then, and
 * `unfit-arguments.ts` refuses it once the variables are known.
 */
export function hasUnfitLiterals(document: DocumentNode): boolean {
  return UNFIT.has(document);
}

/** The operation that a request asks for. Throws OPERATION_RESOLUTION_FAILURE. */
export function operationOf(
  { definitions }: DocumentNode,
  operationName: string | null | undefined,
): OperationDefinitionNode {
  const operations = definitions.filter((definition) => definition.kind === "OperationDefinition");
  const wanted = operations.filter(
    ({ name }) => operationName == null || name?.value === operationName,
  );
  const [operation] = wanted;
  if (operation && (operationName != null || wanted.length === 1)) return operation;
  const known = named(operations.flatMap(({ name }) => (name ? [name.value] : [])));
  throw refusal(
    "OPERATION_RESOLUTION_FAILURE",
    operations.length === 0
      ? "The document has no operation."
      : operationName == null
        ? `The document has ${operations.length} operations: name one in \`operationName\`. They are ${known}.`
        : `The document has no operation "${shortened(operationName)}". It has ${known || "one without a name"}.`,
  );
}

/** A syntax error that names only the kind of the unexpected token, without its text or number. */
function withoutToken(message: string): string {
  return message
    .replace(/\b(BlockString|String|Int|Float) "[\s\S]*"\.$/, "$1.")
    .replace(/ (escape sequence): "[\s\S]*"\.$/, " $1.");
}

function coded(
  code: "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED",
  error: GraphQLError,
  text = error.message,
  issues: readonly Issue[] = [],
) {
  const { extensions } = refusal(code, "", issues.length > 0 ? issues : undefined);
  const message = shortened(text, LONGEST_MESSAGE);
  const { nodes = null, source = null, positions = null } = error;
  return createGraphQLError(message, { nodes, source, positions, extensions });
}

const VALUE_KINDS: Readonly<Record<ValueNode["kind"], string>> = {
  Variable: "a variable",
  IntValue: "a whole number",
  FloatValue: "a number",
  StringValue: "a string",
  BooleanValue: "true or false",
  NullValue: "null",
  EnumValue: "a name",
  ListValue: "an array",
  ObjectValue: "an object",
};

/** The library's rule but for its messages that repeat a value, which may be a secret in a wrong place. */
const VALUES_RULE = reporting(ValuesOfCorrectTypeRule, (context, error) => {
  const [node] = error.nodes ?? [];
  const type = context.getInputType();
  if (!node || !type || !("kind" in node && isValueNode(node))) return error;
  if (!error.message.includes(print(node))) return error;
  const named = getNamedType(type);
  // A name among names may be told, since it teaches.
  if (node.kind === Kind.ENUM && isEnumType(named)) return error;
  const scalar = SCALARS.get(named.name);
  const expected = scalar ? `; it must be ${scalar.text}` : "";
  const message = `Expected value of type "${type}", found ${VALUE_KINDS[node.kind]}${expected}.`;
  return createGraphQLError(message, { nodes: [node] });
});

const OTHER_RULES = specifiedRules.filter((rule) => rule !== ValuesOfCorrectTypeRule);

/** A rule whose errors are known as those of literals. */
function ofLiterals(rule: ValidationRule): ValidationRule {
  return reporting(rule, (_, error) => {
    OF_LITERALS.add(error);
    return error;
  });
}

/** Rules whose messages name what there is instead. */
const TEACHING = new Map<ValidationRule, ValidationRule>([
  [FieldsOnCorrectTypeRule, taught(FieldsOnCorrectTypeRule, fieldsOfParent)],
  [KnownArgumentNamesRule, taught(KnownArgumentNamesRule, argumentsOfField)],
  [VALUES_RULE, taught(VALUES_RULE, valuesOfInput)],
]);

function taughtRule(rule: ValidationRule): ValidationRule {
  return TEACHING.get(rule) ?? rule;
}

function taught(
  rule: ValidationRule,
  lesson: (context: ValidationContext, error: GraphQLError) => string | null,
): ValidationRule {
  return reporting(rule, (context, error) => {
    const known = lesson(context, error);
    const { nodes = null, message } = error;
    return known ? createGraphQLError(`${message} ${known}`, { nodes }) : error;
  });
}

/** A rule that reports what `changed` makes of its errors. */
function reporting(
  rule: ValidationRule,
  changed: (context: ValidationContext, error: GraphQLError) => GraphQLError,
): ValidationRule {
  return (context) => {
    const reportError = (error: GraphQLError) => context.reportError(changed(context, error));
    return rule(Object.create(context, { reportError: { value: reportError } }));
  };
}

function fieldsOfParent(context: ValidationContext): string | null {
  const type = context.getParentType();
  if (!isObjectType(type) && !isInterfaceType(type)) return null;
  return `Fields of "${type.name}": ${named(Object.keys(type.getFields()))}.`;
}

function argumentsOfField(context: ValidationContext): string | null {
  const field = context.getDirective() ?? context.getFieldDef();
  if (!field) return null;
  const names = named(field.args.map(({ name }) => name));
  return names ? `Arguments of "${field.name}": ${names}.` : `"${field.name}" takes no arguments.`;
}

function valuesOfInput(context: ValidationContext, error: GraphQLError): string | null {
  const input = context.getInputType();
  const type = input && getNamedType(input);
  if (isEnumType(type)) {
    return `Values of "${type.name}": ${named(type.getValues().map(({ name }) => name))}.`;
  }
  // On an unknown field of an input object only the parent is known.
  const parent = context.getParentInputType();
  const parentType = parent && getNamedType(parent);
  if (!isInputObjectType(parentType) || !error.message.includes("is not defined by type"))
    return null;
  return `Fields of "${parentType.name}": ${named(Object.keys(parentType.getFields()))}.`;
}

/**
 * Parses and validates within the limits, and picks the operation. A document in which only values do not fit their types
 * counts as valid, see `hasUnfitLiterals`.
 */
export function documents(settings: GraphqlSettings): Plugin {
  const parseDocument = createParse(settings);
  const validateDocument = createValidate(settings);
  return {
    onParse({ setParseFn }) {
      setParseFn(parseDocument);
      return ({ result, context: { request, params } }) => {
        if (!result || result instanceof Error) return;
        const { operation } = operationOf(result, params.operationName);
        if (operation !== "mutation" || request.method !== "GET") return;
        throw refusal("METHOD_NOT_ALLOWED", "Send a mutation by POST.", undefined, {
          Allow: "POST",
        });
      };
    },
    onValidate({ setValidationFn }) {
      setValidationFn((_, document: DocumentNode) => {
        const errors = validateDocument(document);
        return hasUnfitLiterals(document) ? [] : errors;
      });
    },
  };
}
