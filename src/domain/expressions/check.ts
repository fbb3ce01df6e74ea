import { MAX_DEPTH } from "../core/depth.js";
import { functionCall, methodCall } from "./calls.js";
import {
  type Checking,
  isConstant,
  type NodeOf,
  type Operand,
  orRefused,
  refused,
} from "./checking.js";
import { compared, membership } from "./comparisons.js";
import { and, constant, not, or } from "./conditions.js";
import { integerConstant, textConstant } from "./literals.js";
import { memberOf, rootOf } from "./names.js";
import type { Node } from "./parse.js";
import { type BooleanValue, type ListValue, TYPES, type Value } from "./values.js";

// From the tree of an expression to its condition: every part has a type, and every problem is found, not only the first.

/** The maximum number of comparisons and other conditions of an expression. */
export const MAX_CONDITIONS = 100;

/** What an expression as a whole demands; null when it has problems. */
export function checked(checking: Checking, node: Node): BooleanValue | null {
  const value = partOf(checking, node, 1);
  if (checking.conditions > MAX_CONDITIONS) {
    const message = `the expression may have at most ${MAX_CONDITIONS} conditions, and has ${checking.conditions}`;
    return refused(checking, 0, message);
  }
  return asCondition(checking, node, value);
}

/** The value of a part; null when it has a problem, which is noted. */
function partOf(checking: Checking, node: Node, depth: number): Value | null {
  if (depth > MAX_DEPTH) {
    return refused(
      checking,
      node.start,
      `the expression may be nested at most ${MAX_DEPTH} levels deep`,
    );
  }
  switch (node.op) {
    case "value":
      return literal(checking, node, node.args);
    case "-_":
      return negative(checking, node);
    case "id":
      return orRefused(checking, node.start, rootOf(checking.subject, node.args));
    case ".":
      return member(checking, node, depth);
    case "&&":
    case "||": {
      const parts = chainOf(node, node.op).map((part) => conditionIn(checking, part, depth + 1));
      const known = parts.filter((part) => part !== null);
      if (known.length < parts.length) return null;
      return node.op === "&&" ? and(known) : or(known);
    }
    case "!_": {
      const negated = conditionIn(checking, node.args, depth + 1);
      return negated && not(negated);
    }
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=": {
      const [left, right] = node.args.map((each) => operandOf(checking, each, depth + 1));
      checking.conditions += 1;
      return left && right ? compared(checking, node.op, left, right) : null;
    }
    case "in": {
      const [left, right] = node.args.map((each) => operandOf(checking, each, depth + 1));
      checking.conditions += 1;
      return left && right ? membership(checking, left, right) : null;
    }
    case "list":
      return listOf(checking, node, depth);
    case "call": {
      const [, args] = node.args;
      const given = args.map((each) => operandOf(checking, each, depth + 1));
      return functionCall(checking, node, given);
    }
    case "rcall": {
      const [, receiver, args] = node.args;
      const whole = operandOf(checking, receiver, depth + 1);
      const given = args.map((each) => operandOf(checking, each, depth + 1));
      return methodCall(checking, node, whole, given);
    }
    default:
      return unsupported(checking, node);
  }
}

function operandOf(checking: Checking, node: Node, depth: number): Operand | null {
  const value = partOf(checking, node, depth);
  return value && { node, value };
}

/** The parts of `a && b && c`, which the tree has one below the other. */
function chainOf(node: Node, op: "&&" | "||"): Node[] {
  const parts: Node[] = [];
  let left: Node = node;
  while (left.op === op) {
    parts.push(left.args[1]);
    left = left.args[0];
  }
  return [left, ...parts.reverse()];
}

function conditionIn(checking: Checking, node: Node, depth: number): BooleanValue | null {
  return asCondition(checking, node, partOf(checking, node, depth));
}

function asCondition(checking: Checking, node: Node, value: Value | null): BooleanValue | null {
  if (value === null || value.type === "boolean") return value;
  const message = `a condition is expected, such as obj.id == "…", and this is ${TYPES[value.type].name}`;
  return refused(checking, node.start, message);
}

function literal(
  checking: Checking,
  { start }: Node,
  value: NodeOf<"value">["args"],
): Value | null {
  if (value === null) return { type: "null" };
  if (typeof value === "boolean") return constant(value);
  return orRefused(
    checking,
    start,
    typeof value === "string" ? textConstant(value) : integerConstant(value),
  );
}

function negative(checking: Checking, node: NodeOf<"-_">): Value | null {
  const { op, args } = node.args;
  if (op !== "value" || typeof args !== "bigint") {
    return refused(checking, node.start, "- stands only before a whole number, such as -1");
  }
  return orRefused(checking, node.start, integerConstant(-args));
}

function member(checking: Checking, node: NodeOf<".">, depth: number): Value | null {
  const [left, name] = node.args;
  const owner = partOf(checking, left, depth);
  const found = owner && memberOf(checking.subject, owner, name);
  if (found === null) return null;
  if (typeof found === "object" && found.type === "boolean") checking.conditions += 1;
  return orRefused(checking, node.pos, found);
}

function listOf(checking: Checking, node: NodeOf<"list">, depth: number): ListValue | null {
  const items = node.args.map((item) => {
    const value = partOf(checking, item, depth + 1);
    if (!value) return null;
    const isFitting = value.type === "text" || value.type === "integer" || value.type === "time";
    if (isFitting && isConstant(value)) return value;
    return refused(
      checking,
      item.start,
      'the items of a list are values, such as "a", 80 or timestamp("2030-01-31T09:30:00Z")',
    );
  });
  const known = items.filter((item) => item !== null);
  return known.length < items.length ? null : { type: "list", items: known };
}

const OPERATORS = "! && || < <= == != >= > in ()";

function unsupported(checking: Checking, node: Node): null {
  const message = `${whatIs(node)} is not supported: the operators are ${OPERATORS}`;
  const [first] = Array.isArray(node.args) ? node.args : [];
  const isInfix = /^[-+*/%]$/.test(node.op) && typeof first === "object" && "end" in first;
  const place = isInfix ? checking.text.indexOf(node.op, first.end) : node.start;
  return refused(checking, place, message);
}

function whatIs({ op }: Node): string {
  switch (op) {
    case "[]":
      return "an index in brackets";
    case "map":
      return "a map in braces";
    case "?:":
      return "the operator ? :";
    default:
      return `the operator ${op}`;
  }
}
