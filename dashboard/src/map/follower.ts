import type { Client } from "urql";
import type { ChangeEvent } from "../api/change-stream.js";
import { NodesOnMapDocument } from "../generated/operations.js";
import { backendsOf, childrenOf, type MapData, type MapEdge } from "./graph.js";
import { isOnMap } from "./on-map.js";
import { ask, readBackends, wholeMapOf, withAllRoutes } from "./reader.js";

// A map without a filter follows few changes by reading only what they are about.

/** Of more resources than this, reading all again is not much more. */
const MOST_READ = 50;

/**
 * The map after `changes`, of which only what these are about was read; the same map when they are about nothing on
 * it. Null when all is to be read again. Throws the error of a query.
 */
export async function followOnMap(
  client: Client,
  data: MapData,
  changes: readonly ChangeEvent[],
): Promise<MapData | null> {
  const relevant = changes.filter(({ typename }) => isOnMap(typename));
  if (relevant.length === 0) return data;
  const edgeOfRoute = new Map(
    data.sections.flatMap(({ edges }) =>
      edges.flatMap((edge) =>
        edge.__typename === "HttpsEdge"
          ? edge.routes.nodes.map(({ id }) => [id, edge.id] as const)
          : [],
      ),
    ),
  );
  const ids = new Set(relevant.map(({ resourceId }) => edgeOfRoute.get(resourceId) ?? resourceId));
  if (ids.size > MOST_READ) return null;
  const { nodes } = await ask(client, NodesOnMapDocument, { ids: [...ids] });

  const backends = new Map(data.backends);
  const edges = new Map<string, MapEdge>();
  for (const id of ids) backends.delete(id);
  for (const node of nodes ?? []) {
    if (!node) continue;
    switch (node.__typename) {
      case "HttpsEdge":
        edges.set(node.id, await withAllRoutes(client, node));
        break;
      case "HttpsEdgeRoute":
        edges.set(node.edge.id, await withAllRoutes(client, node.edge));
        break;
      case "TlsEdge":
      case "TcpEdge":
        edges.set(node.id, node);
        break;
      case "StaticBackend":
      case "HttpResponseBackend":
      case "TunnelGroupBackend":
      case "FailoverBackend":
      case "WeightedBackend":
        backends.set(node.id, node);
    }
  }
  const children = [...backends.values()].flatMap(childrenOf).map(({ child }) => child);
  await readBackends(client, [...backendsOf([...edges.values()]), ...children], backends);

  const known = data.sections.map(({ edges }) => edges).filter(({ length }) => length > 0);
  const sections = known.map((section) =>
    section.flatMap((edge) => {
      const anew = edges.get(edge.id);
      if (!anew) return ids.has(edge.id) ? [] : [edge];
      edges.delete(edge.id);
      return [anew];
    }),
  );
  // What is left is new, and the newest come first.
  for (const edge of edges.values()) {
    const ofKind = ({ __typename }: MapEdge) => __typename === edge.__typename;
    const section = sections.find((section) => section.some(ofKind));
    if (!section) return null;
    section.splice(section.findIndex(ofKind), 0, edge);
  }
  return wholeMapOf(sections, backends);
}
