import type { Graph, GraphNode } from "./graph.js";

export interface Neighbour {
  readonly node: GraphNode;
  /** The place in the failover order, or the share of the requests; "" for others. */
  readonly label: string;
}

export interface Neighbours {
  readonly node: GraphNode;
  /** What uses it directly. */
  readonly users: readonly Neighbour[];
  /** What it uses directly, in order. */
  readonly uses: readonly Neighbour[];
}

/** A node with what is linked to it; null when it is not on the map. */
export function neighboursOf(graphs: readonly Graph[], id: string): Neighbours | null {
  const nodes = new Map(graphs.flatMap((graph) => graph.nodes.map((node) => [node.id, node])));
  const node = nodes.get(id);
  if (!node) return null;
  const users = new Map<string, Neighbour>();
  const uses = new Map<string, Neighbour>();
  for (const { links } of graphs) {
    for (const { source, target, label } of links) {
      const [from, to] = [nodes.get(source), nodes.get(target)];
      if (target === id && from) users.set(source, { node: from, label });
      if (source === id && to) uses.set(target, { node: to, label });
    }
  }
  return { node, users: [...users.values()], uses: [...uses.values()] };
}
