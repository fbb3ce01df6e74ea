import { createHash, randomBytes } from "node:crypto";
import type { Client } from "pg";
import { newId, type ResourceKind } from "../src/domain/core/ids.js";
import type { Keyring } from "../src/domain/core/keyring.js";
import type { DocumentModules } from "../src/domain/modules/documents.js";
import { HTTPS_EDGE_MODULES, HTTPS_EDGE_ROUTE_MODULES } from "../src/domain/modules/index.js";
import type { StoringPlace } from "../src/domain/modules/module.js";

const EDGES_PER_BATCH = 200;
const IP_POLICIES = 50;
const CERTIFICATE_AUTHORITIES = 20;

type Rows = Record<string, Record<string, unknown>[]>;

/**
 * Fills migrated tables with edges of five routes each, every route with a backend and modules of its own,
 * and returns the token of an API key that may write.
 */
export async function seed(client: Client, keyring: Keyring, edges: number): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  const policies = Array.from({ length: IP_POLICIES }, (_, index) =>
    row("ipPolicy", { description: `Office network ${index}` }),
  );
  const authorities = Array.from({ length: CERTIFICATE_AUTHORITIES }, (_, index) =>
    row("certificateAuthority", {
      description: `Devices ${index}`,
      ca_pem: "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
      subject_common_name: `Devices CA ${index}`,
      not_before: "2026-01-01T00:00:00Z",
      not_after: "2036-01-01T00:00:00Z",
      key_usages: ["KeyCertSign"],
      extended_key_usages: [],
    }),
  );
  await insert(client, {
    api_keys: [
      row("apiKey", {
        owner_id: "",
        scope: "write",
        token_hash: `\\x${createHash("sha256").update(token).digest("hex")}`,
      }),
    ],
    ip_policies: policies,
    certificate_authorities: authorities,
  });
  for (let first = 0; first < edges; first += EDGES_PER_BATCH) {
    const rows: Rows = {
      backends: [],
      backend_children: [],
      https_edges: [],
      https_edge_certificate_authorities: [],
      https_edge_routes: [],
      https_edge_route_ip_policies: [],
    };
    const last = Math.min(first + EDGES_PER_BATCH, edges);
    for (let index = first; index < last; index++) {
      await addEdge(rows, index, keyring, idsOf(policies), idsOf(authorities));
    }
    await insert(client, rows);
  }
  await client.query("ANALYZE");
  return token;
}

async function addEdge(
  rows: Rows,
  index: number,
  keyring: Keyring,
  policyIds: readonly string[],
  authorityIds: readonly string[],
): Promise<void> {
  const host = `app-${index}.example.com`;
  const isMutual = index % 10 === 0;
  const tlsTermination = { minVersion: index % 3 === 0 ? "1.3" : "1.2" };
  const edge = row("httpsEdge", {
    description: `Serves ${host}`,
    metadata: JSON.stringify({ team: `team-${index % 25}`, environment: "production" }),
    hostports: [`${host}:443`, `www.${host}:443`],
    mutual_tls_enabled: isMutual ? true : null,
  });
  Object.assign(edge, await documents(HTTPS_EDGE_MODULES, { tlsTermination }, keyring, edge.id));
  rows.https_edges?.push(edge);
  if (isMutual) {
    rows.https_edge_certificate_authorities?.push(
      ...[0, 1].map((position) => ({
        owner_id: edge.id,
        position,
        certificate_authority_id: authorityIds[(index + position) % authorityIds.length],
      })),
    );
  }

  const backend = (kind: ResourceKind, column: string, fields: object) => {
    const created = row(kind, { description: `Backend of ${host}`, kind: column, ...fields });
    rows.backends?.push(created);
    return created.id;
  };
  const address = (name: string) =>
    backend("staticBackend", "static", {
      address: `${name}.internal.example.com:8443`,
      tls_enabled: true,
    });
  const parent = (kind: ResourceKind, column: string, children: readonly string[]) => {
    const id = backend(kind, column, {});
    const links = children.map((child_id, position) => ({
      parent_id: id,
      position,
      child_id,
      weight: column === "weighted" ? 100 - position * 90 : null,
    }));
    rows.backend_children?.push(...links);
    return id;
  };
  const route = async (match: string, backendId: string, modules: Modules, isLimited = false) => {
    const created = row("httpsEdgeRoute", {
      description: `${match} of ${host}`,
      match_type: match === "/hooks" ? "exact_path" : "path_prefix",
      match,
      edge_id: edge.id,
      backend_enabled: true,
      backend_id: backendId,
      ip_restriction_enabled: isLimited ? true : null,
    });
    Object.assign(created, await documents(HTTPS_EDGE_ROUTE_MODULES, modules, keyring, created.id));
    rows.https_edge_routes?.push(created);
    if (!isLimited) return;
    rows.https_edge_route_ip_policies?.push(
      ...[0, 1].map((position) => ({
        owner_id: created.id,
        position,
        ip_policy_id: policyIds[(index + position) % policyIds.length],
      })),
    );
  };

  const regions = ["eu", "us", "ap"].map((region) => address(`${region}-${index}`));
  await route("/", parent("failoverBackend", "failover", regions), {
    compression: {},
    responseHeaders: { add: { "strict-transport-security": "max-age=31536000" } },
  });
  await route("/api", address(`api-${index}`), API, true);
  const labels = { service: "assets", host };
  await route("/assets", backend("tunnelGroupBackend", "tunnel_group", { labels }), {
    compression: {},
    responseHeaders: {
      add: { "cache-control": "public, max-age=86400", vary: "Accept-Encoding" },
      remove: ["server", "x-powered-by"],
    },
  });
  const versions = ["stable", "canary"].map((version) => address(`${version}-${index}`));
  await route("/hooks", parent("weightedBackend", "weighted", versions), {
    webhookVerification: { provider: "github", secret: `hook secret ${index}` },
    requestHeaders: { add: { "x-verified-by": "edge" } },
  });
  await route("/admin", address(`admin-${index}`), index % 2 === 0 ? OAUTH : OIDC, true);
}

