import { z } from "zod";
import { deleteBackend } from "../domain/backends.js";
import { LEAF_BACKENDS } from "../domain/core/ids.js";
import {
  createFailoverBackend,
  failoverBackendInputs,
  updateFailoverBackend,
} from "../domain/failover-backends.js";
import { id, row } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";
import { exampleId } from "./contract/examples.js";

export const failoverBackends = collection({
  kind: "failoverBackend",
  path: "/backends/failover",
  listKey: "backends",
  answer: z.strictObject({
    ...row("failoverBackend"),
    backends: z.array(id(...LEAF_BACKENDS, "weightedBackend")),
  }),
  example: {
    description: "Shop, then the maintenance page",
    backends: [exampleId("staticBackend"), exampleId("httpResponseBackend")],
  },
  inputs: failoverBackendInputs,
  create: createFailoverBackend,
  update: updateFailoverBackend,
  remove: (context, id) => deleteBackend(context, "failover", id),
  view: (backend, link) => ({
    id: backend.id,
    uri: link(`/backends/failover/${backend.id}`),
    created_at: timestamp(backend.createdAt),
    description: backend.description,
    metadata: backend.metadata,
    backends: backend.backends,
  }),
});
