import {
  type ASTNode,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type ValueNode,
} from "graphql";
import type { Issue } from "../../../domain/core/errors.js";
import { named } from "./names.js";
import { SCALARS } from "./scalars.js";

// Values that may not fit their types, read as far as they do. The library stops at the first problem, and has it as a
// text without a path but with the value.

export type Path = Issue["path"];

/** What a variable was read as: its value for resolvers, and all that does not fit, with paths from the variable on. */
export interface Reading {
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

/** Who reads values, and hears of what does not fit. */
export interface Reader {
  /** Whether messages may name fields and values that the caller did not. */
  readonly names: boolean;
  /** The paths of `issues` go on from `path`. `node` is where the value stands in the document, if it does. */
  readonly report: (path: Path, issues: readonly Issue[], node: ASTNode | undefined) => void;
  /** Hears of each place of a variable. */
  readonly onVariable?: (name: string, path: Path) => void;
}

interface Variable {
  readonly name: string;
  /** What it was read as; null when that is not known yet. */
  readonly reading: Reading | null;
}

/** A value in JSON or in a document. What it is depends on the type that it is read as. */
interface View {
  readonly node?: ASTNode | undefined;
  readonly isAbsent: boolean;
  readonly isNull: boolean;
  readonly variable?: Variable;
  /** Null when it is no list. */
  items(): readonly View[] | null;
  /** Null when it is no object. */
  members(): ReadonlyMap<string, View> | null;
  /** Throws when it does not fit. */
  parse(type: GraphQLScalarType | GraphQLEnumType): unknown;
}

const ABSENT: View = {
  isAbsent: true,
  isNull: false,
  items: () => null,
  members: () => null,
  parse: () => undefined,
};

/** A value of JSON; undefined is one that was not given. */
export function jsonView(value: unknown): View {
  if (value === undefined) return ABSENT;
  return {
    isAbsent: false,
    isNull: value === null,
    items: () => (Array.isArray(value) ? value.map((item: unknown) => jsonView(item)) : null),
    members: () =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? new Map(Object.entries(value).map(([name, member]) => [name, jsonView(member)] as const))
        : null,
    parse: (type) => type.parseValue(value),
  };
}

/** A value in a document. `readingOf` has the variables; null when they are not known yet. */
export function nodeView(
  node: ValueNode,
  readingOf: ((name: string) => Reading | undefined) | null,
): View {
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value;
    const reading = readingOf ? (readingOf(name) ?? { value: undefined, issues: [] }) : null;
    const isAbsent = reading?.value === undefined && reading?.issues.length === 0;
    return isAbsent ? ABSENT : { ...ABSENT, isAbsent, node, variable: { name, reading } };
  }
  return {
    node,
    isAbsent: false,
    isNull: node.kind === Kind.NULL,
    items: () =>
      node.kind === Kind.LIST ? node.values.map((item) => nodeView(item, readingOf)) : null,
    members: () =>
      node.kind === Kind.OBJECT
        ? new Map(
            node.fields.map(({ name, value }) => [name.value, nodeView(value, readingOf)] as const),
          )
        : null,
    parse: (type) => type.parseLiteral(node, null),
  };
}

/**
 * Objects without fields, in place of values that do not fit: rules see that something was given. A rule to which an empty
 * object says nothing, such as that of a filter, finds no problem in it.
 */
const unfit = new WeakSet<object>();
/** Objects of which only the parts fit. */
const unfitAsWhole = new WeakSet<object>();

function standIn(): object {
  const value = {};
  unfit.add(value);
  return value;
}

/**
 * Reads a value as `type`, with defaults and as resolvers get it, and reports all that does not fit with its path.
 * Something else stands in for what does not fit.
 */
export function readValue(type: GraphQLInputType, view: View, path: Path, reader: Reader): unknown {
  const { variable } = view;
  if (variable) return readVariable(variable, type, view, path, reader);
  if (view.isAbsent || view.isNull) {
    if (!isNonNullType(type)) return view.isNull ? null : undefined;
    return refused(view.isNull ? "must not be null" : "is required", view, path, reader);
  }
  const inner = getNullableType(type);
  if (isListType(inner)) {
    const items = view.items();
    if (!items) return [readValue(inner.ofType, view, path, reader)];
    return items.map(
      (item, index) => readValue(inner.ofType, item, [...path, index], reader) ?? null,
    );
  }
  return isInputObjectType(inner)
    ? readObject(inner, view, path, reader)
    : readLeaf(inner, view, path, reader);
}

