import { LRUCache } from "lru-cache";
import type { StatementNames } from "./texts.js";

const MOST_PARAMETERS = 16;
/**
 * Characters of all texts that get names. PostgreSQL keeps about 110 bytes for each on every connection that has sent
 * them all: 16 MB.
 */
const MOST_CHARACTERS = 150_000;
const LONGEST_TEXT = 10_000;
/** The number of uses of a statement before it gets a name. Most statements that are sent once are never sent again. */
const USES_BEFORE = 2;
/** Texts that are waited for whether they come again. */
const MOST_TEXTS_SEEN = 1_000;

/** The prefix of a statement that PostgreSQL must plan on every call, for the values of that call. */
export const PLANNED_ANEW = "/* planned anew */";

/**
 * Names the statements that recur, so that PostgreSQL parses and plans each once a connection. One with many
 * parameters has a list in it, whose text is another for each length: it stays unnamed, and so does everything
 * past `MOST_CHARACTERS`, which bounds what a connection keeps.
 */
export function preparedStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const uses = new LRUCache<string, number>({ max: MOST_TEXTS_SEEN });
  let named = 0;
  return ({ sql, args }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (args.length > MOST_PARAMETERS || sql.startsWith(PLANNED_ANEW)) return "";
    if (sql.length > LONGEST_TEXT || named + sql.length > MOST_CHARACTERS) return "";
    const used = uses.get(sql) ?? 0;
    uses.set(sql, used + 1);
    if (used < USES_BEFORE) return "";
    const name = `s${names.size}`;
    names.set(sql, name);
    named += sql.length;
    uses.delete(sql);
    return name;
  };
}
