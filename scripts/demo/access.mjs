// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
/** @typedef {import("./client.mjs").Fields} Fields */
import { file } from "./files.mjs";
import { newEcdsaKey, newEd25519Key } from "./ssh-keys.mjs";

const DAY_MS = 86_400_000;

/**
 * Who may connect from where: the policies of the office, of the VPN and of the warehouses.
 * @param {Client} api
 */
export async function applyIpPolicies(api) {
  return {
    office: await ipPolicy(api, "office", "Office in Oslo", [
      ["ALLOW", "203.0.113.0/26", "Desks"],
      ["ALLOW", "2001:db8:40::/48", "Desks, IPv6"],
      ["DENY", "203.0.113.48/28", "Guest Wi-Fi"],
    ]),
    vpn: await ipPolicy(api, "vpn", "VPN", [
      ["ALLOW", "198.51.100.0/24", "Employees"],
      ["DENY", "198.51.100.192/26", "Contractors"],
    ]),
    warehouses: await ipPolicy(api, "warehouses", "Warehouses", [
      ["ALLOW", "192.0.2.0/25", "Bergen"],
      ["ALLOW", "192.0.2.128/25", "Trondheim"],
    ]),
  };
}

/**
 * @param {Client} api
 * @param {string} key
 * @param {string} description
 * @param {[action: string, cidr: string, description: string][]} rules
 */
function ipPolicy(api, key, description, rules) {
  return api.apply("IpPolicy", key, {
    description,
    rules: rules.map(([action, cidr, description]) => ({ action, cidr, description })),
  });
}

/**
 * Where the API and the dashboard may be used from: the second is not enforced yet.
 * @param {Client} api
 * @param {{ office: string, vpn: string }} ipPolicies
 */
export async function ensureIpRestrictions(api, { office, vpn }) {
  const ensure = (/** @type {string} */ name, /** @type {Fields} */ restriction) =>
    api.ensure("/ip_restrictions", "IP_RESTRICTION", name, restriction);
  await ensure("api", {
    description: "API from the office and the VPN",
    type: "api",
    enforced: true,
    ip_policy_ids: [office, vpn],
  });
  await ensure("dashboard", {
    description: "Dashboard from the office",
    type: "dashboard",
    ip_policy_ids: [office],
  });
}

/**
 * Whose client certificates are accepted.
 * @param {Client} api
 */
export async function ensureCertificateAuthorities(api) {
  const ensure = (/** @type {string} */ name, /** @type {string} */ description) =>
    api.ensure("/certificate_authorities", "CERTIFICATE_AUTHORITY", name, {
      description,
      ca_pem: file(`${name}-ca.pem`),
    });
  return {
    partners: (await ensure("partners", "Partners who order by API")).id,
    devices: (await ensure("devices", "Scanners and scales in warehouses")).id,
  };
}

/**
 * Addresses in three regions, one of them with an endpoint configuration.
 * @param {Client} api
 */
export async function ensureReservedAddrs(api) {
  const configuration = await api.ensure(
    "/endpoint_configurations",
    "ENDPOINT_CONFIGURATION",
    "devices",
    { description: "Device traffic", type: "tcp" },
  );
  const ensure = (/** @type {string} */ name, /** @type {Fields} */ addr) =>
    api.ensure("/reserved_addrs", "RESERVED_ADDR", name, addr);
  const mqtt = await ensure("mqtt", {
    description: "MQTT for the warehouses",
    region: "eu",
    endpoint_configuration_id: configuration.id,
  });
  const bastion = await ensure("bastion", { description: "SSH bastion", region: "us" });
  await ensure("mirror", { description: "Mirror of the catalogue", region: "jp" });
  return { mqtt: String(mqtt.addr), bastion: String(bastion.addr) };
}

/**
 * The domain below which agents connect.
 * @param {Client} api
 */
