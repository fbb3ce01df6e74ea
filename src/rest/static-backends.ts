import { z } from "zod";
import { deleteBackend } from "../domain/backends.js";
import {
  createStaticBackend,
  staticBackendInputs,
  updateStaticBackend,
} from "../domain/static-backends.js";
import { row } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";

export const staticBackends = collection({
  kind: "staticBackend",
  path: "/backends/static",
  listKey: "backends",
  answer: z.strictObject({
    ...row("staticBackend"),
    address: z.string(),
    tls: z.strictObject({ enabled: z.boolean() }),
  }),
  example: { address: "shop.internal:443", tls: { enabled: true } },
  inputs: staticBackendInputs,
  create: createStaticBackend,
  update: updateStaticBackend,
  remove: (context, id) => deleteBackend(context, "static", id),
  view: (backend, link) => ({
    id: backend.id,
    uri: link(`/backends/static/${backend.id}`),
    created_at: timestamp(backend.createdAt),
    description: backend.description,
    metadata: backend.metadata,
    address: backend.address,
    tls: backend.tls,
  }),
});
