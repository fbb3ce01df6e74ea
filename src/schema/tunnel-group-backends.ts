import { deleteBackend } from "../domain/backends.js";
import { tunnelGroupBackendList } from "../domain/lists/filters/tunnel-group-backends.js";
import type { TunnelGroupBackend } from "../domain/reads/backends.js";
import {
  createTunnelGroupBackend,
  MAX_LABEL_NAME_BYTES,
  MAX_LABEL_VALUE_BYTES,
  MAX_LABELS,
  tunnelGroupBackendInputs,
  updateTunnelGroupBackend,
} from "../domain/tunnel-group-backends.js";
import { BackendInterface, unusedBackend } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import type { InputFields } from "./builder/inputs.js";
import { NameValue, nameValues, nameValuesInput } from "./builder/maps.js";
import { collection } from "./collection.js";

const TunnelGroupBackendType = builder
  .objectRef<TunnelGroupBackend>("TunnelGroupBackend")
  .implement({
    description: "Forwards to the tunnels that have all of its labels.",
    interfaces: [Node, BackendInterface],
    fields: (t) => ({
      labels: t.field({
        type: [NameValue],
        description: "The labels that a tunnel must have to belong to the group.",
        resolve: ({ labels }) => nameValues(labels),
      }),
    }),
  });

const fields = (t: InputFields) => ({
  labels: nameValuesInput(
    t,
    `The labels that a tunnel must have: at most ${MAX_LABELS}, with names of 1 to ${MAX_LABEL_NAME_BYTES} bytes without \`=\` and values of at most ${MAX_LABEL_VALUE_BYTES} bytes; default none.`,
  ),
});

export const tunnelGroupBackends = collection({
  kind: "tunnelGroupBackend",
  plural: "tunnelGroupBackends",
  type: TunnelGroupBackendType,
  list: tunnelGroupBackendList,
  filter: unusedBackend,
  create: {
    rule: tunnelGroupBackendInputs.create,
    fields,
    run: createTunnelGroupBackend,
  },
  update: {
    rule: tunnelGroupBackendInputs.update,
    fields,
    run: updateTunnelGroupBackend,
  },
  remove: {
    note: "Refused while a route, TLS edge, TCP edge or other backend uses it.",
    run: (context, id) => deleteBackend(context, "tunnel_group", id),
  },
});
