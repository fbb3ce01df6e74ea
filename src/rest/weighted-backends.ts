import { deleteBackend } from "../domain/backends.js";
import {
  createWeightedBackend,
  updateWeightedBackend,
  weightedBackendInputs,
} from "../domain/weighted-backends.js";
import { collection, timestamp } from "./contract/contract.js";

export const weightedBackends = collection({
  kind: "weightedBackend",
  path: "/backends/weighted",
  listKey: "backends",
  inputs: weightedBackendInputs,
  create: createWeightedBackend,
  update: updateWeightedBackend,
  remove: (context, id) => deleteBackend(context, "weighted", id),
  view: (backend, link) => ({
    id: backend.id,
    uri: link(`/backends/weighted/${backend.id}`),
    created_at: timestamp(backend.createdAt),
    description: backend.description,
    metadata: backend.metadata,
    backends: backend.backends,
  }),
});
