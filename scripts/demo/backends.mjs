// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
import { file } from "./files.mjs";

const HTML = { name: "Content-Type", value: "text/html; charset=utf-8" };

/**
 * Where traffic goes: backends of every kind, nested in one another. Each has a key.
 * @param {Client} api
 */
export async function applyBackends(api) {
  await server(api, "storefront", "Storefront", "storefront.fjellmark.example:8443", true);
  await server(api, "next", "Storefront, next release", "next.fjellmark.example:8443", true);
  await weighted(api, "canary", "One request in twenty goes to the next release", {
    storefront: 95,
    next: 5,
  });
  await tunnels(api, "standby", "Storefront, standby in Stockholm", {
    app: "storefront",
    site: "stockholm",
  });
  await response(api, "maintenance", {
    description: "Maintenance page",
    statusCode: 503,
    headers: [HTML, { name: "Retry-After", value: "300" }],
    body: file("maintenance.html"),
  });

  await server(api, "api-blue", "API, blue", "10.20.0.11:8080");
  await server(api, "api-green", "API, green", "10.20.0.12:8080");
  await weighted(api, "api-blue-green", "API while green warms up", {
    "api-blue": 1,
    "api-green": 0,
  });
  await server(api, "api-primary", "API, primary", "10.20.0.10:8080");
  await response(api, "api-unavailable", {
    description: "API unavailable",
    statusCode: 503,
    headers: [
      { name: "Content-Type", value: "application/json" },
      { name: "Retry-After", value: "10" },
    ],
    body: JSON.stringify({ error: "unavailable" }),
  });
  await response(api, "status", {
    description: "Status page",
    headers: [HTML, { name: "Cache-Control", value: "max-age=30" }],
    body: file("status.html"),
  });

  await failover(api, "shop", "Storefront, then its standby, then an excuse", [
    "canary",
    "standby",
    "maintenance",
  ]);
  await failover(api, "api", "API, from the primary down", [
    "api-primary",
    "api-blue-green",
    "api-unavailable",
  ]);
  await server(api, "checkout", "Checkout", "checkout.fjellmark.example:8443", true);
  await server(api, "stock", "Stock levels, line by line over TCP", "10.20.0.30:7001");
  await server(api, "wiki", "Wiki", "wiki.fjellmark.example:8080");
  await tunnels(api, "deploy", "Deployments", { app: "deploy", team: "platform" });
  await server(api, "people", "Holidays and payslips", "people.fjellmark.example:8443", true);
  await tunnels(api, "metrics", "Dashboards", { app: "grafana", team: "platform" });
  await tunnels(api, "mqtt", "MQTT brokers", { app: "mqtt", site: "bergen" });
  await server(api, "vault", "Vault", "vault.fjellmark.example:8200");
  await server(api, "bastion", "SSH bastion", "bastion.fjellmark.example:22");
  await server(api, "reports", "Database for reports", "10.20.0.40:5432");
}

/**
 * The destination of the traffic of a route or an edge.
 * @param {string} key of one of the backends above
 */
export function to(key) {
  return { backend: reference(key) };
}

/** @param {string} key */
function reference(key) {
  return { key: `demo/${key}` };
}

/**
 * @param {Client} api
 * @param {string} key
 * @param {string} description
 * @param {string} address
 * @param {boolean} [enabled] TLS
 */
function server(api, key, description, address, enabled = false) {
  return api.apply("Backend", key, {
    staticBackend: { description, address, tls: { enabled } },
  });
}

/**
 * @param {Client} api
 * @param {string} key
 * @param {object} httpResponseBackend
 */
function response(api, key, httpResponseBackend) {
  return api.apply("Backend", key, { httpResponseBackend });
}

/**
 * @param {Client} api
 * @param {string} key
 * @param {string} description
 * @param {Record<string, string>} labels
 */
function tunnels(api, key, description, labels) {
  return api.apply("Backend", key, {
    tunnelGroupBackend: {
      description,
      labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
    },
  });
}

/**
 * @param {Client} api
 * @param {string} key
 * @param {string} description
 * @param {Record<string, number>} weights by the keys of the children
 */
function weighted(api, key, description, weights) {
  return api.apply("Backend", key, {
    weightedBackend: {
      description,
      backends: Object.entries(weights).map(([child, weight]) => ({
        backend: reference(child),
        weight,
      })),
    },
  });
}

/**
 * @param {Client} api
 * @param {string} key
 * @param {string} description
 * @param {string[]} children their keys
 */
function failover(api, key, description, children) {
  return api.apply("Backend", key, {
    failoverBackend: { description, backends: children.map(reference) },
  });
}
