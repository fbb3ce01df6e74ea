import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { Pool } from "pg";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { lambda, SafeError } from "postgraphile/grafast";
import { grafserv } from "postgraphile/grafserv/node";
import { GraphQLBoolean, GraphQLString } from "postgraphile/graphql";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { addPgTableCondition, extendSchema, gql } from "postgraphile/utils";
import { createKeyring } from "../../src/domain/core/keyring.js";

// PostGraphile 5 on the same tables: its schema as it comes, with what it cannot know. It looks up the API key
// of each request, opens the secret of a webhook verification, and has the two conditions of the queries.

const pool = new Pool({
  connectionString: process.env.DATABASE_URL,
  max: 16,
  idleTimeoutMillis: 0,
});
const keyring = createKeyring([Buffer.from(process.env.ENCRYPTION_KEY ?? "", "base64")]);

/** The document of the module with its secret as it was before it was stored; null for a route without one. */
function opened(id: unknown, module: unknown): object | null {
  if (typeof module !== "object" || module === null || !("secret" in module)) return null;
  const purpose = `${id}.webhookVerification.secret`;
  return { ...module, secret: keyring.open(String(module.secret), purpose) };
}

const openedSecrets = extendSchema(() => ({
  typeDefs: gql`
    extend type HttpsEdgeRoute {
      openedWebhookVerification: JSON
    }
  `,
  objects: {
    HttpsEdgeRoute: {
      plans: {
        openedWebhookVerification: ($route) =>
          lambda(
            [$route.get("id"), $route.get("webhook_verification")],
            ([id, module]) => opened(id, module),
            true,
          ),
      },
    },
  },
}));

const olderThan = ["https_edges", "https_edge_routes"].map((tableName) =>
  addPgTableCondition(
    { schemaName: "public", tableName },
    "olderThan",
    () => ({ type: GraphQLString }),
    (value, { sql, sqlTableAlias }) => sql`${sqlTableAlias}.id < ${sql.value(String(value))}::text`,
  ),
);

const hasCompression = addPgTableCondition(
  { schemaName: "public", tableName: "https_edge_routes" },
  "hasCompression",
  () => ({ type: GraphQLBoolean }),
  (value, { sql, sqlTableAlias }) =>
    sql`(${sqlTableAlias}.compression IS NOT NULL) = ${sql.value(value === true)}::boolean`,
);

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [openedSecrets, ...olderThan, hasCompression],
  pgServices: [makePgService({ pool, schemas: ["public"] })],
  grafserv: { graphqlPath: "/graphql", graphiql: false, websockets: false },
  grafast: {
    async context({ node }) {
      const { authorization } = node?.req.headers ?? {};
      const [, token = ""] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
      const hash = createHash("sha256").update(token).digest();
      const text = "SELECT id FROM api_keys WHERE token_hash = $1";
      const { rowCount } = await pool.query({ name: "key", text, values: [hash] });
      if (rowCount === 0) throw new SafeError("This needs a valid API key.");
      return {};
    },
  },
});

const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address) {
    console.log(`It listens on http://127.0.0.1:${address.port}`);
  }
});
process.once("SIGTERM", async () => {
  server.closeAllConnections();
  await instance.release();
  await pool.end();
  process.exit(0);
});
