import { deleteBackend } from "../domain/backends.js";
import {
  createFailoverBackend,
  failoverBackendInputs,
  updateFailoverBackend,
} from "../domain/failover-backends.js";
import { collection, timestamp } from "./contract/contract.js";

export const failoverBackends = collection({
  kind: "failoverBackend",
  path: "/backends/failover",
  listKey: "backends",
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
