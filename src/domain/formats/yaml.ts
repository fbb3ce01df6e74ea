import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isCollection,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  visit,
} from "yaml";
import { readPlainJson } from "./json.js";

/** Levels of lists and mappings. The parser recurses, and has taken the process down at a thousand. */
const MAX_DEPTH = 64;
/** Aliases in a document, and the nodes that they may come to when expanded. */
const MAX_ALIASES = 100;

type Path = readonly (string | number)[];

/** A valid document: its value, and a function that gives the position of a path in the text. */
export interface YamlDocument {
  readonly value: unknown;
  /** "line 3, column 5", for `path` or, where an alias hides that, for what holds it. */
  position(path: Path): string;
}

/**
 * Reads one document of YAML 1.2, and so also JSON, or says what is wrong as it continues a sentence: it must be
 * well-formed, with no key twice in a mapping, at most 64 levels deep and with at most 100 aliases, none of them inside
 * the value of its own anchor.
 */
export function readYaml(text: string): YamlDocument | { readonly problem: string } {
  const json = readPlainJson(text, MAX_DEPTH);
  if (!json) return readAnyYaml(text);
  let document: YamlDocument | { readonly problem: string } | undefined;
  return {
    value: json.value,
    position: (path) => {
      document ??= readAnyYaml(text);
      return "position" in document ? document.position(path) : "line 1, column 1";
    },
  };
}

function readAnyYaml(text: string): YamlDocument | { readonly problem: string } {
  const lines = new LineCounter();
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  const scanned = scan(text, lines);
  const found = Array.isArray(scanned) ? compose(scanned, text.length) : scanned;
  if ("message" in found) return { problem: `${found.message} (${position(found.offset)})` };
  return {
    value: found.value,
    position: (path) => position(offsetOf(found.document, path)),
  };
}

interface Problem {
  readonly message: string;
  readonly offset: number;
}

const MALFORMED = "must be JSON or YAML that can be read";

/** Reads the tokens, which takes no recursion. Also finds the lines. */
function scan(text: string, lines: LineCounter): CST.Token[] | Problem {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  let aliases = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") return { message: MALFORMED, offset: token.offset };
      tokens.push(token);
    }
    if (parser.stack.length > MAX_DEPTH) {
      return { message: `must have at most ${MAX_DEPTH} levels of lists and mappings`, offset };
    }
    if (lexeme.startsWith("*")) aliases += 1;
    if (aliases > MAX_ALIASES) {
      return { message: `must have at most ${MAX_ALIASES} aliases`, offset };
    }
  }
  for (const token of parser.end()) {
    if (token.type === "error") return { message: MALFORMED, offset: token.offset };
    tokens.push(token);
  }
  return tokens;
}

function compose(
  tokens: readonly CST.Token[],
  end: number,
): { document: Document; value: unknown } | Problem {
  // Uniqueness is checked below: the parser compares every key with every other.
  const composer = new Composer({ logLevel: "error", uniqueKeys: false });
  const [document, second] = composer.compose(tokens, true, end);
  if (!document) return { message: MALFORMED, offset: 0 };
  const [error] = document.errors;
  if (error) return { message: MALFORMED, offset: error.pos[0] };
  if (second) {
    const message = "must be one document, but a second one begins";
    return { message, offset: second.range[0] };
  }
  const problem = structureProblem(document);
  if (problem) return problem;
  try {
    return { document, value: document.toJS({ maxAliasCount: MAX_ALIASES }) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { message: "must not grow to many times its size through aliases", offset: 0 };
  }
}

function structureProblem(document: Document): Problem | null {
  let problem: Problem | null = null;
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : null;
        if (name !== null && seen.has(name)) {
          const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0;
          problem = { message: `must not have the key ${quoted(name)} twice`, offset };
          return visit.BREAK;
        }
        if (name !== null) seen.add(name);
      }
      return undefined;
    },
    Alias(_, alias, path) {
      const message = aliasProblem(alias, path, document);
      if (message === null) return undefined;
      problem = { message, offset: alias.range?.[0] ?? 0 };
      return visit.BREAK;
    },
  });
  return problem;
}

const MAX_QUOTED = 100;

/** A key of the user's as a message shows it: a long one is cut. */
export function quoted(key: string): string {
  return JSON.stringify(key.length > MAX_QUOTED ? `${key.slice(0, MAX_QUOTED)}…` : key);
}

function aliasProblem(alias: Alias, path: readonly unknown[], document: Document): string | null {
  if (!alias.resolve(document)) return "must not have an alias without an anchor before it";
  return path.some((node) => isCollection(node) && node.anchor === alias.source)
    ? "must not have an alias inside the value of its own anchor"
    : null;
}

function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length > 0 ? document.getIn(path.slice(0, length), true) : document.contents;
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
