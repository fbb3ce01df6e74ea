import sshpk from "sshpk";
import { type Connection, openDatabase } from "../../../src/database/index.js";
import { RESOURCES } from "../../../src/domain/core/ids.js";
import { FAULTS_KEY } from "../faults.js";
import { wrongMarks } from "../marks.js";
import { type Fields, graphql, type Target } from "../transports.js";
import type { Entry, Row, Stored } from "./history.js";
import type { CertificateState, EdgeState, RouteState } from "./writers.js";

/** What is stored, by the server at `url` and by its database, and which use marks are wrong. */
export async function readStored(
  url: string,
  connection: Connection,
): Promise<{ stored: Stored; wrongMarks: string[] }> {
  const server = { url, writeKey: FAULTS_KEY };
  const certificates = await all(server, CERTIFICATES, "sshUserCertificates");
  const edges = await all(server, EDGES, "httpsEdges");
  const { client: db, close } = await openDatabase(connection, { onConnectionError: () => {} });
  try {
    const rows = await db.$queryRawUnsafe<Row[]>(ROWS);
    const log: Entry[] = await db.change.findMany({
      select: { operationId: true, kind: true, resourceId: true, action: true, version: true },
      orderBy: [{ horizon: "asc" }, { id: "asc" }],
    });
    const serials = await db.sshSerial.findMany();
    const ground = rows.filter(({ kind }) => !WRITTEN.has(kind));
    return {
      stored: {
        things: new Map<string, unknown>([
          ...ground.map(({ id, version }) => [id, version] as const),
          ...certificates.map((node) => [node.description, certificateState(node)] as const),
          ...edges.map((node) => [node.description, edgeState(node)] as const),
        ]),
        rows,
        log,
        signed: certificates.map(({ id, certificate }) => ({ id, serial: serialIn(certificate) })),
        serials: serials.map(({ id, serial, revokedAt }) => ({
          id,
          serial: BigInt.asUintN(64, serial),
          isRevoked: revokedAt !== null,
        })),
      },
      wrongMarks: await wrongMarks({ context: { db } }),
    };
  } finally {
    await close();
  }
}

/** What has a name of its writer, or belongs to what has. */
const WRITTEN: ReadonlySet<string> = new Set(["httpsEdge", "httpsEdgeRoute", "sshUserCertificate"]);

const ROWS = Object.entries(RESOURCES)
  .map(
    ([kind, { prefix, table }]) =>
      `SELECT '${kind}' AS kind, id, version FROM "${table}" WHERE id LIKE '${prefix}\\_%'`,
  )
  .join(" UNION ALL ");

const CERTIFICATES = "id version description principals certificate";
const EDGES = `version description tlsTermination { enabled }
  routes(first: 10) { nodes {
    version match backend { backend { id } } ipRestriction { ipPolicies { id } }
    requestHeaders { add { name value } } webhookVerification { secret } trafficPolicy { value } } }`;

async function all(server: Target, selection: string, list: string): Promise<Fields[]> {
  const nodes: Fields[] = [];
  for (let after: string | null = null; ; ) {
    const query = `query($after: String) { ${list}(first: 100, after: $after) {
      nodes { ${selection} } pageInfo { hasNextPage endCursor } } }`;
    const page: Fields = (await graphql(server, query, { after }))[list];
    nodes.push(...page.nodes);
    if (!page.pageInfo.hasNextPage) return nodes;
    after = page.pageInfo.endCursor;
  }
}

function certificateState({ version, principals }: Fields): CertificateState {
  return { version, principals };
}

function edgeState({ version, tlsTermination, routes }: Fields): EdgeState {
  return {
    version,
    terminatesTls: tlsTermination.enabled,
    routes: Object.fromEntries(routes.nodes.map((node: Fields) => [node.match, routeState(node)])),
  };
}

/** A module that is missing shows as what no writer writes. */
function routeState(node: Fields): RouteState {
  const { version, backend, ipRestriction, requestHeaders, webhookVerification } = node;
  const added: Fields[] = requestHeaders?.add ?? [];
  return {
    version,
    backend: backend?.backend?.id ?? "",
    policies: (ipRestriction?.ipPolicies ?? []).map(({ id }: Fields) => id),
    headers: Object.fromEntries(added.map(({ name, value }) => [name, value])),
    secret: webhookVerification?.secret ?? "",
    trafficPolicy: node.trafficPolicy?.value ?? "",
  };
}

function serialIn(certificate: string): bigint {
  const { serial } = sshpk.parseCertificate(certificate, "openssh");
  return BigInt(`0x${serial.toString("hex")}`);
}
