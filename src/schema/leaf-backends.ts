import { builder } from "./builder/builder.js";
import type { InputFields } from "./builder/inputs.js";
import { httpResponseBackends } from "./http-response-backends.js";
import { staticBackends } from "./static-backends.js";
import { tunnelGroupBackends } from "./tunnel-group-backends.js";

/** The fields for a new backend without children, of which one is given. */
export function newLeafBackendFields(t: InputFields) {
  return {
    httpResponseBackend: t.field({
      type: httpResponseBackends.createInput,
      description: "A new HTTP response backend.",
    }),
    staticBackend: t.field({
      type: staticBackends.createInput,
      description: "A new static backend.",
    }),
    tunnelGroupBackend: t.field({
      type: tunnelGroupBackends.createInput,
      description: "A new tunnel group backend.",
    }),
  };
}

export const LeafBackendReferenceInput = builder.inputType("LeafBackendReferenceInput", {
  description: "A backend without children, by its id or as a new backend.",
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: "The id of an HTTP response, static or tunnel group backend." }),
    ...newLeafBackendFields(t),
  }),
});
