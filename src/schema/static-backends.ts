import { deleteBackend } from "../domain/backends.js";
import { staticBackendList } from "../domain/lists/filters/static-backends.js";
import type { StaticBackend } from "../domain/reads/backends.js";
import {
  createStaticBackend,
  staticBackendInputs,
  updateStaticBackend,
} from "../domain/static-backends.js";
import { BackendInterface, unusedBackend } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import { hostportFilter } from "./builder/inputs.js";
import { collection } from "./collection.js";

const StaticBackendTls = builder.objectRef<StaticBackend["tls"]>("StaticBackendTls").implement({
  description: "The security of the connection to a static backend.",
  fields: (t) => ({
    enabled: t.exposeBoolean("enabled", { description: "Whether TLS is used." }),
  }),
});

const StaticBackendTlsInput = builder.inputType("StaticBackendTlsInput", {
  description: "The security of the connection to a static backend.",
  fields: (t) => ({
    enabled: t.boolean({
      description:
        "Whether TLS is used. A new backend is without TLS by default; an update leaves it.",
    }),
  }),
});

const StaticBackendType = builder.objectRef<StaticBackend>("StaticBackend").implement({
  description: "Forwards to one address.",
  interfaces: [Node, BackendInterface],
  fields: (t) => ({
    address: t.exposeString("address", {
      description: "The address to forward to, as `host:port`.",
    }),
    tls: t.field({
      type: StaticBackendTls,
      description: "The security of the connection to the address.",
      resolve: ({ tls }) => tls,
    }),
  }),
});

export const staticBackends = collection({
  kind: "staticBackend",
  plural: "staticBackends",
  type: StaticBackendType,
  list: staticBackendList,
  filter: (t) => ({ address: hostportFilter(t), ...unusedBackend(t) }),
  searched: "description, metadata or address",
  create: {
    rule: staticBackendInputs.create,
    fields: (t) => ({
      address: t.string({
        required: true,
        description: "The address to forward to, as `host:port`.",
      }),
      tls: t.field({
        type: StaticBackendTlsInput,
        description: "The security of the connection to the address; default without TLS.",
      }),
    }),
    run: createStaticBackend,
  },
  update: {
    rule: staticBackendInputs.update,
    inputNote: "The address cannot be null.",
    fields: (t) => ({
      address: t.string({ description: "The address to forward to, as `host:port`." }),
      tls: t.field({
        type: StaticBackendTlsInput,
        description: "The security of the connection to the address; null is without TLS.",
      }),
    }),
    run: updateStaticBackend,
  },
  remove: {
    note: "Refused while a route, TLS edge, TCP edge or other backend uses it.",
    run: (context, id) => deleteBackend(context, "static", id),
  },
});
