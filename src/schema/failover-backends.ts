import { deleteBackend } from "../domain/backends.js";
import {
  createFailoverBackend,
  nestedFailoverBackendInputs,
  updateFailoverBackend,
} from "../domain/failover-backends.js";
import { MAX_CHILDREN } from "../domain/leaf-backends.js";
import { failoverBackendList } from "../domain/lists/filters/failover-backends.js";
import type { FailoverBackend } from "../domain/reads/backends.js";
import { BackendInterface, unusedBackend } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import type { InputFields } from "./builder/inputs.js";
import { BackendReferenceInput } from "./builder/resource-types.js";
import { collection } from "./collection.js";
import { newLeafBackendFields } from "./leaf-backends.js";
import { targetsField } from "./reads/links.js";
import { weightedBackends } from "./weighted-backends.js";

const FailoverBackendType = builder.objectRef<FailoverBackend>("FailoverBackend").implement({
  description: "Sends a request to its children in order until one can serve it.",
  interfaces: [Node, BackendInterface],
  fields: (t) => ({
    backends: t.field({
      type: [BackendInterface],
      description: "Its children, in the order in which they are tried.",
      ...targetsField({
        to: "backends",
        member: "backends",
        holds: MAX_CHILDREN,
        id: ({ backends }: FailoverBackend) => backends,
      }),
    }),
  }),
});

/** The fields for a new backend of any kind but failover, of which one is given. */
function newFailoverChildFields(t: InputFields) {
  return {
    ...newLeafBackendFields(t),
    weightedBackend: t.field({
      type: weightedBackends.createInput,
      description: "A new weighted backend.",
    }),
  };
}

const FailoverChildInput = builder.inputType("FailoverChildInput", {
  description:
    "A child of a failover backend, by its id or as a new backend, of any kind except failover.",
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: "The id of a backend of any kind except failover." }),
    ...newFailoverChildFields(t),
  }),
});

const fields = (t: InputFields) => ({
  backends: t.field({
    type: [FailoverChildInput],
    description: `Its children, tried in this order: at most ${MAX_CHILDREN}, each once; default none. New children are created with it.`,
  }),
});

const failoverBackends = collection({
  kind: "failoverBackend",
  plural: "failoverBackends",
  type: FailoverBackendType,
  list: failoverBackendList,
  filter: unusedBackend,
  create: {
    rule: nestedFailoverBackendInputs.create,
    fields,
    run: createFailoverBackend,
  },
  update: {
    rule: nestedFailoverBackendInputs.update,
    fields,
    run: updateFailoverBackend,
  },
  remove: {
    note: "Refused while a route, TLS edge, TCP edge or other backend uses it.",
    run: (context, id) => deleteBackend(context, "failover", id),
  },
});

BackendReferenceInput.implement({
  description:
    "A backend of any kind, by its id or as a new backend. A new backend is created with the resource that uses it.",
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: "The id of a backend of any kind." }),
    ...newFailoverChildFields(t),
    failoverBackend: t.field({
      type: failoverBackends.createInput,
      description: "A new failover backend.",
    }),
  }),
});
