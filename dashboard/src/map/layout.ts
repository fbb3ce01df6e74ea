import type { ElkExtendedEdge, ElkNode, LayoutOptions } from "elkjs/lib/elk-api.js";
import type { Box } from "./boxes.js";
import type { Graph, GraphLink } from "./graph.js";

/**
 * The order within each column is that of the nodes, so routes stay in match order. There is nothing to choose then, and
 * leaving out the search for fewer crossings takes a thirtieth of the time.
 */
const OPTIONS: LayoutOptions = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.edgeRouting": "POLYLINE",
  "elk.spacing.nodeNode": "14",
  "elk.separateConnectedComponents": "false",
  "elk.layered.thoroughness": "1",
  "elk.layered.layering.strategy": "LONGEST_PATH_SOURCE",
  "elk.layered.considerModelOrder.strategy": "PREFER_NODES",
  "elk.layered.crossingMinimization.strategy": "NONE",
  "elk.layered.crossingMinimization.forceNodeModelOrder": "true",
  "elk.layered.crossingMinimization.greedySwitch.type": "OFF",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
};

/**
 * A graph as ELK takes it. ELK puts each node one column after what leads to it; so where links pass columns, and where
 * nothing leads to a node, there are nodes that nobody sees.
 */
export function elkGraphOf({ nodes, links }: Graph, boxes: ReadonlyMap<string, Box>): ElkNode {
  const columns = new Map(nodes.map(({ id, column }) => [id, column]));
  const first = Math.min(...columns.values());
  const reached = new Set(links.map(({ target }) => target));
  const linksFrom = new Map<string, GraphLink[]>();
  for (const link of links) {
    linksFrom.set(link.source, [...(linksFrom.get(link.source) ?? []), link]);
  }
  const children: ElkNode[] = [];
  const edges: ElkExtendedEdge[] = [];
  const passOn = (
    id: string,
    { source, target }: Pick<GraphLink, "source" | "target">,
    between: number,
  ) => {
    let last = source;
    for (let index = 0; index < between; index++) {
      const passed = `${id} ${index}`;
      children.push({ id: passed, width: 1, height: 1 });
      edges.push(edgeBetween(last, passed));
      last = passed;
    }
    edges.push(edgeBetween(last, target));
  };
  for (const { id, column } of nodes) {
    if (!reached.has(id) && column > first) {
      const start = `before ${id}`;
      children.push({ id: start, width: 1, height: 1 });
      passOn(start, { source: start, target: id }, column - first - 1);
    }
    const { width = 0, height = 0 } = boxes.get(id) ?? {};
    children.push({ id, width, height });
    for (const link of linksFrom.get(id) ?? []) {
      passOn(link.id, link, (columns.get(link.target) ?? column + 1) - column - 1);
    }
  }
  return { id: "map", layoutOptions: OPTIONS, children, edges };
}

function edgeBetween(source: string, target: string): ElkExtendedEdge {
  return { id: `${source}>${target}`, sources: [source], targets: [target] };
}

/** The top of each node, by its id. */
export function heightsOf({ children = [] }: ElkNode): Map<string, number> {
  return new Map(children.map(({ id, y = 0 }) => [id, y]));
}
