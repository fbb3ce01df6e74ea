// @ts-check
// npm run demo: fills an Edgeplane with the example of a company, through the public REST API. Uses the
// server that runs at EDGEPLANE_URL with API_KEY; starts one when EDGEPLANE_URL is unset and none runs.
import { randomBytes } from "node:crypto";
import {
  createCertificateAuthorities,
  createIpPolicies,
  createReservedAddrs,
  createSshCertificates,
} from "./demo/access.mjs";
import { createBackends } from "./demo/backends.mjs";
import { ApiError, Client } from "./demo/client.mjs";
import { createHttpsEdges } from "./demo/https-edges.mjs";
import { localUrl, reasonOf, startServer, whyUnreachable } from "./demo/server.mjs";
import { createTlsEdges } from "./demo/tls-edges.mjs";

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
  const server = await startServer(key);
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
  /** @type {Map<string, import("./demo/client.mjs").Resource[]>} */
  const made = new Map();
  api.onCreate = (path, resource) => {
    const kind = kindOf(path);
    made.set(kind, [...(made.get(kind) ?? []), resource]);
  };

  const backends = await createBackends(api);
  const ipPolicies = await createIpPolicies(api);
  const authorities = await createCertificateAuthorities(api);
  const addrs = await createReservedAddrs(api);
  await createHttpsEdges(api, { backends, ipPolicies, authorities });
  await createTlsEdges(api, { backends, ipPolicies, authorities, addrs });
  await createSshCertificates(api);
  printSummary(url, made);
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
 * "/edges/https/edghts_123/routes" becomes "edges/https/routes".
 * @param {string} path
 */
function kindOf(path) {
  return path
    .slice(1)
    .split("/")
    .filter((part) => !part.startsWith("edghts_"))
    .join("/");
}

/**
 * @param {string} url
 * @param {Map<string, import("./demo/client.mjs").Resource[]>} made
 */
function printSummary(url, made) {
  console.log(`Made at ${url}, with the first of each kind:\n`);
  for (const [kind, [first, ...others]] of made) {
    const count = String(others.length + 1).padStart(3);
    console.log(`${count}  ${kind.padEnd(28)} ${first?.id}  ${first?.description}`);
  }
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
