import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { type Issue, invalidRequest } from "./errors.js";
import { idPattern, kindOfId, oneOfKind, RESOURCES, type ResourceKind } from "./ids.js";

/** Specification section 8; the same on every resource. Bytes of UTF-8. */
export const MAX_DESCRIPTION_BYTES = 255;
export const MAX_METADATA_BYTES = 4096;
/** The maximum number of items of a list without a smaller limit. */
export const MAX_LIST_ITEMS = 250;
export const MAX_UINT32 = 4_294_967_295;

/**
 * Options of a rule that looks at several fields or items: it is run also when one of them is refused by its own rule,
 * so that all problems are found at once, and may be given anything.
 */
export const ALWAYS = { when: () => true };

z.config({ customError: (issue) => explain(issue) });

// What a rule checks by code, it also says as JSON Schema with `meta`, for the OpenAPI document.

/** Text that PostgreSQL stores and JSON carries unchanged, of at most `maxBytes` bytes of UTF-8. */
export function text(maxBytes: number) {
  const checked = z.string().superRefine((value, ctx) => {
    if (value.includes("\0")) ctx.addIssue("must not contain NUL characters");
    if (!value.isWellFormed()) ctx.addIssue("must not contain unpaired surrogates");
    const bytes = Buffer.byteLength(value);
    if (bytes > maxBytes) {
      const message = `must have at most ${maxBytes} bytes of UTF-8, and has ${bytes}`;
      ctx.addIssue({ code: "custom", message, params: { limit: maxBytes } });
    }
  });
  return checked.meta({ maxLength: maxBytes });
}

/** Text that must not be empty. */
export function requiredText(maxBytes: number) {
  return text(maxBytes)
    .refine((value) => value !== "", "must not be empty")
    .meta({ minLength: 1 });
}

export const description = text(MAX_DESCRIPTION_BYTES);
const metadata = text(MAX_METADATA_BYTES);

/** The texts of every resource, as an input gives them. */
export const texts = { description: description.nullish(), metadata: metadata.nullish() };

export const MAX_OWNER_BYTES = 255;

/** Whose a credential is, in the words of the caller. */
export const ownerId = text(MAX_OWNER_BYTES);

/** 0 to 4294967295, also given as an integral decimal such as 3600.0. */
export const uint32 = wholeNumber(0, MAX_UINT32);

/** `min` to `max`, also given as an integral decimal. */
export function wholeNumber(min: number, max: number) {
  const checked = z.number().superRefine((value, ctx) => {
    if (Number.isInteger(value) && value >= min && value <= max) return;
    const message = `must be a whole number from ${min} to ${max}`;
    const limit = value < min ? min : max;
    const met = value < min || value > max;
    ctx.addIssue({ code: "custom", message, ...(met && { params: { limit } }) });
  });
  return checked.meta({ type: "integer", minimum: min, maximum: max });
}

/** A list of at most `max` items. A longer one is refused before its items are looked at. */
export function list<Item extends z.ZodType>(item: Item, max = MAX_LIST_ITEMS) {
  return z.preprocess(
    (input, ctx) => {
      if (Array.isArray(input) && input.length > max) {
        const message = `must have at most ${max} items, and has ${input.length}`;
        ctx.addIssue({ code: "custom", message, params: { limit: max } });
      }
      return input;
    },
    z.array(item).meta({ maxItems: max }),
  );
}

/**
 * A list whose items are checked one after the other, with other work of the process between them, since checking
 * all of them at once could take long. Only for rules that are run with `parseAsync`, as GraphQL's are.
 */
export function listInTurns<Item extends z.ZodType>(item: Item, max = MAX_LIST_ITEMS) {
  let last: Promise<unknown> = Promise.resolve();
  const turn = z.unknown().superRefine(async () => {
    last = last.then(() => setImmediate());
    await last;
  });
  return list(turn.pipe(item), max);
}

/** A list in which no item stands twice. */
export function uniqueList<Item extends z.ZodType<string>>(item: Item, max = MAX_LIST_ITEMS) {
  return list(item, max).superRefine((items, ctx) => {
    const seen = new Set<string>();
    for (const [index, value] of items.entries()) {
      if (seen.has(value)) {
        ctx.addIssue({ code: "custom", message: "is given twice", path: [index] });
      }
      seen.add(value);
    }
  });
}

/**
 * A map whose keys belong to the user: kept in the order given, with every key as given. One of more than `max`
 * entries is refused before its values are looked at.
 */
export function userMap<Value extends z.ZodType>(value: Value, max = MAX_LIST_ITEMS) {
  return z.preprocess(
    (input, ctx) => {
      if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
      // A record schema drops this one key without a word, so it is refused before that.
      if (Object.hasOwn(input, "__proto__")) {
        ctx.addIssue({ code: "custom", message: "is a reserved name", path: ["__proto__"] });
      }
      const size = Object.keys(input).length;
      if (size > max) {
        const message = `must have at most ${max} entries, and has ${size}`;
        ctx.addIssue({ code: "custom", message, params: { limit: max } });
      }
      return input;
    },
    z.record(z.string(), value).meta({ maxProperties: max }),
  );
}

/** Fields whose keys belong to the user: nothing inside them is a field or ours to rename. */
export const USER_MAPS: ReadonlySet<string> = new Set([
  "add",
  "backends",
  "headers",
  "labels",
  "criticalOptions",
  "extensions",
  // The rules of a traffic policy, as older clients of REST give them.
  "policy",
]);

/** The id of a resource of one of `kinds`. The service checks that it exists. */
export function reference(...kinds: readonly ResourceKind[]) {
  const checked = z.string().superRefine((id, ctx) => {
    const message = idProblem(id, kinds);
    if (message) ctx.addIssue({ code: "custom", message });
  });
  return checked.meta({ pattern: idPattern(...kinds) });
}