function readVariable(
  { name, reading }: Variable,
  type: GraphQLInputType,
  view: View,
  path: Path,
  reader: Reader,
): unknown {
  reader.onVariable?.(name, path);
  if (!reading) return standIn();
  const { value, issues } = reading;
  if (issues.length > 0) {
    reader.report(path, issues, view.node);
    return value;
  }
  if (value !== null || !isNonNullType(type)) return value;
  return refused("must not be null", view, path, reader);
}

function readLeaf(
  type: GraphQLScalarType | GraphQLEnumType,
  view: View,
  path: Path,
  reader: Reader,
): unknown {
  try {
    const value = view.parse(type);
    if (value !== undefined) return value;
  } catch (error) {
    return refused(expectation(type, error, reader.names), view, path, reader);
  }
  return refused(expectation(type, null, reader.names), view, path, reader);
}

function readObject(type: GraphQLInputObjectType, view: View, path: Path, reader: Reader): object {
  const given = view.members();
  if (!given) return refused("must be an object", view, path, reader);
  const fields = type.getFields();
  const read = new Map<string, unknown>();
  for (const [name, member] of given) {
    if (Object.hasOwn(fields, name)) continue;
    const known = reader.names ? `; supported are ${named(Object.keys(fields), quoted)}` : "";
    const place = { node: fieldNode(view, name) };
    read.set(name, refused(`is not a supported field${known}`, place, [...path, name], reader));
    if (member.variable) reader.onVariable?.(member.variable.name, [...path, name]);
  }
  for (const { name, type, defaultValue } of Object.values(fields)) {
    const member = given.get(name) ?? ABSENT;
    if (member.isAbsent && defaultValue !== undefined) {
      read.set(name, defaultValue);
      continue;
    }
    const placed = { ...member, node: member.node ?? view.node };
    const value = readValue(type, placed, [...path, name], reader);
    if (value !== undefined) read.set(name, value);
  }
  const value = Object.fromEntries(read);
  if (!type.isOneOf || hasExactlyOne(given)) return value;
  const known = reader.names ? ` of ${named(Object.keys(fields), quoted)}` : " field";
  refused(`must have exactly one${known}`, view, path, reader);
  unfitAsWhole.add(value);
  return value;
}

function hasExactlyOne(given: ReadonlyMap<string, View>): boolean {
  const set = [...given.values()].filter(({ isNull, isAbsent, variable }) =>
    variable?.reading ? variable.reading.value !== null : !isNull && !isAbsent,
  );
  return set.length === 1 && given.size === 1;
}

/** Reports a problem of a value, and returns what stands in for it. */
function refused(
  message: string,
  { node }: Pick<View, "node">,
  path: Path,
  reader: Reader,
): object {
  reader.report(path, [{ path: [], message }], node);
  return standIn();
}

/** Whether a problem that a rule finds at `path` in `args` is one of a value that does not fit its type, already reported. */
export function isOfUnfitValue(args: unknown, path: Path): boolean {
  let value = args;
  for (const segment of path) {
    // No entry of a list has the name that the rule speaks of: it is one that does not fit.
    if (segment === -1) return true;
    if (!isObject(value)) return false;
    value = Reflect.get(value, segment);
    if (isUnfit(value)) return true;
  }
  if (!isObject(value)) return false;
  // Where the domain has a map, the problem of a name or a value is one of its whole entry.
  const isEntry = typeof path.at(-1) === "number";
  return unfitAsWhole.has(value) || (isEntry && Object.values(value).some(isUnfit));
}

function isUnfit(value: unknown): boolean {
  return isObject(value) && unfit.has(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** What a value of `type` must be, without the value; an error of our own types says it itself. */
function expectation(
  type: GraphQLScalarType | GraphQLEnumType,
  error: unknown,
  names: boolean,
): string {
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name }) => name);
    return names ? `must be one of ${named(values, quoted)}` : "is not a value of its type";
  }
  const scalar = SCALARS.get(type.name);
  if (scalar) return `must be of the type ${type.name}: ${scalar.text}`;
  return error instanceof Error ? error.message : `must be of the type ${type.name}`;
}

/** The field of an object in a document; nothing for one of JSON. */
function fieldNode({ node }: View, name: string): ASTNode | undefined {
  if (node?.kind !== Kind.OBJECT) return undefined;
  return node.fields.find((field) => field.name.value === name);
}

function quoted(name: string): string {
  return `\`${name}\``;
}
