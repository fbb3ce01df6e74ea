import type { ArgBuilder } from "@pothos/core";
import {
  MAX_DESCRIPTION_BYTES,
  MAX_LIST_ITEMS,
  MAX_METADATA_BYTES,
} from "../../domain/core/fields.js";
import { builder, type Types } from "./builder.js";

/** What makes the fields of an input type. */
export type InputFields = PothosSchemaTypes.InputFieldBuilder<Types, "InputObject">;

export function idArgument(t: { readonly arg: ArgBuilder<Types> }) {
  return t.arg.id({ required: true, description: "Its id." });
}

/** The texts that every resource has. */
export function textInputs(t: InputFields) {
  return {
    description: t.string({
      description: `For people; at most ${MAX_DESCRIPTION_BYTES} bytes of UTF-8, empty by default.`,
    }),
    metadata: t.string({
      description: `For machines; at most ${MAX_METADATA_BYTES} bytes of UTF-8, empty by default.`,
    }),
  };
}

export function hostportsInput(t: InputFields) {
  return t.stringList({
    description: `Where it is served: at most ${MAX_LIST_ITEMS} \`host:port\`, a DNS name (a leading \`*.\` allowed) or address and a port; the order is kept, none by default.`,
  });
}

export function hostportFilter(t: InputFields) {
  return t.string({
    description: "Those with exactly this `host:port`; the case of letters counts.",
  });
}

/** A user-keyed map is a list of these. */
export const NameValueInput = builder.inputType("NameValueInput", {
  description: "One entry of a map whose names are yours.",
  fields: (t) => ({
    name: t.string({
      required: true,
      description: "Unique within its list, such as `X-Request-Start`; how long, the map says.",
    }),
    value: t.string({ required: true, description: 'May be empty, `""`; how long, the map says.' }),
  }),
});
