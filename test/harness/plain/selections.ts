import fc from "fast-check";
import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  print,
} from "graphql";
import type { Fields } from "../transports.js";
import { plainSchema } from "./answers.js";
import { filterOf, placesOf } from "./arguments.js";
import type { World } from "./world.js";

// Any operation that reads resources, with values for its variables.

/** Draws a value: the same run draws the same. */
export type Draw = <Value>(arbitrary: fc.Arbitrary<Value>) => Value;

export interface Operation {
  readonly text: string;
  /** What the operation is asked with, time after time. */
  readonly variables: readonly Fields[];
}

/** Resources that are nested in each other at most. */
const DEEPEST = 4;
/** Values that each variable has in turn. */
const ROUNDS = 3;
/** These read no resources by a plan. */
const ROOTS_LEFT_OUT = ["changes", "hostportConflicts", "overview", "resolveRoute", "self"];
/** Types that can stand side by side may have fields of these names, which have no type in common. */
const AMBIGUOUS = ambiguousNames();
/** It has the time of the request in it. */
const NEVER_THE_SAME = "revocationList";

interface Writing {
  readonly draw: Draw;
  readonly world: World;
  readonly fragments: { name: string; type: GraphQLCompositeType; text: string }[];
  readonly declared: string[];
  readonly variables: Fields[];
  /** Whether there are `@skip` and `@include`, which are not compiled. */
  readonly isConditional: boolean;
  /** Fields that may still be written, which bounds the answer. */
  left: number;
  names: number;
}

const chance = (percent: number) => fc.nat(99).map((drawn) => drawn < percent);

/** Any operation on the resources of `world`. */
export function anyOperation(world: World): fc.Arbitrary<Operation> {
  return fc.gen().map((generate) => drawOperation((arbitrary) => generate(() => arbitrary), world));
}

function drawOperation(draw: Draw, world: World): Operation {
  const variables = Array.from({ length: ROUNDS }, () => ({}));
  const kept = { fragments: [], declared: [], variables, isConditional: draw(chance(40)) };
  const writing = { draw, world, ...kept, left: 80, names: 0 };
  const query = plainSchema.getQueryType();
  if (!query) throw new Error("There is no query.");
  const roots = Object.values(query.getFields()).filter(
    ({ name }) => !ROOTS_LEFT_OUT.includes(name),
  );
  const fields = draw(fc.array(fc.constantFrom(...roots), { minLength: 1, maxLength: 3 }));
  const texts = fields.map((field) => fieldText(writing, field, DEEPEST));
  return operationOf(writing, texts);
}

function operationOf({ declared, fragments, variables }: Writing, texts: readonly string[]) {
  const head = declared.length > 0 ? `query(${declared.join(", ")})` : "query";
  const definitions = fragments.map(
    ({ name, type, text }) => `fragment ${name} on ${type} ${text}`,
  );
  return { text: [`${head} { ${texts.join(" ")} }`, ...definitions].join("\n"), variables };
}

/** The names of fields that are of one scalar in one type and of another in another, or a list in one alone. */
function ambiguousNames(): ReadonlySet<string> {
  const shapes = new Map<string, string>();
  const found = new Set<string>();
  for (const type of Object.values(plainSchema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields())) {
      const { name } = getNamedType(field.type);
      const text = String(field.type);
      const shape = isCompositeType(getNamedType(field.type)) ? text.replace(name, "{}") : text;
      if ((shapes.get(field.name) ?? shape) !== shape) found.add(field.name);
      shapes.set(field.name, shape);
    }
  }
  return found;
}

function named(writing: Writing, what: string): string {
  writing.names += 1;
  return `${what}${writing.names}`;
}

function selectionText(writing: Writing, type: GraphQLCompositeType, depth: number): string {
  const { draw } = writing;
  const texts = ["__typename"];
  const most = draw(fc.integer({ min: 1, max: 5 }));
  while (texts.length <= most) texts.push(partText(writing, type, depth));
  return `{ ${texts.join(" ")} }`;
}

function partText(writing: Writing, type: GraphQLCompositeType, depth: number): string {
  const { draw } = writing;
  if (writing.left <= 0) return "__typename";
  const isSpread = draw(chance(isAbstractType(type) ? 40 : 12));
  if (isSpread) return spreadText(writing, type, depth);
  const fields = "getFields" in type ? Object.values(type.getFields()) : [];
  const possible = fields.filter(
    ({ name, type }) =>
      name !== NEVER_THE_SAME && (depth > 0 || !isCompositeType(getNamedType(type))),
  );
  // What leads on is drawn more often.
  const leading = possible.filter((each) => isCompositeType(getNamedType(each.type)));
  const from = leading.length > 0 && draw(chance(50)) ? leading : possible;
  if (from.length === 0) return "__typename";
  const field = draw(fc.constantFrom(...from));
  const text = fieldText(writing, field, depth);
  // The same field again, with other members.
  const isAgain = text.endsWith("}") && field.args.length === 0 && draw(chance(10));
  return isAgain ? `${text} ${fieldText(writing, field, depth)}` : text;
}

