import { RESOURCES } from "../core/ids.js";
import {
  type Checking,
  type NodeOf,
  type Operand,
  orRefused,
  refused,
  wrongType,
} from "./checking.js";
import { METHODS, sizeOf, textMethod } from "./conditions.js";
import { timeConstant } from "./literals.js";
import { quoted } from "./parse.js";
import { TYPES, type Value } from "./values.js";

// What functions and methods take, and what they say.

const FUNCTIONS: Readonly<Record<string, (checking: Checking, argument: Operand) => Value | null>> =
  { size, timestamp };

/** What `name(argument)` is; `args` are null where they have problems. */
export function functionCall(
  checking: Checking,
  { start, args: [name, nodes] }: NodeOf<"call">,
  args: readonly (Operand | null)[],
): Value | null {
  const called = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!called) {
    const known = Object.keys(FUNCTIONS).map((each) => `${each}()`);
    const message = `there is no function ${quoted(name)}: the functions are ${known.join(" and ")}`;
    return refused(checking, start, message);
  }
  const [argument] = args;
  if (argument === undefined || args.length !== 1) {
    return refused(checking, start, `${name}() takes one argument, and has ${nodes.length}`);
  }
  return argument && called(checking, argument);
}

function size(checking: Checking, { node, value }: Operand): Value | null {
  switch (value.type) {
    case "text":
    case "texts":
    case "map":
    case "ids":
      return sizeOf(value);
    default: {
      const message = `size() takes a text, a list or a map of obj, and this is ${TYPES[value.type].name}`;
      return refused(checking, node.start, message);
    }
  }
}

/** A time that is one already is itself. */
function timestamp(checking: Checking, { node, value }: Operand): Value | null {
  if (value.type === "time") return value;
  if (value.type !== "text" || value.constant === undefined) {
    const message = `timestamp() takes a text in quotes, such as ${TYPES.time.example}`;
    return refused(checking, node.start, message);
  }
  return orRefused(checking, node.start, timeConstant(value.constant));
}

/** What `whole.name(part)` is; `whole` and `args` are null where they have problems. */
export function methodCall(
  checking: Checking,
  { args: [name, { end }, nodes] }: NodeOf<"rcall">,
  whole: Operand | null,
  args: readonly (Operand | null)[],
): Value | null {
  if (name === "size" && nodes.length === 0) return whole && size(checking, whole);
  const method = METHODS.find((each) => each === name);
  const place = checking.text.indexOf(name, end);
  if (!method) {
    const known = METHODS.map((each) => `${each}()`).join(", ");
    const message = `there is no method ${quoted(name)}: the methods are ${known} and size()`;
    return refused(checking, place, message);
  }
  checking.conditions += 1;
  const [part] = args;
  if (part === undefined || args.length !== 1) {
    return refused(checking, place, `${name}() takes one argument, and has ${nodes.length}`);
  }
  const [own, given] = [whole, part].map((operand) => {
    if (!operand) return null;
    return operand.value.type === "text" ? operand.value : wrongType(checking, "text", operand);
  });
  if (!own || !given) return null;
  return textMethod(RESOURCES[checking.subject.kind].table, method, own, given);
}
