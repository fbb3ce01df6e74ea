// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
import { file } from "./files.mjs";

/**
 * Connections that are forwarded as they are: to the SSH bastion, and to a database of which reports are made.
 * @param {Client} api
 * @param {{
 *   backends: Awaited<ReturnType<typeof import("./backends.mjs").applyBackends>>,
 *   ipPolicies: import("./https-edges.mjs").IpPolicies,
 *   addrs: { bastion: string },
 * }} given
 */
export async function ensureTcpEdges(api, { backends, ipPolicies, addrs }) {
  await api.ensure("/edges/tcp", "TCP_EDGE", "bastion", {
    description: "SSH bastion",
    hostports: [addrs.bastion],
    backend: { backend_id: backends.bastion },
    ip_restriction: { ip_policy_ids: [ipPolicies.office, ipPolicies.vpn] },
    traffic_policy: { value: file("bastion-policy.yaml") },
  });

  await api.ensure("/edges/tcp", "TCP_EDGE", "reports", {
    description: "Database for reports",
    metadata: { team: "finance" },
    hostports: ["reports.fjellmark.example:5432"],
    backend: { backend_id: backends.reports },
    ip_restriction: { ip_policy_ids: [ipPolicies.office] },
  });
}