export async function ensureAgentIngress(api) {
  await api.ensure("/agent_ingresses", "AGENT_INGRESS", "agents", {
    description: "Agents in shops and warehouses",
    domain: "agents.fjellmark.example",
    certificate_management_policy: { private_key_type: "ecdsa" },
  });
}

/**
 * The authority that the bastion trusts, who has a certificate of it, and the hosts that are known by one.
 * @param {Client} api
 */
export async function ensureSshCertificates(api) {
  const authority = await api.ensure(
    "/ssh_certificate_authorities",
    "SSH_CERTIFICATE_AUTHORITY",
    "bastion",
    {
      description: "SSH bastion",
      metadata: { host: "bastion.fjellmark.example" },
      private_key_type: "ed25519",
    },
  );
  const ensure = (/** @type {string} */ name, /** @type {Fields} */ certificate) =>
    api.ensure("/ssh_user_certificates", "SSH_USER_CERTIFICATE", name, {
      ssh_certificate_authority_id: authority.id,
      ...certificate,
    });

  // Nothing about the validity: 24 hours from now. Nothing about extensions: a terminal and ~/.ssh/rc.
  await ensure("ingrid", {
    description: "Ingrid, for today's shift",
    public_key: newEd25519Key("ingrid@laptop"),
    principals: ["ingrid"],
  });
  await ensure("on-call", {
    description: "On-call engineer",
    public_key: newEcdsaKey("on-call@fjellmark.example"),
    principals: ["oncall", "deploy", "postgres"],
    extensions: { "permit-pty": "", "permit-port-forwarding": "", "permit-agent-forwarding": "" },
    valid_until: timestamp(Date.now() + 7 * DAY_MS),
  });
  await ensure("backup", {
    description: "Nightly backup",
    metadata: { job: "backup" },
    public_key: newEd25519Key("backup@ci"),
    principals: ["backup"],
    critical_options: {
      "force-command": "/usr/local/bin/backup --all",
      "source-address": "198.51.100.7/32,2001:db8:40::7/128",
    },
    extensions: { "permit-user-rc": "" },
    valid_until: timestamp(Date.now() + 90 * DAY_MS),
  });
  await ensureHostCertificates(api, authority.id);
}

/**
 * Hosts that employees reach by SSH. Nothing about the validity: a year from now.
 * @param {Client} api
 * @param {string} authorityId
 */
async function ensureHostCertificates(api, authorityId) {
  const ensure = (/** @type {string} */ name, /** @type {Fields} */ certificate) =>
    api.ensure("/ssh_host_certificates", "SSH_HOST_CERTIFICATE", name, {
      ssh_certificate_authority_id: authorityId,
      ...certificate,
    });
  await ensure("bastion-host", {
    description: "Bastion",
    public_key: newEd25519Key("root@bastion"),
    principals: ["bastion.fjellmark.example", "198.51.100.10", "2001:db8:40::10"],
  });
  await ensure("builder", {
    description: "Build machine, until it is replaced",
    public_key: newEcdsaKey("root@builder"),
    principals: ["builder.fjellmark.example"],
    valid_until: timestamp(Date.now() + 30 * DAY_MS),
  });
}

/**
 * Who opens tunnels over SSH, and what they may bind.
 * @param {Client} api
 */
export async function ensureSshCredentials(api) {
  const ensure = (/** @type {string} */ name, /** @type {Fields} */ credential) =>
    api.ensure("/ssh_credentials", "SSH_CREDENTIAL", name, credential);
  await ensure("tunnel-preview", {
    description: "Previews of the storefront",
    public_key: newEd25519Key("ci@build.fjellmark.example"),
    acl: ["bind:*.preview.fjellmark.example"],
    owner_id: "ci",
  });
  await ensure("tunnel-ingrid", {
    description: "Ingrid's laptop",
    public_key: newEcdsaKey("ingrid@laptop"),
    owner_id: "ingrid",
  });
}

/** @param {number} milliseconds */
function timestamp(milliseconds) {
  return new Date(milliseconds).toISOString();
}
