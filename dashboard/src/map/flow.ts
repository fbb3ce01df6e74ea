import { type Edge, type Node, Position } from "@xyflow/react";
import type { PlacedNode } from "./boxes.js";
import type { GraphLink } from "./graph.js";
import type { PlacedSection } from "./use-layout.js";

// Sections as the canvas takes them.

export type FlowNode = Node<{ readonly placed: PlacedNode }, "resource">;
export type FlowEdge = Edge<{ readonly link: GraphLink }, "link">;

interface Flow {
  readonly nodes: FlowNode[];
  readonly edges: FlowEdge[];
}

const flows = new WeakMap<PlacedSection, Flow>();

/** The nodes and links of sections. What several sections have is there once in each. */
export function flowOf(sections: readonly PlacedSection[], from: number, to: number): Flow {
  const nodes: FlowNode[] = [];
  const edges: FlowEdge[] = [];
  for (let index = from; index < to; index++) {
    const section = sections[index];
    if (!section) continue;
    const flow = flows.get(section) ?? flowOfSection(section, index);
    flows.set(section, flow);
    nodes.push(...flow.nodes);
    edges.push(...flow.edges);
  }
  return { nodes, edges };
}

function flowOfSection({ graph, top }: PlacedSection, index: number): Flow {
  return {
    nodes: graph.nodes.map((placed) => {
      const { node, x, y, width, height } = placed;
      return {
        id: `${index}/${node.id}`,
        type: "resource",
        position: { x, y: y + top },
        width,
        height,
        measured: { width, height },
        handles: [
          { type: "target", position: Position.Left, x: 0, y: height / 2, width: 1, height: 1 },
          {
            type: "source",
            position: Position.Right,
            x: width,
            y: height / 2,
            width: 1,
            height: 1,
          },
        ],
        data: { placed },
        ariaRole: "button",
        domAttributes: { "aria-roledescription": undefined },
      };
    }),
    edges: graph.links.map((link) => ({
      id: `${index}/${link.id}`,
      type: "link",
      source: `${index}/${link.source}`,
      target: `${index}/${link.target}`,
      data: { link },
      focusable: false,
      domAttributes: { "aria-hidden": true },
    })),
  };
}

/** The id of the resource or hostport behind a node of the canvas. */
export function nodeIdOf(flowId: string): string {
  return flowId.slice(flowId.indexOf("/") + 1);
}
