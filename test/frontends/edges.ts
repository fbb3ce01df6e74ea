import type { TestServer } from "../harness/server.js";
import { graphql } from "../harness/transports.js";

const CREATE = `mutation($input: CreateHttpsEdgeInput!) {
  createHttpsEdge(input: $input) { httpsEdge { id } } }`;

/** Makes `count` edges, each with a module, a route and a failover backend of its own. Returns their ids, newest first. */
export async function makeEdges(server: TestServer, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const child = { staticBackend: { description: `server ${i}`, address: `s${i}.internal:80` } };
    const backend = { failoverBackend: { description: `pair ${i}`, backends: [child] } };
    const input = {
      description: `edge ${i}`,
      hostports: [`e${i}.example:443`],
      tlsTermination: { minVersion: "TLS1_2" },
      routes: [{ matchType: "PATH_PREFIX", match: "/", compression: {}, backend: { backend } }],
    };
    ids.unshift((await graphql(server, CREATE, { input })).createHttpsEdge.httpsEdge.id);
  }
  return ids;
}

/** Resolves once `condition` holds; it is asked again and again. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