function spreadText(writing: Writing, type: GraphQLCompositeType, depth: number): string {
  const { draw, fragments } = writing;
  writing.left -= 1;
  const narrowed = draw(fc.constantFrom(...conditionsOn(type)));
  const known = fragments.filter(
    (fragment) => plainSchema.getType(fragment.type.name) === narrowed,
  );
  const directive = directiveText(writing);
  if (known.length > 0 && draw(chance(40))) {
    return `...${draw(fc.constantFrom(...known)).name} ${directive}`;
  }
  const text = selectionText(writing, narrowed, depth);
  if (draw(chance(60))) return `... on ${narrowed} ${directive} ${text}`;
  const name = named(writing, "F");
  fragments.push({ name, type: narrowed, text });
  return `...${name} ${directive}`;
}

/** The types that a fragment on `type` can be about. */
function conditionsOn(type: GraphQLCompositeType): GraphQLCompositeType[] {
  const objects = isAbstractType(type) ? plainSchema.getPossibleTypes(type) : [type];
  const interfaces = objects.flatMap((each) => (isObjectType(each) ? each.getInterfaces() : []));
  return [...new Set<GraphQLCompositeType>([type, ...objects, ...interfaces])];
}

function fieldText(writing: Writing, field: GraphQLField<unknown, unknown>, depth: number): string {
  const { draw } = writing;
  writing.left -= 1;
  const type = getNamedType(field.type);
  const args = argumentsText(writing, field);
  const isAlone = args !== "" || AMBIGUOUS.has(field.name) || draw(chance(20));
  const alias = isAlone ? `${named(writing, "a")}: ` : "";
  const head = `${alias}${field.name}${args} ${directiveText(writing)}`;
  if (!isCompositeType(type)) return head;
  const isConnection = type.name.endsWith("Connection");
  const below = /Connection$|Edge$|Module$|Child$|Provider$|Oauth$|^PageInfo$/.test(type.name);
  const isResource = isAbstractType(type) || !below || /^(Https|Tls|Tcp)Edge$/.test(type.name);
  const text = isConnection
    ? connectionText(writing, type, depth)
    : selectionText(writing, type, isResource ? depth - 1 : depth);
  return `${head} ${text}`;
}

function connectionText(writing: Writing, type: GraphQLCompositeType, depth: number): string {
  const { draw } = writing;
  if (!isObjectType(type)) throw new Error("A connection is an object.");
  const nodes = type.getFields().nodes;
  const node = nodes && getNamedType(nodes.type);
  if (!isCompositeType(node)) throw new Error("A connection has nodes.");
  const parts = [
    () => `nodes ${directiveText(writing)} ${selectionText(writing, node, depth - 1)}`,
    () => `edges { cursor node ${selectionText(writing, node, depth - 1)} }`,
    () => "edges { cursor }",
    () => `pageInfo ${directiveText(writing)} { hasNextPage endCursor }`,
    () => "pageInfo { hasPreviousPage startCursor }",
    () => `totalCount ${directiveText(writing)}`,
    () => "__typename",
  ];
  const drawn = draw(fc.shuffledSubarray(parts, { minLength: 1, maxLength: 3 }));
  // A list without any rows of it leads to nothing.
  const all = draw(chance(70)) ? [parts[0], ...drawn.filter((part) => part !== parts[0])] : drawn;
  return `{ ${all.map((part) => part?.()).join(" ")} }`;
}

function directiveText(writing: Writing): string {
  const { draw, isConditional } = writing;
  if (!isConditional || !draw(chance(12))) return "";
  const name = draw(fc.constantFrom("include", "skip"));
  const value = draw(fc.boolean());
  if (draw(chance(40))) return `@${name}(if: ${value})`;
  const byDefault = draw(chance(30));
  const values = Array.from({ length: ROUNDS }, () =>
    byDefault && draw(chance(40)) ? undefined : draw(fc.boolean()),
  );
  const variable = declare(writing, byDefault ? `Boolean = ${value}` : "Boolean!", values);
  return `@${name}(if: ${variable})`;
}

function declare(writing: Writing, type: string, values: readonly unknown[]): string {
  const name = named(writing, "v");
  writing.declared.push(`$${name}: ${type}`);
  for (const [index, variables] of writing.variables.entries()) {
    if (values[index] !== undefined) variables[name] = values[index];
  }
  return `$${name}`;
}

