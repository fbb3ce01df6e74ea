import { z } from "zod";
import { builder } from "./builder.js";
import { type InputFields, NameValueInput } from "./inputs.js";

/** A map whose names are the user's, as GraphQL shows it: a list, in the order given. */
export const NameValue = builder
  .objectRef<{ readonly name: string; readonly value: string }>("NameValue")
  .implement({
    description: "One entry of a map; you choose the names.",
    fields: (t) => ({
      name: t.exposeString("name", { description: "The name, unique in its list." }),
      value: t.exposeString("value", { description: "The value; can be empty." }),
    }),
  });

export function nameValues(map: Readonly<Record<string, string>>) {
  return Object.entries(map).map(([name, value]) => ({ name, value }));
}

/** An input field for such a map: the domain gets a map. */
export function nameValuesInput(t: InputFields, description: string) {
  return t
    .field({ type: [NameValueInput], description })
    .validate(mapOf<"name", "value", string>("name", "value"));
}

/**
 * Turns a list of names and values into the domain's map. A list in which a name stands twice stays a list,
 * which the domain's rule refuses together with all other problems of the input.
 */
function mapOf<Name extends string, ValueName extends string, Value>(name: Name, value: ValueName) {
  type Entry = Record<Name, string> & Record<ValueName, Value>;
  return z.custom<Entry[] | null | undefined>().transform((entries) => {
    if (!Array.isArray(entries)) return entries;
    const names = new Set(entries.map((entry) => entry[name]));
    if (names.size < entries.length) return entries;
    return Object.fromEntries(entries.map((entry) => [entry[name], entry[value]]));
  });
}
