import {
  createFailoverBackend,
  deleteFailoverBackend,
  failoverBackendInputs,
  getFailoverBackend,
  listFailoverBackends,
  updateFailoverBackend,
} from "../domain/failover-backends.js";
import { collection, timestamp } from "./contract/contract.js";

export const failoverBackends = collection({
  kind: "failoverBackend",
  path: "/backends/failover",
  listKey: "backends",
  inputs: failoverBackendInputs,
  create: createFailoverBackend,
  get: getFailoverBackend,
  list: listFailoverBackends,
  update: updateFailoverBackend,
  remove: deleteFailoverBackend,
  view: (backend, link) => ({
    id: backend.id,
    uri: link(`/backends/failover/${backend.id}`),
    created_at: timestamp(backend.createdAt),
    description: backend.description,
    metadata: backend.metadata,
    backends: backend.backends,
  }),
});