function argumentsText(writing: Writing, field: GraphQLField<unknown, unknown>): string {
  const { draw, world } = writing;
  const taken: string[] = [];
  const write = (name: string, any: () => unknown) => {
    const argument = field.args.find((each) => each.name === name);
    if (argument) taken.push(argumentText(writing, argument, any));
  };
  const ids = [...world.rows.keys()];
  const kind = getNamedType(field.type).name;
  const isOne = (id: string) => kind === "Node" || placesOf(world, kind).includes(id);
  const own = ids.filter(isOne);
  write("id", () => draw(fc.constantFrom(...own)));
  write("ids", () => draw(fc.array(fc.constantFrom(...own), { maxLength: 6 })));
  if (!field.args.some(({ name }) => name === "first")) return asArguments(taken);
  if (draw(chance(30))) return "";
  const size = draw(fc.constantFrom("first", "first", "last"));
  if (draw(chance(70))) write(size, () => draw(fc.integer({ min: 1, max: 4 })));
  const fields = orderFieldsOf(field);
  const orderField = draw(fc.constantFrom(...fields));
  const isByField = orderField !== "CREATED_AT" && draw(chance(60));
  if (isByField) {
    const direction = draw(fc.constantFrom("ASC", "DESC"));
    write("orderBy", () => ({ field: orderField, direction }));
  } else if (fields.length > 1 && draw(chance(30))) {
    write("orderBy", () => ({ direction: draw(fc.constantFrom("ASC", "DESC")) }));
  }
  const filter = field.args.find(({ name }) => name === "filter");
  let isOfOneKind = false;
  if (filter && draw(chance(40))) {
    const any = () => filterOf(draw, world, filter.type);
    write("filter", () => {
      const drawn = any();
      isOfOneKind ||= drawn !== null && "kind" in drawn;
      return drawn;
    });
  }
  const places = placesOf(world, kind, isByField ? orderField : undefined);
  if (places.length > 0 && !isOfOneKind) {
    const place = () => draw(fc.constantFrom(...places));
    if (draw(chance(25))) write("after", place);
    if (draw(chance(15))) write("before", place);
  }
  return asArguments(taken);
}

/** What a list can be ordered by. */
function orderFieldsOf({ args }: GraphQLField<unknown, unknown>): string[] {
  const order = getNamedType(args.find(({ name }) => name === "orderBy")?.type);
  const field = isInputObjectType(order) ? getNamedType(order.getFields().field?.type) : undefined;
  return isEnumType(field) ? field.getValues().map(({ name }) => name) : ["CREATED_AT"];
}

const asArguments = (taken: readonly string[]) => (taken.length > 0 ? `(${taken.join(", ")})` : "");

/** An argument as a literal, as a variable, with a variable in it, or now and then as one that is null or absent. */
function argumentText(writing: Writing, argument: GraphQLArgument, any: () => unknown): string {
  const { draw } = writing;
  const { name, type } = argument;
  if (!draw(chance(40))) return `${name}: ${literalWithVariables(writing, any(), type)}`;
  const isNeeded = String(type).endsWith("!") || name === "orderBy";
  return `${name}: ${variableText(writing, type, any, isNeeded)}`;
}

function variableText(
  writing: Writing,
  type: GraphQLInputType,
  any: () => unknown,
  isNeeded: boolean,
): string {
  const { draw } = writing;
  const values = Array.from({ length: ROUNDS }, () => {
    if (isNeeded || !draw(chance(20))) return any();
    return draw(fc.constantFrom(null, undefined));
  });
  return declare(writing, String(type), values);
}

/** A filter whose members are variables now and then; any other value as it is. */
function literalWithVariables(writing: Writing, value: unknown, type: GraphQLInputType): string {
  const input = getNullableType(type);
  const isFilter = isInputObjectType(input) && input.name.endsWith("Filter");
  if (!isFilter || !isObject(value)) return literal(value, type);
  const members = Object.entries(value).map(([name, member]) => {
    const field = input.getFields()[name];
    if (!field) throw new Error(`There is no ${name} in ${input}.`);
    const isVariable = member !== null && writing.draw(chance(25));
    return `${name}: ${isVariable ? variableText(writing, field.type, () => member, false) : literal(member, field.type)}`;
  });
  return `{ ${members.join(", ")} }`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function literal(value: unknown, type: GraphQLInputType): string {
  const node = astFromValue(value, type);
  if (!node) throw new Error(`There is no literal of ${JSON.stringify(value)}.`);
  return print(node);
}
