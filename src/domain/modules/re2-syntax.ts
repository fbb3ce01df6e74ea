import { POSIX_CLASSES, UNICODE_CLASSES } from "./re2-classes.js";

/** The most that a repetition may count, alone or multiplied with those around it. */
const MAX_REPEATS = 1000;
const MAX_CODE_POINT = 0x10_ffff;

const OPERATOR = /[*+?]\??/y;
const COUNTED = /\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}\??/y;
const NAMED_GROUP = /\(\?P?<([A-Za-z0-9_]+)>/y;
const FLAGS = /\(\?[imsU]*(?:-[imsU]+)?([:)])/y;
const QUOTED = /\\Q([\s\S]*?)(?:\\E|$)/y;
const ASSERTION_OR_PERL_CLASS = /\\[AbBzdDsSwW]/y;
const PERL_CLASS = /\\[dDsSwW]/y;
const UNICODE_CLASS = /\\[pP](?:\{\^?([^}]*)\}|([^{^]))/uy;
const POSIX_CLASS = /\[:\^?([a-z]+):\]/y;
const CLASS_START = /\[\^?/y;
const RANGE = /-(?!\])/y;
const OCTAL = /\\([1-7][0-7]{1,2}|0[0-7]{0,2})/y;
const HEX = /\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})/y;
const CONTROL = /\\([afnrtv])/y;
const CONTROLS = new Map([
  ["a", 7],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
]);
const PUNCTUATION = /\\[\0-/:-@[-`{-\x7f]/y;

/** What a repetition can follow. */
interface Part {
  /** Instructions that it compiles to at most. */
  readonly size: number;
  /** The largest product of repetitions that are inside of each other. */
  readonly repeats: number;
}

const ONE: Part = { size: 1, repeats: 1 };
const CAPTURE_SIZE = 2;

interface Group {
  /** Of the group itself and of what is in it before `last`. */
  size: number;
  repeats: number;
  /** Null where the group or one of its alternatives begins. */
  last: Part | null;
}

interface Reader {
  readonly text: string;
  position: number;
  /** The group that is being read; `outer` are those around it. */
  group: Group;
  readonly outer: Group[];
  readonly names: Set<string>;
  /** Whether a repetition was just read, which another must not follow. */
  repeated: boolean;
}

/**
 * An upper bound for the number of instructions of the compiled `expression`, or null when RE2 does not accept it. It
 * reads the text once and takes linear time. Compiling takes up to ten thousand times as long: to fold the case of a
 * wide range, for example, goes through each of its characters.
 */
export function re2Size(expression: string): number | null {
  const reader: Reader = {
    text: expression,
    position: 0,
    group: opened(0),
    outer: [],
    names: new Set(),
    repeated: false,
  };
  while (reader.position < expression.length) {
    if (!readNext(reader)) return null;
  }
  if (reader.outer.length > 0) return null;
  endAlternative(reader.group);
  return reader.group.size;
}

/** Reads what stands next; false when RE2 takes nothing that begins so. */
function readNext(reader: Reader): boolean {
  const { repeated } = reader;
  reader.repeated = false;
  switch (reader.text[reader.position]) {
    case "*":
    case "+":
    case "?":
      return readOperator(reader, repeated);
    case "{":
      return readCounted(reader, repeated);
    case "(":
      return openGroup(reader);
    case ")":
      return closeGroup(reader);
    case "|":
      endAlternative(reader.group);
      reader.group.size += 1;
      reader.position += 1;
      return true;
    case "[":
      return readClass(reader) && add(reader.group, ONE);
    case "\\":
      return readBackslash(reader);
    default:
      readCodePoint(reader);
      return add(reader.group, ONE);
  }
}

function opened(size: number): Group {
  return { size, repeats: 1, last: null };
}

function add(group: Group, part: Part): true {
  if (group.last) count(group, group.last);
  group.last = part;
  return true;
}

/** An alternative without parts is an instruction as well. */
function endAlternative(group: Group): void {
  count(group, group.last ?? ONE);
  group.last = null;
}

function count(group: Group, { size, repeats }: Part): void {
  group.size += size;
  group.repeats = Math.max(group.repeats, repeats);
}

function readOperator(reader: Reader, repeated: boolean): boolean {
  const operator = take(reader, OPERATOR)?.[0][0];
  const { last } = reader.group;
  if (repeated || !last) return false;
  return repeat(reader, { ...last, size: last.size + (operator === "*" ? 2 : 1) });
}

/** `{2}`, `{2,}` or `{2,5}`; a brace with anything else in it stands for itself. */
function readCounted(reader: Reader, repeated: boolean): boolean {
  const counted = take(reader, COUNTED);
  if (!counted) {
    readCodePoint(reader);
    return add(reader.group, ONE);
  }
  const { last } = reader.group;
  const min = Number(counted[1]);
  const isOpen = counted[2] !== undefined && counted[3] === undefined;
  const max = isOpen ? min : Number(counted[3] ?? min);
  if (repeated || !last || max < min || max > MAX_REPEATS) return false;
  // RE2 leaves out what is repeated no times, with the repetitions in it.
  if (max === 0 && !isOpen) return repeat(reader, ONE);
  const repeats = Math.max(max, 1) * last.repeats;
  if (repeats > MAX_REPEATS) return false;
  const copies = Math.max(max, 1) * last.size;
  return repeat(reader, { size: copies + (isOpen ? 2 : max - min), repeats });
}

function repeat(reader: Reader, part: Part): true {
  reader.group.last = part;
  reader.repeated = true;
  return true;
}

/** A group, with or without a name or flags; flags for what follows are no part. */
function openGroup(reader: Reader): boolean {
  if (!reader.text.startsWith("(?", reader.position)) {
    reader.position += 1;
    return enter(reader, CAPTURE_SIZE);
  }
  const name = take(reader, NAMED_GROUP)?.[1];
  if (name !== undefined) {
    if (reader.names.has(name)) return false;
    reader.names.add(name);
    return enter(reader, CAPTURE_SIZE);
  }
  const flags = take(reader, FLAGS);
  if (!flags) return false;
  return flags[1] === ")" || enter(reader, 0);
}

function enter(reader: Reader, size: number): true {
  reader.outer.push(reader.group);
  reader.group = opened(size);
  return true;
}

function closeGroup(reader: Reader): boolean {
  const outer = reader.outer.pop();
  if (!outer) return false;
  const { group } = reader;
  endAlternative(group);
  reader.group = outer;
  reader.position += 1;
  return add(outer, { size: group.size, repeats: group.repeats });
}

function readBackslash(reader: Reader): boolean {
  const quoted = take(reader, QUOTED)?.[1];
  if (quoted !== undefined) {
    // Each character is a part, so that what follows repeats the last one.
    const [last, ...others] = [...quoted].reverse();
    if (others.length > 0) add(reader.group, { ...ONE, size: others.length });
    return last === undefined || add(reader.group, ONE);
  }
  if (take(reader, ASSERTION_OR_PERL_CLASS)) return add(reader.group, ONE);
  const isPart = readUnicodeClass(reader) ?? readEscape(reader) !== null;
  return isPart && add(reader.group, ONE);
}

function readClass(reader: Reader): boolean {
  take(reader, CLASS_START);
  // A bracket that comes first stands for itself.
  let isFirst = true;
  while (isFirst || reader.text[reader.position] !== "]") {
    isFirst = false;
    if (!readClassItem(reader)) return false;
  }
  reader.position += 1;
  return true;
}

function readClassItem(reader: Reader): boolean {
  if (reader.text.startsWith("[:", reader.position)) {
    const posix = take(reader, POSIX_CLASS)?.[1];
    if (posix !== undefined) return POSIX_CLASSES.has(posix);
    if (reader.text.includes(":]", reader.position)) return false;
  }
  const isUnicodeClass = readUnicodeClass(reader);
  if (isUnicodeClass !== null) return isUnicodeClass;
  if (take(reader, PERL_CLASS)) return true;
  const low = readClassCharacter(reader);
  if (low === null) return false;
  if (!take(reader, RANGE)) return true;
  const high = readClassCharacter(reader);
  return high !== null && low <= high;
}

/** Whether there is a class by the name that stands here; null when none stands here. */
function readUnicodeClass(reader: Reader): boolean | null {
  const found = take(reader, UNICODE_CLASS);
  return found && UNICODE_CLASSES.has(found[1] ?? found[2] ?? "");
}

function readClassCharacter(reader: Reader): number | null {
  if (reader.position >= reader.text.length) return null;
  return reader.text[reader.position] === "\\" ? readEscape(reader) : readCodePoint(reader);
}

/** The character that an escape stands for; null when RE2 does not know it. */
function readEscape(reader: Reader): number | null {
  const octal = take(reader, OCTAL)?.[1];
  if (octal !== undefined) return Number.parseInt(octal, 8);
  const hex = take(reader, HEX);
  if (hex) {
    const character = Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
    return character <= MAX_CODE_POINT ? character : null;
  }
  const control = take(reader, CONTROL)?.[1];
  if (control !== undefined) return CONTROLS.get(control) ?? null;
  return take(reader, PUNCTUATION)?.[0].charCodeAt(1) ?? null;
}

function readCodePoint(reader: Reader): number {
  const character = reader.text.codePointAt(reader.position) ?? 0;
  reader.position += character > 0xffff ? 2 : 1;
  return character;
}

/** What `token` matches here, after which reading goes on. */
function take(reader: Reader, token: RegExp): RegExpExecArray | null {
  token.lastIndex = reader.position;
  const found = token.exec(reader.text);
  if (found) reader.position = token.lastIndex;
  return found;
}
