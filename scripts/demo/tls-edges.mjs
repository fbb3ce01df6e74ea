// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
import { file } from "./files.mjs";

/**
 * Devices in warehouses, and a service that terminates TLS itself.
 * @param {Client} api
 * @param {{
 *   backends: Awaited<ReturnType<typeof import("./backends.mjs").applyBackends>>,
 *   ipPolicies: import("./https-edges.mjs").IpPolicies,
 *   authorities: import("./https-edges.mjs").Authorities,
 *   addrs: { mqtt: string },
 * }} given
 */
export async function ensureTlsEdges(api, { backends, ipPolicies, authorities, addrs }) {
  await api.ensure("/edges/tls", "TLS_EDGE", "mqtt", {
    description: "MQTT, by device certificate",
    metadata: { team: "warehouse" },
    hostports: ["mqtt.fjellmark.example:8883", addrs.mqtt],
    backend: { backend_id: backends.mqtt },
    ip_restriction: { ip_policy_ids: [ipPolicies.warehouses] },
    mutual_tls: { certificate_authority_ids: [authorities.devices] },
    traffic_policy: { value: file("devices-policy.yaml") },
    tls_termination: { min_version: "1.2" },
  });

  await api.ensure("/edges/tls", "TLS_EDGE", "vault", {
    description: "Vault, which terminates TLS itself",
    hostports: ["vault.fjellmark.example:443"],
    backend: { backend_id: backends.vault },
    ip_restriction: { ip_policy_ids: [ipPolicies.office, ipPolicies.vpn] },
    tls_termination: { terminate_at: "upstream" },
  });
}
