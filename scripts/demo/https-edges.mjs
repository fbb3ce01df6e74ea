// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
/** @typedef {Awaited<ReturnType<typeof import("./backends.mjs").createBackends>>} Backends */
/** @typedef {Awaited<ReturnType<typeof import("./access.mjs").createIpPolicies>>} IpPolicies */
/** @typedef {Awaited<ReturnType<typeof import("./access.mjs").createCertificateAuthorities>>} Authorities */
import { randomBytes } from "node:crypto";
import { file } from "./files.mjs";

const HOUR = 3600;

/**
 * The shop, the partners' API, the tools of the company and its status page.
 * @param {Client} api
 * @param {{ backends: Backends, ipPolicies: IpPolicies, authorities: Authorities }} given
 */
export async function createHttpsEdges(api, { backends, ipPolicies, authorities }) {
  await createShop(api, backends);
  await createPartnerApi(api, backends, authorities);
  await createTools(api, backends, ipPolicies);

  const status = await createEdge(api, {
    description: "Status page",
    hostports: ["status.fjellmark.example:443"],
    tls_termination: { min_version: "1.2" },
  });
  await status.route("path_prefix", "/", {
    description: "The page, which needs no server",
    backend: { backend_id: backends.status },
    compression: {},
  });
}

/**
 * @param {Client} api
 * @param {Backends} backends
 */
async function createShop(api, backends) {
  const shop = await createEdge(api, {
    description: "Shop",
    metadata: JSON.stringify({ team: "web", tier: 1 }),
    hostports: ["shop.fjellmark.example:443", "*.shop.fjellmark.example:443"],
    tls_termination: { min_version: "1.2" },
  });
  await shop.route("path_prefix", "/", {
    description: "Storefront",
    backend: { backend_id: backends.storefront },
    compression: {},
    response_headers: {
      add: {
        "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
        "X-Content-Type-Options": "nosniff",
      },
      remove: ["Server", "X-Powered-By"],
    },
    user_agent_filter: { allow: ["(?i)googlebot"], deny: ["(?i)scrapy", "(?i)^curl/[0-6]\\."] },
    traffic_policy: { value: file("storefront-policy.yaml") },
  });
  await shop.route("path_prefix", "/api/", {
    description: "API of the storefront",
    backend: { backend_id: backends.api },
    compression: {},
    circuit_breaker: {
      tripped_duration: 15,
      rolling_window: 30,
      num_buckets: 30,
      volume_threshold: 50,
      error_threshold_percentage: 0.25,
    },
    request_headers: { add: { "X-Edge": "shop" }, remove: ["X-Debug"] },
    response_headers: { remove: ["Server"] },
  });
  await shop.route("exact_path", "/webhooks/stripe", {
    description: "Payments that Stripe reports to the checkout",
    backend: { backend_id: backends.checkout },
    webhook_verification: { provider: "stripe", secret: newSecret() },
  });
  await shop.route("path_prefix", "/live/stock", {
    description: "Stock levels while one watches",
    backend: { backend_id: backends.stock },
    websocket_tcp_converter: {},
  });
}

/**
 * @param {Client} api
 * @param {Backends} backends
 * @param {Authorities} authorities
 */
async function createPartnerApi(api, backends, authorities) {
  const partners = await createEdge(api, {
    description: "API for partners, by client certificate",
    hostports: ["partners.fjellmark.example:443"],
    tls_termination: { min_version: "1.3" },
    mutual_tls: { certificate_authority_ids: [authorities.partners] },
  });
  await partners.route("path_prefix", "/orders", {
    description: "Orders in bulk",
    backend: { backend_id: backends.api },
    circuit_breaker: { volume_threshold: 10 },
    request_headers: { add: { "X-Edge": "partners" } },
  });
}

/**
 * Each tool has another way to log in.
 * @param {Client} api
 * @param {Backends} backends
 * @param {IpPolicies} ipPolicies
 */
async function createTools(api, backends, ipPolicies) {
  const inside = { ip_policy_ids: [ipPolicies.office, ipPolicies.vpn] };
  const tools = await createEdge(api, {
    description: "Internal tools",
    metadata: JSON.stringify({ team: "platform" }),
    hostports: ["tools.fjellmark.example:443"],
    tls_termination: { min_version: "1.3" },
  });
  await tools.route("path_prefix", "/wiki", {
    description: "Wiki, for whoever has a mailbox here",
    backend: { backend_id: backends.wiki },
    compression: {},
    oauth: {
      provider: { google: { email_domains: ["fjellmark.example"] } },
      maximum_duration: 12 * HOUR,
      auth_check_interval: HOUR,
    },
  });
  await tools.route("path_prefix", "/deploy", {
    description: "Deployments, for two teams on GitHub",
    backend: { backend_id: backends.deploy },
    ip_restriction: inside,
    oauth: {
      provider: {
        github: {
          client_id: "fjellmark-deploy",
          client_secret: newSecret(),
          scopes: ["read:org"],
          teams: ["fjellmark/platform", "fjellmark/release"],
        },
      },
      cookie_prefix: "deploy.",
      inactivity_timeout: HOUR,
      auth_check_interval: 300,
    },
  });
  await tools.route("path_prefix", "/people", {
    description: "Holidays and payslips",
    backend: { backend_id: backends.people },
    ip_restriction: inside,
    saml: {
      idp_metadata: file("identity-provider.xml"),
      force_authn: true,
      allow_idp_initiated: false,
      authorized_groups: ["employees", "human-resources"],
      inactivity_timeout: HOUR / 4,
    },
  });
  await tools.route("path_prefix", "/metrics", {
    description: "Dashboards",
    backend: { backend_id: backends.metrics },
    ip_restriction: inside,
    oidc: {
      issuer: "https://login.fjellmark.example",
      client_id: "dashboards",
      client_secret: newSecret(),
      scopes: ["openid", "profile", "email"],
      options_passthrough: true,
      maximum_duration: 8 * HOUR,
    },
    user_agent_filter: { deny: ["(?i)bot"] },
  });
}

/**
 * @param {Client} api
 * @param {object} edge
 */
async function createEdge(api, edge) {
  const { id } = await api.create("/edges/https", edge);
  return {
    /**
     * @param {"exact_path" | "path_prefix"} matchType
     * @param {string} match
     * @param {object} route
     */
    route: (matchType, match, route) =>
      api.create(`/edges/https/${id}/routes`, { match_type: matchType, match, ...route }),
  };
}

function newSecret() {
  return randomBytes(24).toString("base64url");
}
