// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
import { to } from "./backends.mjs";
import { file } from "./files.mjs";

/**
 * Devices in warehouses, and a service that terminates TLS itself.
 * @param {Client} api
 * @param {{
 *   ipPolicies: import("./https-edges.mjs").IpPolicies,
 *   authorities: import("./https-edges.mjs").Authorities,
 *   addrs: { mqtt: string },
 * }} given
 */
export async function applyTlsEdges(api, { ipPolicies, authorities, addrs }) {
  await api.apply("TlsEdge", "mqtt", {
    description: "MQTT, by device certificate",
    metadata: JSON.stringify({ team: "warehouse" }),
    hostports: ["mqtt.fjellmark.example:8883", addrs.mqtt],
    backend: to("mqtt"),
    ipRestriction: { ipPolicyIds: [ipPolicies.warehouses] },
    mutualTls: { certificateAuthorityIds: [authorities.devices] },
    trafficPolicy: { value: file("devices-policy.yaml") },
    tlsTermination: { minVersion: "TLS1_2" },
  });

  await api.apply("TlsEdge", "vault", {
    description: "Vault, which terminates TLS itself",
    hostports: ["vault.fjellmark.example:443"],
    backend: to("vault"),
    ipRestriction: { ipPolicyIds: [ipPolicies.office, ipPolicies.vpn] },
    tlsTermination: { terminateAt: "UPSTREAM" },
  });
}