/** The reason why `id` is not the id of a resource of one of `kinds`; null when it is. */
export function idProblem(id: string, kinds: readonly ResourceKind[]): string | null {
  const kind = kindOfId(id);
  if (kind && kinds.includes(kind)) return null;
  const expected = kinds.map((kind) => `${RESOURCES[kind].name} (${RESOURCES[kind].prefix}_…)`);
  const problem = `must be an id of the kind ${expected.join(" or ")}`;
  return kind ? `is the id of ${oneOfKind(kind)}, and ${problem}` : problem;
}

/** The id of a resource that may be absent: "" means unspecified, as null does on create. */
export function optionalReference(...kinds: readonly ResourceKind[]) {
  const given = reference(...kinds).nullish();
  return z.preprocess((value) => (value === "" ? undefined : value), given).meta({ unset: [""] });
}

/**
 * A field with a default: absent and null mean "unspecified", and so do the empty text and, for numbers
 * other than those where 0 has a meaning of its own, 0 (typed clients send these for what they leave unset).
 */
export function withDefault<Rule extends z.ZodType>(rule: Rule, fallback: z.input<Rule>) {
  const zeroIsUnset = typeof fallback === "number" && fallback !== 0;
  const completed = z.preprocess(
    (value) =>
      value === undefined || value === null || value === "" || (zeroIsUnset && value === 0)
        ? fallback
        : value,
    rule,
  );
  return completed.meta({ unset: zeroIsUnset ? [null, "", 0] : [null, ""], fallback });
}

/** A required field in an update: absent, null, "" and 0 leave it as it is, since typed clients send these for unset. */
export function orUnchanged<Rule extends z.ZodType>(rule: Rule) {
  const given = z.preprocess(
    (value) => (value === null || value === "" || value === 0 ? undefined : value),
    rule.optional(),
  );
  return given.meta({ unset: [null, "", 0] });
}

/** An object with exactly one of `fields`; the others are absent or null. */
export function exactlyOne<Shape extends z.core.$ZodLooseShape>(fields: Shape) {
  const names = Object.keys(fields);
  return z
    .strictObject(fields)
    .partial()
    .superRefine((value, ctx) => {
      if (typeof value !== "object" || value === null) return;
      const given = Object.values(value).filter((member) => member !== undefined);
      if (given.length === 1) return;
      const known = names.map((name) => `\`${name}\``).join(", ");
      ctx.addIssue(`must have exactly one of ${known}, and has ${given.length}`);
    }, ALWAYS);
}

/** An optional field without a default: "unspecified" becomes null. */
export function orNull<Rule extends z.ZodType>(rule: Rule) {
  const given = z.preprocess(
    (value) => (value === undefined || value === "" ? null : value),
    rule.nullable(),
  );
  return given.meta({ unset: [""] });
}

/** What a timestamp of RFC 3339 in UTC can say, and PostgreSQL store. */
const FIRST_TIME = new Date("0001-01-01T00:00:00Z");
export const LAST_TIME = new Date("9999-12-31T23:59:59Z");

/** A timestamp in RFC 3339 with seconds and an offset; fractions of a second are cut. */
export const timestamp = z.iso
  .datetime({
    offset: true,
    error: "must be a timestamp in RFC 3339, such as 2030-01-31T09:30:00Z",
  })
  .transform((value) => new Date(Math.floor(Date.parse(value) / 1000) * 1000))
  .refine((time) => time >= FIRST_TIME && time <= LAST_TIME, "must lie in the years 1 to 9999");

/** Runs `rule`; throws INVALID_REQUEST with every problem that the rule finds. */
export function parse<Output>(rule: z.ZodType<Output>, input: unknown): Output {
  const result = rule.safeParse(input);
  if (result.success) return result.data;
  throw invalidRequest(issuesOf(result.error.issues), input);
}

/** A rule's findings as issues: one for each unknown field, each path once per message. */
export function issuesOf(found: readonly RuleIssue[]): Issue[] {
  return found.flatMap((issue) => {
    const path = (issue.path ?? []).map((key) => (typeof key === "number" ? key : String(key)));
    const limit = issue.params?.limit ?? issue.maximum ?? issue.minimum;
    return (issue.keys ?? [undefined]).map((key) => ({
      path: key === undefined ? path : [...path, key],
      message: issue.message,
      ...(typeof limit === "number" && { limit }),
    }));
  });
}

/** The members of a zod issue that are used here. Pothos passes issues in the same shape. */
export interface RuleIssue {
  readonly path?: readonly unknown[] | undefined;
  readonly message: string;
  readonly keys?: readonly string[];
  /** The limit that was met: our own rules give it here, the library's in the two below. */
  readonly params?: { readonly limit?: unknown } | undefined;
  readonly maximum?: unknown;
  readonly minimum?: unknown;
}

const TYPE_NAMES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "a map of names to values, each name once",
};

/** Our own text for each kind of problem that a rule finds by itself. */
function explain(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case "unrecognized_keys":
      return `is not a supported field; supported are ${fieldNames(issue.inst)}`;
    case "invalid_value":
      if (issue.input === undefined) return "is required";
      return `must be ${oneOf(issue.values)}`;
    case "too_small":
      return `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    default:
      return "is not valid";
  }
}

function fieldNames(rule: unknown): string {
  if (!(rule instanceof z.ZodObject)) return "none";
  const names = Object.keys(rule.shape).map((name) => `\`${name}\``);
  return names.length > 0 ? names.join(", ") : "none";
}

function oneOf(values: readonly unknown[]): string {
  const [only] = values;
  return values.length === 1
    ? JSON.stringify(only)
    : `one of ${values.map((v) => JSON.stringify(v)).join(", ")}`;
}
