import { capitalized } from "../words.js";

/** What only somebody who writes the input by hand needs to know: a form has a control for each of these. */
const OF_INPUTS = [
  / ?`{}` takes the defaults;/g,
  / A member that is absent or null [^.]*\./g,
  / Null keeps the value\./g,
  /; null [^.;]*(?=[.;])/g,
];

/** The description of a field as a form has it. */
export function helpOf(description: string): string {
  const text = OF_INPUTS.reduce((rest, pattern) => rest.replace(pattern, ""), description);
  // What an id names is chosen by its name.
  return capitalized(
    text
      .replace(/^The ids? of (?=(the|an?) )/, "")
      .replace("the time between `validAfter` and `validUntil`", "how long that may be"),
  );
}

/** Whether the field has a value in any case, so that there is nothing to clear. */
export function keepsItsValue(description: string): boolean {
  return description.includes("Null keeps the value.");
}
