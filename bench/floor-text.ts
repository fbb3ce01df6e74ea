import { PUBLIC_URL } from "./rows.js";

// Each statement puts the bytes of an answer together in the database, as text: several times cheaper
// than its functions for JSON. A document is copied as it was stored; in compact JSON `"name":` is always a
// key, so keys are respelled by replacing text. What is sealed is marked, for the server to open.

/** A JSON object; `members` are SQL for JSON texts, none of them null. */
export function object(members: Readonly<Record<string, string>>): string {
  const written = Object.entries(members).map(([name, sql]) => `"${name}":' || ${sql} || '`);
  return `'{${written.join(",")}}'`;
}

/** A JSON array of the texts that `element` gives for each row of `from`. */
export function array(element: string, from: string, order: string): string {
  return `(SELECT '[' || coalesce(string_agg(${element}, ',' ORDER BY ${order}), '') || ']' FROM ${from})`;
}

export function unlessNull(column: string, text: string): string {
  return `CASE WHEN ${column} IS NULL THEN 'null' ELSE ${text} END`;
}

/** For texts that need no escapes. */
export function plain(sql: string): string {
  return `'"' || ${sql} || '"'`;
}

export function text(column: string): string {
  return `to_json(${column})::text`;
}

export function boolean(column: string): string {
  return `${column}::text`;
}

export function document(column: string): string {
  return `coalesce(${column}::text, 'null')`;
}

/** A document with some texts replaced. */
export function changed(column: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce(
    (sql, [from, to]) => `replace(${sql}, '${from}', ${to})`,
    document(column),
  );
}

/** A document with its keys in snake_case, but for those in `others`, which say what replaces them. */
export function respelled(
  column: string,
  keys: string,
  others: Readonly<Record<string, string>> = {},
): string {
  const changes = keys.split(" ").map((key) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [`"${key}":`, `'"${name}":'`];
  });
  return changed(column, { ...Object.fromEntries(changes), ...others });
}

/** The key and the start of a sealed text, marked with what it is sealed for. */
export function sealed(key: string, purpose: string): string {
  return `'"${key}":"sealed:' || r.id || '.${purpose}:'`;
}

export function time(column: string): string {
  return plain(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`);
}

export function link(...path: readonly string[]): string {
  return plain([`'${PUBLIC_URL}'`, ...path].join(" || "));
}
