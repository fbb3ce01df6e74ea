// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
import { file } from "./files.mjs";

/**
 * Devices in warehouses, and a service that terminates TLS itself.
 * @param {Client} api
 * @param {{
 *   backends: import("./https-edges.mjs").Backends,
 *   ipPolicies: import("./https-edges.mjs").IpPolicies,
 *   authorities: import("./https-edges.mjs").Authorities,
 *   addrs: { mqtt: string },
 * }} given
 */
export async function createTlsEdges(api, { backends, ipPolicies, authorities, addrs }) {
  const mqtt = await api.create("/edges/tls", {
    description: "MQTT, by device certificate",
    metadata: JSON.stringify({ team: "warehouse" }),
    hostports: ["mqtt.fjellmark.example:8883", addrs.mqtt],
    backend: { backend_id: backends.mqtt },
    ip_restriction: { ip_policy_ids: [ipPolicies.warehouses] },
    mutual_tls: { certificate_authority_ids: [authorities.devices] },
    traffic_policy: { value: file("devices-policy.yaml") },
  });
  // A module can also be set on its own, at a path below its edge.
  await api.replace(`/edges/tls/${mqtt.id}/tls_termination`, { min_version: "1.2" });

  await api.create("/edges/tls", {
    description: "Vault, which terminates TLS itself",
    hostports: ["vault.fjellmark.example:443"],
    backend: { backend_id: backends.vault },
    ip_restriction: { ip_policy_ids: [ipPolicies.office, ipPolicies.vpn] },
    tls_termination: { terminate_at: "upstream" },
  });
}
