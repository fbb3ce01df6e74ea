// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
import { file } from "./files.mjs";

const HTML = { "Content-Type": "text/html; charset=utf-8" };

/**
 * Where traffic goes: backends of every kind, nested in one another.
 * @param {Client} api
 */
export async function createBackends(api) {
  const stable = await server(api, "Storefront", "storefront.fjellmark.example:8443", true);
  const next = await server(api, "Storefront, next release", "next.fjellmark.example:8443", true);
  const canary = await api.create("/backends/weighted", {
    description: "One request in twenty goes to the next release",
    backends: { [stable]: 95, [next]: 5 },
  });
  const standby = await tunnels(api, "Storefront, standby in Stockholm", {
    app: "storefront",
    site: "stockholm",
  });
  const maintenance = await api.create("/backends/http_response", {
    description: "Maintenance page",
    status_code: 503,
    headers: { ...HTML, "Retry-After": "300" },
    body: file("maintenance.html"),
  });

  const blue = await server(api, "API, blue", "10.20.0.11:8080");
  const green = await server(api, "API, green", "10.20.0.12:8080");
  const blueGreen = await api.create("/backends/weighted", {
    description: "API while green warms up",
    backends: { [blue]: 1, [green]: 0 },
  });
  const primary = await server(api, "API, primary", "10.20.0.10:8080");
  const unavailable = await api.create("/backends/http_response", {
    description: "API unavailable",
    status_code: 503,
    headers: { "Content-Type": "application/json", "Retry-After": "10" },
    body: JSON.stringify({ error: "unavailable" }),
  });

  const status = await api.create("/backends/http_response", {
    description: "Status page",
    headers: { ...HTML, "Cache-Control": "max-age=30" },
    body: file("status.html"),
  });

  return {
    storefront: await failover(api, "Storefront, then its standby, then an excuse", [
      canary.id,
      standby,
      maintenance.id,
    ]),
    api: await failover(api, "API, from the primary down", [primary, blueGreen.id, unavailable.id]),
    checkout: await server(api, "Checkout", "checkout.fjellmark.example:8443", true),
    stock: await server(api, "Stock levels, line by line over TCP", "10.20.0.30:7001"),
    status: status.id,
    wiki: await server(api, "Wiki", "wiki.fjellmark.example:8080"),
    deploy: await tunnels(api, "Deployments", { app: "deploy", team: "platform" }),
    people: await server(api, "Holidays and payslips", "people.fjellmark.example:8443", true),
    metrics: await tunnels(api, "Dashboards", { app: "grafana", team: "platform" }),
    mqtt: await tunnels(api, "MQTT brokers", { app: "mqtt", site: "bergen" }),
    vault: await server(api, "Vault", "vault.fjellmark.example:8200"),
  };
}

/**
 * @param {Client} api
 * @param {string} description
 * @param {string} address
 * @param {boolean} [tls]
 */
async function server(api, description, address, tls = false) {
  const backend = { description, address, tls: { enabled: tls } };
  return (await api.create("/backends/static", backend)).id;
}

/**
 * @param {Client} api
 * @param {string} description
 * @param {Record<string, string>} labels
 */
async function tunnels(api, description, labels) {
  return (await api.create("/backends/tunnel_group", { description, labels })).id;
}

/**
 * @param {Client} api
 * @param {string} description
 * @param {string[]} backends
 */
async function failover(api, description, backends) {
  return (await api.create("/backends/failover", { description, backends })).id;
}
