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
import { collection } from "./collection.js";

const StaticBackendTls = builder.objectRef<StaticBackend["tls"]>("StaticBackendTls").implement({
  description: "How the connection to a static backend is secured.",
  fields: (t) => ({
    enabled: t.exposeBoolean("enabled", { description: "Whether TLS is used." }),
  }),
});

const StaticBackendTlsInput = builder.inputType("StaticBackendTlsInput", {
  description: "How the connection to a static backend is secured.",
  fields: (t) => ({
    enabled: t.boolean({ description: "Whether TLS is used; false when unspecified." }),
  }),
});

const StaticBackendType = builder.objectRef<StaticBackend>("StaticBackend").implement({
  description: "Forwards to one address.",
  interfaces: [Node, BackendInterface],
  fields: (t) => ({
    address: t.exposeString("address", { description: "Where to, as `host:port`." }),
    tls: t.field({
      type: StaticBackendTls,
      description: "How the connection to the address is secured.",
      resolve: ({ tls }) => tls,
    }),
  }),
});

export const staticBackends = collection({
  kind: "staticBackend",
  plural: "staticBackends",
  type: StaticBackendType,
  list: staticBackendList,
  filter: unusedBackend,
  searched: "description, metadata and address",
  create: {
    rule: staticBackendInputs.create,
    fields: (t) => ({
      address: t.string({ required: true, description: "Where to, as `host:port`." }),
      tls: t.field({ type: StaticBackendTlsInput, description: "Without TLS when unspecified." }),
    }),
    run: createStaticBackend,
  },
  update: {
    rule: staticBackendInputs.update,
    inputNote: "The address is never cleared.",
    fields: (t) => ({
      address: t.string({ description: "Where to, as `host:port`." }),
      tls: t.field({
        type: StaticBackendTlsInput,
        description: "Replaces the settings as a whole.",
      }),
    }),
    run: updateStaticBackend,
  },
  remove: {
    note: "Refused while it is used.",
    run: (context, id) => deleteBackend(context, "static", id),
  },
});
