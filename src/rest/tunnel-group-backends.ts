import { deleteBackend } from "../domain/backends.js";
import {
  createTunnelGroupBackend,
  tunnelGroupBackendInputs,
  updateTunnelGroupBackend,
} from "../domain/tunnel-group-backends.js";
import { collection, timestamp } from "./contract/contract.js";

export const tunnelGroupBackends = collection({
  kind: "tunnelGroupBackend",
  path: "/backends/tunnel_group",
  listKey: "backends",
  inputs: tunnelGroupBackendInputs,
  create: createTunnelGroupBackend,
  update: updateTunnelGroupBackend,
  remove: (context, id) => deleteBackend(context, "tunnel_group", id),
  view: (backend, link) => ({
    id: backend.id,
    uri: link(`/backends/tunnel_group/${backend.id}`),
    created_at: timestamp(backend.createdAt),
    description: backend.description,
    metadata: backend.metadata,
    labels: backend.labels,
    // Tunnels belong to the traffic plane, which is not part of this service.
    tunnels: [],
  }),
});
