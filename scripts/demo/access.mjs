// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
import { file } from "./files.mjs";
import { newEcdsaKey, newEd25519Key } from "./ssh-keys.mjs";

const DAY_MS = 86_400_000;

/**
 * Who may connect from where: the policies of the office, of the VPN and of the warehouses.
 * @param {Client} api
 */
export async function createIpPolicies(api) {
  return {
    office: await ipPolicy(api, "Office in Oslo", [
      ["allow", "203.0.113.0/26", "Desks"],
      ["allow", "2001:db8:40::/48", "Desks, IPv6"],
      ["deny", "203.0.113.48/28", "Guest Wi-Fi"],
    ]),
    vpn: await ipPolicy(api, "VPN", [
      ["allow", "198.51.100.0/24", "Employees"],
      ["deny", "198.51.100.192/26", "Contractors"],
    ]),
    warehouses: await ipPolicy(api, "Warehouses", [
      ["allow", "192.0.2.0/25", "Bergen"],
      ["allow", "192.0.2.128/25", "Trondheim"],
    ]),
  };
}

/**
 * @param {Client} api
 * @param {string} description
 * @param {[action: string, cidr: string, description: string][]} rules
 */
async function ipPolicy(api, description, rules) {
  const { id } = await api.create("/ip_policies", { description });
  for (const [action, cidr, description] of rules) {
    await api.create("/ip_policy_rules", { ip_policy_id: id, action, cidr, description });
  }
  return id;
}

/**
 * Whose client certificates are accepted.
 * @param {Client} api
 */
export async function createCertificateAuthorities(api) {
  const create = (/** @type {string} */ description, /** @type {string} */ name) =>
    api.create("/certificate_authorities", { description, ca_pem: file(name) });
  return {
    partners: (await create("Partners who order by API", "partners-ca.pem")).id,
    devices: (await create("Scanners and scales in warehouses", "devices-ca.pem")).id,
  };
}

/**
 * Addresses in three regions, one of them with an endpoint configuration.
 * @param {Client} api
 */
export async function createReservedAddrs(api) {
  const mqtt = await api.create("/reserved_addrs", {
    description: "MQTT for the warehouses",
    region: "eu",
  });
  await api.create("/reserved_addrs", { description: "SSH bastion", region: "us" });
  await api.create("/reserved_addrs", { description: "Mirror of the catalogue", region: "jp" });

  const configuration = await api.create("/endpoint_configurations", {
    description: "Device traffic",
    type: "tcp",
  });
  await api.update(`/reserved_addrs/${mqtt.id}`, { endpoint_configuration_id: configuration.id });
  return { mqtt: String(mqtt.addr) };
}

/**
 * The authority that the bastion trusts, and who has a certificate of it.
 * @param {Client} api
 */
export async function createSshCertificates(api) {
  const authority = await api.create("/ssh_certificate_authorities", {
    description: "SSH bastion",
    metadata: JSON.stringify({ host: "bastion.fjellmark.example" }),
    private_key_type: "ed25519",
  });
  const create = (/** @type {object} */ certificate) =>
    api.create("/ssh_user_certificates", {
      ssh_certificate_authority_id: authority.id,
      ...certificate,
    });

  // Nothing about the validity: 24 hours from now. Nothing about extensions: a terminal and ~/.ssh/rc.
  await create({
    description: "Ingrid, for today's shift",
    public_key: newEd25519Key("ingrid@laptop"),
    principals: ["ingrid"],
  });
  await create({
    description: "On-call engineer",
    public_key: newEcdsaKey("on-call@fjellmark.example"),
    principals: ["oncall", "deploy", "postgres"],
    extensions: { "permit-pty": "", "permit-port-forwarding": "", "permit-agent-forwarding": "" },
    valid_until: timestamp(Date.now() + 7 * DAY_MS),
  });
  await create({
    description: "Nightly backup",
    metadata: JSON.stringify({ job: "backup" }),
    public_key: newEd25519Key("backup@ci"),
    principals: ["backup"],
    critical_options: {
      "force-command": "/usr/local/bin/backup --all",
      "source-address": "198.51.100.7/32,2001:db8:40::7/128",
    },
    extensions: { "permit-user-rc": "" },
    valid_until: timestamp(Date.now() + 90 * DAY_MS),
  });
}

/** @param {number} milliseconds */
function timestamp(milliseconds) {
  return new Date(milliseconds).toISOString();
}
