import { z } from "zod";
import { deleteBackend } from "../domain/backends.js";
import {
  createTunnelGroupBackend,
  tunnelGroupBackendInputs,
  updateTunnelGroupBackend,
} from "../domain/tunnel-group-backends.js";
import { row, stringMap, uri } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";

export const tunnelGroupBackends = collection({
  kind: "tunnelGroupBackend",
  path: "/backends/tunnel_group",
  listKey: "backends",
  answer: z.strictObject({
    ...row("tunnelGroupBackend"),
    labels: stringMap,
    tunnels: z.array(z.strictObject({ id: z.string(), uri })).max(0),
  }),
  example: { labels: { service: "shop" } },
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
