import type { ArgBuilder } from "@pothos/core";
import {
  MAX_DESCRIPTION_BYTES,
  MAX_LIST_ITEMS,
  MAX_METADATA_BYTES,
} from "../../domain/core/fields.js";
import { builder, type Types } from "./builder.js";

/** The builder of the fields of an input type. */
export type InputFields = PothosSchemaTypes.InputFieldBuilder<Types, "InputObject">;

export function idArgument(t: { readonly arg: ArgBuilder<Types> }) {
  return t.arg.id({ required: true, description: "The id of the resource." });
}

/** The texts that every resource has. */
export function textInputs(t: InputFields) {
  return {
    description: t.string({
      description: `A text for people; at most ${MAX_DESCRIPTION_BYTES} bytes of UTF-8, empty by default.`,
    }),
    metadata: t.string({
      description: `A text for programs; at most ${MAX_METADATA_BYTES} bytes of UTF-8, empty by default.`,
    }),
  };
}

export function hostportsInput(t: InputFields) {
  return t.stringList({
    description: `Where it is served: at most ${MAX_LIST_ITEMS} hostports of the form \`host:port\`. The host is an IP address or a DNS name, which can start with \`*.\`. The order is kept; default none.`,
  });
}

export function hostportFilter(t: InputFields) {
  return t.string({
    description:
      "Only those with this `host:port`, ignoring case; an IPv6 address can be written in any form.",
  });
}

/** A user-keyed map is a list of these. */
export const NameValueInput = builder.inputType("NameValueInput", {
  description: "One entry of a map; you choose the names.",
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        "The name, unique in its list, such as `X-Request-Start`. The description of the map has the maximum length.",
    }),
    value: t.string({
      required: true,
      description:
        'The value; can be empty, `""`. The description of the map has the maximum length.',
    }),
  }),
});
