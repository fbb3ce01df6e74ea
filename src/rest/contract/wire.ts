import type { Issue } from "../../domain/core/errors.js";
import { USER_MAPS } from "../../domain/core/fields.js";
import { camelCase, snakeCase } from "../../domain/core/names.js";

/** The name that a field has on the wire, by that in the domain, where these are two words: both in camelCase. */
export type Spelling = Readonly<Record<string, string>>;

/** Marks a name that is not to be respelled. */
const VERBATIM = "?";

/**
 * Turns the snake_case keys of a body into the domain's camelCase. Maps whose keys belong to the user stay
 * as they are.
 */
export function fromWire(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(fromWire);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name = domainName(key);
      return [name, USER_MAPS.has(name) ? member : fromWire(member)];
    }),
  );
}

/** The reverse: a body in the domain's spelling as it stands on the wire. */
export function toWire(value: unknown, spelling: Spelling = {}): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => toWire(item));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      snakeCase(spelling[name] ?? name),
      USER_MAPS.has(name) ? member : toWire(member),
    ]),
  );
}

/** An issue as a REST caller spells it. */
export function toWireIssue({ path, message }: Issue): Issue {
  return {
    path: path.map((segment, index) =>
      typeof segment === "number" || USER_MAPS.has(String(path[index - 1]))
        ? segment
        : wireName(segment),
    ),
    message: wireText(message),
  };
}

/** A message of the domain with its fields, which stand in backticks, as a REST caller spells them. */
export function wireText(message: string): string {
  return message.replace(/`([A-Za-z0-9.]+)`/g, (_, name: string) => `\`${wireName(name)}\``);
}

export function wireName(name: string): string {
  if (name.startsWith(VERBATIM)) return name.slice(VERBATIM.length);
  return snakeCase(name);
}

/** A name in the path of an issue that is shown as the caller gave it, such as a header or a query parameter. */
export function verbatim(name: string): string {
  return `${VERBATIM}${name}`;
}

/** A key in other than wire spelling is marked, so that it matches no field. */
export function domainName(key: string): string {
  const name = camelCase(key);
  return wireName(name) === key && !key.startsWith(VERBATIM) ? name : verbatim(key);
}
