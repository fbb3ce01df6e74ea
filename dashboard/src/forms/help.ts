import { ENUMS, INPUTS } from "../generated/inputs.js";
import { capitalized, words } from "../words.js";

/** What only somebody who writes the input by hand needs to know: a form has a control for each of these. */
const OF_INPUTS = [
  / ?`{}` takes the defaults;/g,
  / A member that is absent or null [^.]*\./g,
  / Null keeps the value\./g,
  /; null [^.;]*(?=[.;])/g,
  /, by its id or as a new backend/g,
  / A new backend is [^.]*; an update leaves it\./g,
  / They replace all that it has\./g,
  / The description of the map has the maximum length\./g,
];

/** What forms label: their fields, and the values that are chosen in them. */
const LABELLED = new Set([
  ...Object.values(INPUTS).flatMap(({ fields }) => fields.map(({ name }) => name)),
  ...Object.values(ENUMS).flatMap((values) => values.map(({ name }) => name)),
]);

/** The description of a field as a form has it. */
export function helpOf(description: string): string {
  const text = OF_INPUTS.reduce((rest, pattern) => rest.replace(pattern, ""), description);
  // What an id names is chosen by its name.
  return capitalized(
    text
      .replace(/^The ids? of (?=(the|an?|event) )/, "")
      .replace(/Must be null with/, "Not together with")
      .replace(/`(\w+)`/g, (code, name) => (LABELLED.has(name) ? `“${words(name)}”` : code))
      .replace("the time between “Valid after” and “Valid until”", "how long that may be"),
  );
}

/** Whether the field has a value in any case, so that there is nothing to clear. */
export function keepsItsValue(description: string): boolean {
  return description.includes("Null keeps the value.");
}
