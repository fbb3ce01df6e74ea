import { RESOURCES } from "../core/ids.js";
import { type Checking, isConstant, type Operand, refused, wrongType } from "./checking.js";
import {
  type Comparison,
  compareIntegers,
  compareTexts,
  compareTimes,
  constant,
  includes,
  isOneOf,
  leadsNowhere,
  not,
  sameTruth,
} from "./conditions.js";
import { timeConstant } from "./literals.js";
import { type BooleanValue, type ListValue, type TimeValue, TYPES, type Value } from "./values.js";

// Which types can be compared, and what is in what.

/** What a comparison says; null where the types do not fit, which is noted. */
export function compared(
  checking: Checking,
  operator: Comparison,
  one: Operand,
  other: Operand,
): BooleanValue | null {
  const [left, right] = [one.value, other.value];
  const isEquality = operator === "==" || operator === "!=";
  const { table } = RESOURCES[checking.subject.kind];
  if (left.type === "null") return comparedWithNull(checking, operator, one, other);
  if (right.type === "null") return comparedWithNull(checking, operator, other, one);
  if (left.type === "text" && right.type === "text") {
    return compareTexts(table, operator, left, right);
  }
  if (left.type === "integer" && right.type === "integer") {
    return compareIntegers(operator, left, right);
  }
  if (left.type === "boolean" && right.type === "boolean") {
    if (isEquality) return unless(operator === "!=", sameTruth(left, right));
    const message = `${operator} does not compare conditions: write == or !=`;
    return refused(checking, one.node.start, message);
  }
  const [leftTime, rightTime] = [asTime(left, right), asTime(right, left)];
  if (leftTime && rightTime) return compareTimes(operator, leftTime, rightTime);
  return mismatch(checking, one, other);
}

function unless(isNegated: boolean, value: BooleanValue): BooleanValue {
  return isNegated ? not(value) : value;
}

/** Only another resource can be null. */
function comparedWithNull(
  checking: Checking,
  operator: Comparison,
  { node }: Operand,
  { value }: Operand,
): BooleanValue | null {
  if (value.type === "reference" && (operator === "==" || operator === "!=")) {
    return unless(operator === "!=", leadsNowhere(value.id.column));
  }
  if (value.type === "null" && (operator === "==" || operator === "!=")) {
    return constant(operator === "==");
  }
  const instead = value.type === "text" ? 'an unset text is ""' : `it is ${TYPES[value.type].name}`;
  return refused(checking, node.start, `what is compared here is never null: ${instead}`);
}

/** A time, or the text of one that is compared with a time, as answers show it. */
function asTime(value: Value, other: Value): TimeValue | null {
  if (value.type === "time") return value;
  if (value.type !== "text" || value.constant === undefined || other.type !== "time") return null;
  const read = timeConstant(value.constant);
  return typeof read === "string" ? null : read;
}

/** What one does in place of comparing a value of a type. */
const NOT_COMPARED: Partial<Record<Value["type"], string>> = {
  texts: 'look for a text in it, as in "a" in obj.…, or take its size()',
  ids: 'look for an id in it, as in "a" in obj.…, or take its size()',
  map: 'look for a name in it, as in "a" in obj.…, or take its size()',
  list: "look for a value in it with in",
  reference: "compare it with null, or its id with a text, as in obj.….id",
  object: "compare one of its members",
};

/** Says what one of both would have to be: a constant rather than a field, and the right one rather than the left one. */
function mismatch(checking: Checking, one: Operand, other: Operand): null {
  const uncompared = [one, other].find(({ value }) => NOT_COMPARED[value.type] !== undefined);
  if (uncompared) {
    const { type } = uncompared.value;
    const message = `${TYPES[type].name} cannot be compared: ${NOT_COMPARED[type]}`;
    return refused(checking, uncompared.node.start, message);
  }
  const isReversed = isConstant(one.value) && !isConstant(other.value);
  return isReversed
    ? wrongType(checking, other.value.type, one)
    : wrongType(checking, one.value.type, other);
}

/** What `one in other` says; null where the types do not fit, which is noted. */
export function membership(checking: Checking, one: Operand, other: Operand): BooleanValue | null {
  const { node, value: list } = other;
  const { value } = one;
  switch (list.type) {
    case "texts":
    case "map":
    case "ids": {
      if (value.type !== "text") return wrongType(checking, "text", one);
      return includes(RESOURCES[checking.subject.kind].table, value, list);
    }
    case "list":
      return inList(checking, one, { node, value: list });
    default: {
      const message = `a list is expected, such as ["a", "b"] or a field that is one, and this is ${TYPES[list.type].name}`;
      return refused(checking, node.start, message);
    }
  }
}

function inList(
  checking: Checking,
  { node, value }: Operand,
  list: Operand<ListValue>,
): BooleanValue | null {
  if (value.type !== "text" && value.type !== "integer" && value.type !== "time") {
    const message = `a text, a whole number or a time is looked for in a list, and this is ${TYPES[value.type].name}`;
    return refused(checking, node.start, message);
  }
  const nodes = list.node.op === "list" ? list.node.args : [];
  const items = list.value.items.map((item, index) => {
    const fitting = item.type === value.type ? item : asTime(item, value);
    const operand = { node: nodes[index] ?? list.node, value: item };
    return fitting ?? wrongType(checking, value.type, operand);
  });
  const fitting = items.filter((item) => item !== null);
  if (fitting.length < items.length) return null;
  const { table } = RESOURCES[checking.subject.kind];
  return isOneOf(table, value, { type: "list", items: fitting });
}