type Modules = Readonly<Record<string, object>>;

const API: Modules = {
  circuitBreaker: { trippedDuration: 30, errorThresholdPercentage: 0.25 },
  requestHeaders: {
    add: { "x-forwarded-by": "edge", "x-request-class": "api" },
    remove: ["x-internal-token"],
  },
  trafficPolicy: {
    value:
      "on_http_request:\n  - expressions:\n      - req.method == 'POST'\n    actions:\n" +
      "      - type: rate-limit\n        config:\n          name: writes\n          capacity: 100\n          rate: 60s\n",
  },
};

const OAUTH: Modules = {
  oauth: {
    provider: {
      google: {
        clientId: "admin.apps.example.com",
        clientSecret: "client secret",
        scopes: ["openid", "email"],
        emailDomains: ["example.com"],
      },
    },
    maximumDuration: 86_400,
  },
  userAgentFilter: { deny: ["(?i)bot", "curl/.*"] },
};

const OIDC: Modules = {
  oidc: {
    issuer: "https://login.example.com/tenant",
    clientId: "admin",
    clientSecret: "client secret",
    scopes: ["openid", "profile"],
    inactivityTimeout: 3600,
  },
  websocketTcpConverter: {},
};

/** The module columns, as the domain itself checks, completes and seals them. */
async function documents(
  modules: DocumentModules,
  inputs: Modules,
  keyring: Keyring,
  ownerId: string,
): Promise<Record<string, unknown>> {
  const columns: Record<string, unknown> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const module = modules[name];
    if (!module) throw new Error(`There is no module ${name}.`);
    const context = { keyring, signingPairs: null } as StoringPlace["context"];
    const { stored } = module.store(module.rule.parse(input), { context, ownerId }, null);
    columns[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = stored;
  }
  return columns;
}

function row<Fields extends object>(kind: ResourceKind, fields: Fields) {
  const now = new Date().toISOString();
  return {
    id: newId(kind),
    created_at: now,
    updated_at: now,
    version: 1,
    description: "",
    metadata: "",
    ...fields,
  };
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

async function insert(client: Client, tables: Rows): Promise<void> {
  await client.query("BEGIN");
  for (const [table, rows] of Object.entries(tables)) {
    const columns = [...new Set(rows.flatMap(Object.keys))].map((name) => `"${name}"`).join(", ");
    if (columns === "") continue;
    await client.query(
      `INSERT INTO "${table}" (${columns})
       SELECT ${columns} FROM json_populate_recordset(NULL::"${table}", $1)`,
      [JSON.stringify(rows)],
    );
  }
  await client.query("COMMIT");
}
