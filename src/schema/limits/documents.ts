import {
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  GraphQLError,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  KnownArgumentNamesRule,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  type ParseOptions,
  parse,
  type Source,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  validate,
} from "graphql";
import { createGraphQLError, type Plugin } from "graphql-yoga";
import { limitExceeded, refusal } from "../errors.js";
import { schema } from "../index.js";
import type { GraphqlSettings } from "../settings.js";
import { limitIssue, shapeIssues, shapeOf } from "./shape.js";

/** Problems of one document that are reported. */
const MOST_ERRORS = 20;
/** Names that a message lists. */
const MOST_NAMES = 60;
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
        const message = `are more than ${maxTokens}, which is the most that a document may have`;
        throw limitExceeded([{ path: ["tokens"], message, limit: maxTokens }]);
      }
      throw coded("GRAPHQL_PARSE_FAILED", error);
    }
  };
}

/**
 * Says what is wrong with a document: first its size, which needs no more than one walk, and only if that is
 * fine the rules. Nothing in here may read variables, since the result is kept with the document.
 */
export function createValidate(settings: GraphqlSettings) {
  const { introspection } = settings;
  const rules = introspection
    ? specifiedRules.map((rule) => TEACHING.get(rule) ?? rule)
    : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  return (document: DocumentNode): readonly GraphQLError[] => {
    const shape = shapeOf(document);
    const exceeded = shapeIssues(shape, settings);
    if (exceeded.length > 0) return [limitExceeded(exceeded)];
    // Other rules do not end on fragments that spread themselves.
    const applied = shape.cyclic ? [NoFragmentCyclesRule] : rules;
    return validate(schema, document, applied, {
      maxErrors: MOST_ERRORS,
      hideSuggestions: !introspection,
    }).map((error) => coded("GRAPHQL_VALIDATION_FAILED", error));
  };
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
        ? `The document has ${operations.length} operations: say in \`operationName\` which one. They are ${known}.`
        : `The document has no operation "${shortened(operationName, 100)}". It has ${known || "one without a name"}.`,
  );
}

function coded(code: "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED", error: GraphQLError) {
  const { extensions } = refusal(code, "");
  const message = shortened(error.message, LONGEST_MESSAGE);
  const { nodes = null, source = null, positions = null } = error;
  return createGraphQLError(message, { nodes, source, positions, extensions });
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}

function named(names: readonly string[]): string {
  const listed = names.slice(0, MOST_NAMES).map((name) => shortened(name, 100));
  const rest = names.length - listed.length;
  return rest > 0 ? `${listed.join(", ")} and ${rest} more` : listed.join(", ");
}

/** Rules of the library whose messages name what there is instead. */
const TEACHING = new Map<ValidationRule, ValidationRule>([
  [FieldsOnCorrectTypeRule, taught(FieldsOnCorrectTypeRule, fieldsOfParent)],
  [KnownArgumentNamesRule, taught(KnownArgumentNamesRule, argumentsOfField)],
  [ValuesOfCorrectTypeRule, taught(ValuesOfCorrectTypeRule, valuesOfInput)],
]);

function taught(
  rule: ValidationRule,
  lesson: (context: ValidationContext, error: GraphQLError) => string | null,
): ValidationRule {
  return (context) => {
    const reportError = (error: GraphQLError) => {
      const known = lesson(context, error);
      const { nodes = null, message } = error;
      context.reportError(known ? createGraphQLError(`${message} ${known}`, { nodes }) : error);
    };
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

/** Parses and validates within the limits, and picks the operation. */
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
        throw refusal("METHOD_NOT_ALLOWED", "A mutation is sent by POST.", undefined, {
          Allow: "POST",
        });
      };
    },
    onValidate({ setValidationFn }) {
      setValidationFn((_, document: DocumentNode) => validateDocument(document));
    },
  };
}
