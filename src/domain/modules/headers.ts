import { z } from "zod";
import { ALWAYS, list, text, userMap, withDefault } from "../core/fields.js";
import { enabled } from "./enabled.js";
import { plainModule } from "./module.js";

/** Headers that one module adds, and that it removes. */
export const MAX_HEADERS = 5;
export const MAX_NAME_BYTES = 256;
export const MAX_VALUE_BYTES = 2048;

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

const NOT_A_NAME =
  "must be a header name, which is a token of RFC 9110: letters, digits and some marks";
const NAME_TOO_LONG = `must be a header name of at most ${MAX_NAME_BYTES} bytes`;

const headerValue = text(MAX_VALUE_BYTES)
  .refine((value) => VALUE.test(value), "must have printable ASCII characters only")
  .refine((value) => value.trim() === value, "must not begin or end with a space");

const headerName = z.string().superRefine((name, ctx) => {
  const message = nameProblem(name);
  if (message) ctx.addIssue({ code: "custom", message, ...nameLimit(message) });
});

/**
 * At most `max` headers, values by name: names are tokens of RFC 9110 of at most 256 bytes, unique without
 * regard to case and kept as given; values are printable ASCII of at most 2048 bytes.
 */
export function headerMap(max: number) {
  return userMap(headerValue, max).superRefine((headers, ctx) => {
    if (typeof headers !== "object" || headers === null || Array.isArray(headers)) return;
    const names = Object.keys(headers);
    const again = repeated(names);
    for (const [index, name] of names.entries()) {
      const message = nameProblem(name) ?? again.get(index);
      if (message) {
        ctx.addIssue({ code: "custom", message, path: [name], ...nameLimit(message) });
      }
    }
  }, ALWAYS);
}

const remove = list(headerName, MAX_HEADERS).superRefine((names, ctx) => {
  for (const [index, message] of repeated(names)) {
    ctx.addIssue({ code: "custom", message, path: [index] });
  }
});

function nameProblem(name: string): string | null {
  if (!TOKEN.test(name)) return NOT_A_NAME;
  return name.length > MAX_NAME_BYTES ? NAME_TOO_LONG : null;
}

function nameLimit(message: string) {
  return message === NAME_TOO_LONG ? { params: { limit: MAX_NAME_BYTES } } : {};
}

/** The indexes of names that stand before in another or the same case, with the message for each. */
function repeated(names: readonly string[]): Map<number, string> {
  const seen = new Set<string>();
  const found = new Map<number, string>();
  for (const [index, name] of names.entries()) {
    const key = name.toLowerCase();
    if (seen.has(key)) found.set(index, "is given twice: header names ignore case");
    seen.add(key);
  }
  return found;
}

function headersModule() {
  return plainModule(
    z.strictObject({
      enabled,
      add: withDefault(headerMap(MAX_HEADERS), {}),
      remove: withDefault(remove, []),
    }),
    z.object({
      enabled: z.boolean(),
      add: z.record(z.string(), z.string()),
      remove: z.array(z.string()),
    }),
  );
}

/**
 * Changes the headers of requests on their way upstream (specification, EndpointRequestHeaders): `remove`
 * first, then `add`, so that a name in both is replaced. At most 5 of each. Names are tokens of RFC 9110
 * of at most 256 bytes, unique without regard to case and kept as given; values have at most 2048 bytes.
 */
export const requestHeaders = headersModule();

/** The same for responses on their way to the client (specification, EndpointResponseHeaders). */
export const responseHeaders = headersModule();

export type Headers = z.output<typeof requestHeaders.rule>;
