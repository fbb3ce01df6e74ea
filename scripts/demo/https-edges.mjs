// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
/** @typedef {Awaited<ReturnType<typeof import("./access.mjs").applyIpPolicies>>} IpPolicies */
/** @typedef {Awaited<ReturnType<typeof import("./access.mjs").ensureCertificateAuthorities>>} Authorities */
import { createHash } from "node:crypto";
import { to } from "./backends.mjs";
import { file } from "./files.mjs";

const HOUR = 3600;

/**
 * The shop, the partners' API, the tools of the company and its status page.
 * @param {Client} api
 * @param {{ ipPolicies: IpPolicies, authorities: Authorities }} given
 */
export async function applyHttpsEdges(api, { ipPolicies, authorities }) {
  await applyShop(api);
  await applyPartnerApi(api, authorities);
  await applyTools(api, ipPolicies);

  await api.apply("HttpsEdge", "status", {
    description: "Status page",
    hostports: ["status.fjellmark.example:443"],
    tlsTermination: { minVersion: "TLS1_2" },
    routes: [
      prefix("/", {
        description: "The page, which needs no server",
        backend: to("status"),
        compression: {},
      }),
    ],
  });
}

/** @param {Client} api */
async function applyShop(api) {
  await api.apply("HttpsEdge", "shop", {
    description: "Shop",
    metadata: JSON.stringify({ team: "web", tier: 1 }),
    hostports: ["shop.fjellmark.example:443", "*.shop.fjellmark.example:443"],
    tlsTermination: { minVersion: "TLS1_2" },
    routes: [
      prefix("/", {
        description: "Storefront",
        backend: to("shop"),
        compression: {},
        responseHeaders: {
          add: [
            {
              name: "Strict-Transport-Security",
              value: "max-age=31536000; includeSubDomains",
            },
            { name: "X-Content-Type-Options", value: "nosniff" },
          ],
          remove: ["Server", "X-Powered-By"],
        },
        userAgentFilter: {
          allow: ["(?i)googlebot"],
          deny: ["(?i)scrapy", "(?i)^curl/[0-6]\\."],
        },
        trafficPolicy: { value: file("storefront-policy.yaml") },
      }),
      prefix("/api/", {
        description: "API of the storefront",
        backend: to("api"),
        compression: {},
        circuitBreaker: {
          trippedDuration: 15,
          rollingWindow: 30,
          numBuckets: 30,
          volumeThreshold: 50,
          errorThresholdPercentage: 0.25,
        },
        requestHeaders: { add: [{ name: "X-Edge", value: "shop" }], remove: ["X-Debug"] },
        responseHeaders: { remove: ["Server"] },
      }),
      {
        matchType: "EXACT_PATH",
        match: "/webhooks/stripe",
        description: "Payments that Stripe reports to the checkout",
        backend: to("checkout"),
        webhookVerification: { provider: "stripe", secret: secret("stripe") },
      },
      prefix("/live/stock", {
        description: "Stock levels while one watches",
        backend: to("stock"),
        websocketTcpConverter: {},
      }),
    ],
  });
}

/**
 * @param {Client} api
 * @param {Authorities} authorities
 */
async function applyPartnerApi(api, authorities) {
  await api.apply("HttpsEdge", "partners", {
    description: "API for partners, by client certificate",
    hostports: ["partners.fjellmark.example:443"],
    tlsTermination: { minVersion: "TLS1_3" },
    mutualTls: { certificateAuthorityIds: [authorities.partners] },
    routes: [
      prefix("/orders", {
        description: "Orders in bulk",
        backend: to("api"),
        circuitBreaker: { volumeThreshold: 10 },
        requestHeaders: { add: [{ name: "X-Edge", value: "partners" }] },
      }),
    ],
  });
}

/**
 * Each tool has another way to log in.
 * @param {Client} api
 * @param {IpPolicies} ipPolicies
 */
async function applyTools(api, ipPolicies) {
  const inside = { ipPolicyIds: [ipPolicies.office, ipPolicies.vpn] };
  await api.apply("HttpsEdge", "tools", {
    description: "Internal tools",
    metadata: JSON.stringify({ team: "platform" }),
    hostports: ["tools.fjellmark.example:443"],
    tlsTermination: { minVersion: "TLS1_3" },
    routes: [
      prefix("/wiki", {
        description: "Wiki, for whoever has a mailbox here",
        backend: to("wiki"),
        compression: {},
        oauth: {
          provider: { google: { emailDomains: ["fjellmark.example"] } },
          maximumDuration: 12 * HOUR,
          authCheckInterval: HOUR,
        },
      }),
      prefix("/deploy", {
        description: "Deployments, for two teams on GitHub",
        backend: to("deploy"),
        ipRestriction: inside,
        oauth: {
          provider: {
            github: {
              clientId: "fjellmark-deploy",
              clientSecret: secret("github"),
              scopes: ["read:org"],
              teams: ["fjellmark/platform", "fjellmark/release"],
            },
          },
          cookiePrefix: "deploy.",
          inactivityTimeout: HOUR,
          authCheckInterval: 300,
        },
      }),
      prefix("/people", {
        description: "Holidays and payslips",
        backend: to("people"),
        ipRestriction: inside,
        saml: {
          idpMetadata: file("identity-provider.xml"),
          forceAuthn: true,
          allowIdpInitiated: false,
          authorizedGroups: ["employees", "human-resources"],
          inactivityTimeout: HOUR / 4,
        },
      }),
      prefix("/metrics", {
        description: "Dashboards",
        backend: to("metrics"),
        ipRestriction: inside,
        oidc: {
          issuer: "https://login.fjellmark.example",
          clientId: "dashboards",
          clientSecret: secret("dashboards"),
          scopes: ["openid", "profile", "email"],
          optionsPassthrough: true,
          maximumDuration: 8 * HOUR,
        },
        userAgentFilter: { deny: ["(?i)bot"] },
      }),
    ],
  });
}

/**
 * @param {string} match
 * @param {object} route
 */
function prefix(match, route) {
  return { matchType: "PATH_PREFIX", match, ...route };
}

/**
 * An example, which opens nothing; the same in each run, so that another run changes nothing.
 * @param {string} name
 */
function secret(name) {
  return createHash("sha256").update(`example ${name}`).digest("base64url");
}
