// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
import { to } from "./backends.mjs";
import { file } from "./files.mjs";

/**
 * Connections that are forwarded as they are: to the SSH bastion, and to a database of which reports are made.
 * @param {Client} api
 * @param {{ ipPolicies: import("./https-edges.mjs").IpPolicies, addrs: { bastion: string } }} given
 */
export async function applyTcpEdges(api, { ipPolicies, addrs }) {
  await api.apply("TcpEdge", "bastion", {
    description: "SSH bastion",
    hostports: [addrs.bastion],
    backend: to("bastion"),
    ipRestriction: { ipPolicyIds: [ipPolicies.office, ipPolicies.vpn] },
    trafficPolicy: { value: file("bastion-policy.yaml") },
  });

  await api.apply("TcpEdge", "reports", {
    description: "Database for reports",
    metadata: JSON.stringify({ team: "finance" }),
    hostports: ["reports.fjellmark.example:5432"],
    backend: to("reports"),
    ipRestriction: { ipPolicyIds: [ipPolicies.office] },
  });
}
