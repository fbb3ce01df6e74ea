// @ts-check
// npm run demo: brings the example of a company into an Edgeplane, through its public APIs: what can be applied by a key
// over GraphQL, the rest over REST. Another run adds nothing. Uses the server that runs at EDGEPLANE_URL, or else at HOST
// and PORT, with API_KEY; starts one when EDGEPLANE_URL is unset and none runs.
import { randomBytes } from "node:crypto";
import {
  applyIpPolicies,
  ensureAgentIngress,
  ensureCertificateAuthorities,
  ensureIpRestrictions,
  ensureReservedAddrs,
  ensureSshCertificates,
  ensureSshCredentials,
} from "./demo/access.mjs";
import { applyBackends } from "./demo/backends.mjs";
import { ApiError, Client } from "./demo/client.mjs";
import { ensureReservedDomains, ensureTlsCertificates } from "./demo/domains.mjs";
import { applyHttpsEdges } from "./demo/https-edges.mjs";
import { localUrl, reasonOf, startServer, whyUnreachable } from "./demo/server.mjs";
import { applyTcpEdges } from "./demo/tcp-edges.mjs";
import { applyTlsEdges } from "./demo/tls-edges.mjs";

/** The kinds that the demo makes, as GraphQL names them, with the paths of their lists over REST. */
/** @type {Readonly<Record<string, string>>} */
const LISTS = {
  STATIC_BACKEND: "backends/static",
  HTTP_RESPONSE_BACKEND: "backends/http_response",
  TUNNEL_GROUP_BACKEND: "backends/tunnel_group",
  WEIGHTED_BACKEND: "backends/weighted",
  FAILOVER_BACKEND: "backends/failover",
  IP_POLICY: "ip_policies",
  IP_POLICY_RULE: "ip_policy_rules",
  IP_RESTRICTION: "ip_restrictions",
  CERTIFICATE_AUTHORITY: "certificate_authorities",
  TLS_CERTIFICATE: "tls_certificates",
  ENDPOINT_CONFIGURATION: "endpoint_configurations",
  RESERVED_DOMAIN: "reserved_domains",
  RESERVED_ADDR: "reserved_addrs",
  AGENT_INGRESS: "agent_ingresses",
  HTTPS_EDGE: "edges/https",
  HTTPS_EDGE_ROUTE: "edges/https/routes",
  TLS_EDGE: "edges/tls",
  TCP_EDGE: "edges/tcp",
  SSH_CERTIFICATE_AUTHORITY: "ssh_certificate_authorities",
  SSH_USER_CERTIFICATE: "ssh_user_certificates",
  SSH_HOST_CERTIFICATE: "ssh_host_certificates",
  SSH_CREDENTIAL: "ssh_credentials",
};

const { EDGEPLANE_URL, API_KEY, PORT } = process.env;
const url = EDGEPLANE_URL ? EDGEPLANE_URL.replace(/\/+$/, "") : localUrl(PORT || 8080);

try {
  await main();
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}

async function main() {
  const problem = await whyUnreachable(url);
  if (problem === null) return fillRunning();
  if (!EDGEPLANE_URL) return fillOwn();
  throw new Error(
    `Nothing answers at ${url} (${problem}). Without EDGEPLANE_URL, the demo starts a server.`,
  );
}

async function fillRunning() {
  if (!API_KEY) {
    throw new Error(`A server runs at ${url}: set API_KEY to a key of it that may write.`);
  }
  await fill(url, API_KEY);
}

/** Until Ctrl-C. */
async function fillOwn() {
  const key = API_KEY || randomBytes(24).toString("base64url");
  const server = await startServer(key, url);
  try {
    await fill(server.url, key);
  } catch (error) {
    await server.stop();
    throw error;
  }
  printCommands(server.url, key);
  const [exitCode] = await server.ended;
  process.exitCode = exitCode ?? 1;
}

/**
 * @param {string} url
 * @param {string} key
 */
async function fill(url, key) {
  const api = new Client(url, key);
  await checkKey(api);
  /** @type {import("./demo/client.mjs").Change[]} */
  const changes = [];
  api.onChange = (change) => changes.push(change);

  await applyBackends(api);
  const ipPolicies = await applyIpPolicies(api);
  await ensureIpRestrictions(api, ipPolicies);
  const authorities = await ensureCertificateAuthorities(api);
  const addrs = await ensureReservedAddrs(api);
  await ensureAgentIngress(api);
  await ensureReservedDomains(api, await ensureTlsCertificates(api));
  await applyHttpsEdges(api, { ipPolicies, authorities });
  await applyTlsEdges(api, { ipPolicies, authorities, addrs });
  await applyTcpEdges(api, { ipPolicies, addrs });
  await ensureSshCertificates(api);
  await ensureSshCredentials(api);
  printSummary(url, changes);
}

/** @param {Client} api */
async function checkKey(api) {
  try {
    await api.get("/edges/https?limit=1");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    throw new Error(`${url} refuses the key in API_KEY: ${error.msg}`);
  }
}

/**
 * @param {string} url
 * @param {import("./demo/client.mjs").Change[]} changes
 */
function printSummary(url, changes) {
  if (changes.length === 0) return console.log(`Everything is at ${url} already. Nothing changed.`);
  const created = changes.filter(({ action }) => action === "CREATED");
  if (created.length > 0) console.log(`Made at ${url}, with the first of each kind:\n`);
  for (const [type, list] of Object.entries(LISTS)) {
    const [first, ...others] = created.filter((change) => change.type === type);
    if (!first) continue;
    const count = String(others.length + 1).padStart(3);
    console.log(`${count}  ${list.padEnd(28)} ${first.resourceId}  ${first.label}`);
  }
  const brought = changes.length - created.length;
  if (brought > 0) console.log(`Resources brought back to the state of the demo: ${brought}.`);
}

/**
 * @param {string} url
 * @param {string} key
 */
function printCommands(url, key) {
  const query = "{ httpsEdges { totalCount nodes { description hostports } } }";
  const lifetime = API_KEY ? "" : ", valid while this server runs";
  console.log(`
API key${lifetime}: ${key}

curl ${url}/edges/https -H 'Authorization: Bearer ${key}' -H 'Service-Version: 2'

curl ${url}/graphql -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify({ query })}'

For clients: REST at ${url}, GraphQL at ${url}/graphql

Ctrl-C stops the server. What was made stays in its database.`);
}
