import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Pool } from "pg";
import { openDataDirectory } from "../src/database/disk/data-directory.js";
import { startEmbedded } from "../src/database/index.js";
import { newId } from "../src/domain/core/ids.js";
import { createKeyring } from "../src/domain/core/keyring.js";
import { FLOOR_SQL } from "./floor-sql.js";
import { PAGE } from "./queries.js";
import { PUBLIC_URL } from "./rows.js";

// The floor: the same answers from the same tables with nothing between HTTP and one prepared statement
// a request. No authentication, no validation, no log, no routing to speak of.

interface Found {
  readonly id: string;
  readonly json: string | null;
}

const embedded = process.env.DATABASE_URL
  ? null
  : await startCopy(process.env.FLOOR_DATA_DIR ?? "");
const connection = embedded?.connection ?? { connectionString: process.env.DATABASE_URL };
// Connections stay open, and with them the statements that they have prepared.
const pool = new Pool({ max: 16, idleTimeoutMillis: 0, ...connection });
const keyring = createKeyring([Buffer.from(process.env.ENCRYPTION_KEY ?? "", "base64")]);

const server = createServer((request, response) => {
  respond(request).then(
    (json) =>
      send(response, request.method === "POST" && request.url !== "/graphql" ? 201 : 200, json),
    (error: unknown) => send(response, 500, JSON.stringify({ error: String(error) })),
  );
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address) {
    console.log(`The floor listens on http://127.0.0.1:${address.port}`);
  }
});
process.once("SIGTERM", async () => {
  await pool.end();
  await embedded?.stop();
  process.exit(0);
});

async function startCopy(dataDir: string) {
  const directory = await openDataDirectory(dataDir, () => process.exit(1));
  return startEmbedded(directory, { log: { ...console, debug: () => {} } });
}

async function respond(request: IncomingMessage): Promise<string> {
  const url = request.url ?? "/";
  if (url === "/graphql") {
    return `{"data":${await answerQuery(JSON.parse(await bodyOf(request)))}}`;
  }
  if (request.method === "POST") {
    const { description, metadata, address, tls } = JSON.parse(await bodyOf(request));
    const values = [newId("staticBackend"), description, metadata, address, tls.enabled];
    return (await query("createStaticBackend", values))[0]?.json ?? "";
  }
  const [, path, parameters] = /^([^?]*)\??(.*)$/.exec(url) ?? [];
  if (path !== "/edges/https") {
    const [edge] = await query("restEdge", [path?.slice("/edges/https/".length)]);
    return edge?.json ?? "";
  }
  const wanted = new URLSearchParams(parameters);
  const limit = Number(wanted.get("limit"));
  const edges = await query("restEdges", [wanted.get("before_id"), limit]);
  const uri = `${PUBLIC_URL}/edges/https`;
  const next =
    edges.length > limit ? `"${uri}?limit=${limit}&before_id=${edges[limit - 1]?.id}"` : null;
  return `{"https_edges":[${joined(edges)}],"uri":"${uri}","next_page_uri":${next}}`;
}

/** The statement for a query, and the field that it answers. */
const QUERIES = {
  LeanEdge: ["leanEdge", "httpsEdge"],
  RichEdge: ["richEdge", "httpsEdge"],
  LeanEdges: ["leanEdges", "httpsEdges"],
  RichEdges: ["richEdges", "httpsEdges"],
  CompressedRoutes: ["compressedRoutes", "httpsEdgeRoutes"],
} as const;

interface GraphqlRequest {
  readonly operationName: keyof typeof QUERIES;
  readonly variables: { readonly id?: string; readonly after?: string };
}

async function answerQuery({ operationName, variables }: GraphqlRequest): Promise<string> {
  const [statement, field] = QUERIES[operationName];
  if (field === "httpsEdge") {
    const [edge] = await query(statement, [variables.id]);
    return `{"${field}":${edge?.json}}`;
  }
  const found = await query(statement, [variables.after, PAGE]);
  return `{"${field}":{"nodes":[${joined(found)}]}}`;
}

async function query(name: keyof typeof FLOOR_SQL, values: unknown[]): Promise<Found[]> {
  const { rows } = await pool.query<Found>({ name, text: FLOOR_SQL[name], values });
  return rows.map(({ id, json }) => ({ id, json: json && opened(json) }));
}

function joined(found: readonly Found[]): string {
  return found
    .filter(({ json }) => json !== null)
    .map(({ json }) => json)
    .join(",");
}

/** Puts secrets where the statement marked them. */
function opened(json: string): string {
  return json.replace(/"sealed:([^":]+):([^"]+)"/g, (_, purpose: string, sealed: string) =>
    JSON.stringify(keyring.open(sealed, purpose)),
  );
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  request.setEncoding("utf8");
  for await (const chunk of request) body += chunk;
  return body;
}

function send(response: ServerResponse, status: number, json: string): void {
  const bytes = Buffer.from(json);
  const headers = { "Content-Type": "application/json", "Content-Length": bytes.length };
  response.writeHead(status, headers).end(bytes);
}
