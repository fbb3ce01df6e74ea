import type { Subject } from "./fields.js";
import type { Node, Problem } from "./parse.js";
import { TYPES, type Value } from "./values.js";

/** An expression that is being checked. */
export interface Checking {
  readonly subject: Subject;
  readonly text: string;
  readonly problems: Problem[];
  /** Conditions so far. */
  conditions: number;
}

/** A node whose operator is one of `Op`. */
export type NodeOf<Op extends Node["op"]> = Extract<Node, { op: Op }>;

/** A part that has been checked. */
export interface Operand<Of extends Value = Value> {
  readonly node: Node;
  readonly value: Of;
}

/** Notes a problem; there is no value then. */
export function refused(checking: Checking, place: number, message: string): null {
  checking.problems.push({ place, message });
  return null;
}

/** Notes what is wrong where a text says so in place of a value. */
export function orRefused<Of extends Value>(
  checking: Checking,
  place: number,
  found: Of | string,
): Of | null {
  return typeof found === "string" ? refused(checking, place, found) : found;
}

/** Notes that a value of another type would be right. */
export function wrongType(
  checking: Checking,
  wanted: Value["type"],
  { node, value }: Operand,
): null {
  const { name, example } = TYPES[wanted];
  const message = `${name} is expected, such as ${example}, and this is ${TYPES[value.type].name}`;
  return refused(checking, node.start, message);
}

export function isConstant(value: Value): boolean {
  return "constant" in value && value.constant !== undefined;
}
