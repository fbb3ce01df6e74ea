import type { Chip, Graph, GraphLink, GraphNode } from "./graph.js";

// How large a node is, and where what it shows stands in it: for the canvas and for exported images alike.

interface PlacedChip extends Chip {
  /** In pixels, from the left top corner of the node. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Box {
  readonly width: number;
  readonly height: number;
  readonly chips: readonly PlacedChip[];
}

/** A node at its place. */
export interface PlacedNode extends Box {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
}

/** A graph of which each node has a place, from 0, 0 on. */
export interface PlacedGraph {
  readonly nodes: readonly PlacedNode[];
  readonly links: readonly GraphLink[];
  readonly width: number;
  readonly height: number;
}

/** The width of a text of a chip, in pixels. */
export type Measure = (text: string) => number;

const WIDTHS = { hostport: 232, edge: 204, route: 256, backend: 204 } as const;
/** Between columns there is room for links and their labels. */
const GAP = 60;
const PADDING = 10;
const LINE = { label: 14, title: 18, detail: 16 } as const;
export const CHIP_HEIGHT = 18;
const CHIP_PADDING = 7;
const CHIP_GAP = 4;

/** Where columns begin, for a number of them. */
export function columnX(column: number): number {
  const { hostport, edge, route, backend } = WIDTHS;
  const widths = [hostport, edge, route];
  return Array.from({ length: column }, (_, index) => (widths[index] ?? backend) + GAP).reduce(
    (sum, width) => sum + width,
    0,
  );
}

export function boxOf(node: GraphNode, measure: Measure): Box {
  const width = WIDTHS[node.kind];
  const text = LINE.label + LINE.title + (node.detail === "" ? 0 : LINE.detail);
  const top = PADDING + text + 4;
  const chips = placeChips(node.chips, { width, top, measure });
  const last = chips.at(-1);
  return {
    width,
    height: last ? last.y + CHIP_HEIGHT + PADDING : 2 * PADDING + text,
    chips,
  };
}

interface ChipRoom {
  readonly width: number;
  readonly top: number;
  readonly measure: Measure;
}

function placeChips(chips: readonly Chip[], { width, top, measure }: ChipRoom): PlacedChip[] {
  let x = PADDING;
  let y = top;
  return chips.map((chip) => {
    const chipWidth = Math.ceil(measure(chip.text)) + 2 * CHIP_PADDING;
    if (x > PADDING && x + chipWidth > width - PADDING) {
      x = PADDING;
      y += CHIP_HEIGHT + CHIP_GAP;
    }
    const placed = { ...chip, x, y, width: chipWidth };
    x += chipWidth + CHIP_GAP;
    return placed;
  });
}

/** Puts each node into its column, at the height that the layout found. */
export function place(
  graph: Graph,
  boxes: ReadonlyMap<string, Box>,
  heights: ReadonlyMap<string, number>,
): PlacedGraph {
  const nodes = graph.nodes.flatMap((node) => {
    const box = boxes.get(node.id);
    return box ? [{ ...box, node, x: columnX(node.column), y: heights.get(node.id) ?? 0 }] : [];
  });
  const top = Math.min(...nodes.map(({ y }) => y));
  const placed = nodes.map((each) => ({ ...each, y: each.y - top }));
  return {
    nodes: placed,
    links: graph.links,
    width: Math.max(0, ...placed.map(({ x, width }) => x + width)),
    height: Math.max(0, ...placed.map(({ y, height }) => y + height)),
  };
}

/** The way of a link, as SVG draws it: from the right of one node to the left of another. */
export function linkPath(fromX: number, fromY: number, toX: number, toY: number): string {
  const bend = Math.max(30, (toX - fromX) / 2);
  return `M${fromX} ${fromY}C${fromX + bend} ${fromY} ${toX - bend} ${toY} ${toX} ${toY}`;
}
