interface Expectation {
  /** Continues "must be". */
  readonly text: string;
  is(value: unknown): boolean;
}

const MAX_INT = 2 ** 31 - 1;
const MIN_INT = -(2 ** 31);

/**
 * The values that the scalars of the library accept. The library's own errors repeat the value, which may be a secret
 * in a wrong place.
 */
export const SCALARS: ReadonlyMap<string, Expectation> = new Map([
  [
    "Int",
    {
      text: `a whole number from ${MIN_INT} to ${MAX_INT}`,
      is: (value) =>
        Number.isInteger(value) && Number(value) >= MIN_INT && Number(value) <= MAX_INT,
    },
  ],
  ["Float", { text: "a number", is: (value) => Number.isFinite(value) }],
  ["String", { text: "a string", is: (value) => typeof value === "string" }],
  ["Boolean", { text: "true or false", is: (value) => typeof value === "boolean" }],
  [
    "ID",
    {
      text: "a string or a whole number",
      is: (value) => typeof value === "string" || Number.isInteger(value),
    },
  ],
]);
