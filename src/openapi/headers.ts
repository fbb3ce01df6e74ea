// The headers of answers.

/** By their names. The server may be set to count no requests; then none tells what is left. */
export const HEADERS = {
  ETag: {
    description:
      "The entity tag of what the body shows, for `If-Match` and `If-None-Match`. It is another one after each change.",
    schema: { type: "string", pattern: '^"[^"]+"$' },
    example: '"3"',
  },
  "Idempotency-Replayed": {
    description:
      "`true` when the answer was given before to the same `Idempotency-Key`, and nothing has happened now; absent otherwise.",
    schema: { type: "string", enum: ["true"] },
  },
  RateLimit: {
    description:
      "How many requests may still come (`r`), and in how many seconds all may come again (`t`).",
    schema: { type: "string" },
    example: '"default";r=599;t=10',
  },
  "RateLimit-Policy": {
    description: "How many requests may come (`q`) in how many seconds (`w`).",
    schema: { type: "string" },
    example: '"default";q=600;w=10',
  },
  "Retry-After": {
    description: "Seconds to wait before the next try; absent where waiting does not help.",
    schema: { type: "integer", minimum: 1 },
    example: 7,
  },
};

export type HeaderName = keyof typeof HEADERS;

/** The headers of an answer to a request that is counted, and `others` besides. */
export function headersOfCounted(...others: readonly HeaderName[]) {
  const names = ["RateLimit", "RateLimit-Policy", ...others];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
