import { useEffect, useMemo, useRef, useState } from "react";
import { type Box, boxOf, type Measure, type PlacedGraph, place } from "./boxes.js";
import { aroundNode, type Graph, graphOf, type MapData, type Section } from "./graph.js";
import { elkGraphOf, heightsOf } from "./layout.js";
import { layOut } from "./layout-worker.js";

/** A section of the map at its place: below the one before. */
export interface PlacedSection {
  readonly graph: PlacedGraph;
  /** In pixels from the top of the map. */
  readonly top: number;
}

export interface MapLayout {
  readonly sections: readonly PlacedSection[];
  /** The node that the map is about; "" when it is about all. */
  readonly focus: string;
  /** Whether all that was read has its place. */
  readonly isComplete: boolean;
}

const SECTION_GAP = 48;
const NO_LAYOUT: MapLayout = { sections: [], focus: "", isComplete: false };

/** The graphs of the sections; those that stay are not made again. */
export function useGraphs(data: MapData | null): readonly Graph[] {
  const known = useRef(new WeakMap<Section, Graph>());
  return useMemo(() => {
    if (!data) return [];
    return data.sections.map((section) => {
      const graph = known.current.get(section) ?? graphOf(section, data);
      known.current.set(section, graph);
      return graph;
    });
  }, [data]);
}

/**
 * Places for all nodes, or for those around the node `focus`. Sections come one after the other at first; later all
 * that changed comes at once. Only sections that changed are laid out.
 */
export function useLayout(graphs: readonly Graph[], focus: string): MapLayout {
  const [layout, setLayout] = useState(NO_LAYOUT);
  const cache = useRef(new Map<string, Promise<PlacedGraph>>());
  const shown = useRef(NO_LAYOUT);

  useEffect(() => {
    let isOver = false;
    const show = (next: MapLayout) => {
      shown.current = next;
      setLayout(next);
    };
    const run = async () => {
      const wanted = focus === "" ? graphs : [aroundNode(graphs, focus)];
      const used = new Map<string, Promise<PlacedGraph>>();
      const sections: PlacedSection[] = [];
      let top = 0;
      for (const graph of wanted) {
        if (graph.nodes.length === 0) continue;
        const key = JSON.stringify(graph);
        const placing = cache.current.get(key) ?? placeGraph(graph);
        cache.current.set(key, placing);
        used.set(key, placing);
        const placed = await placing;
        if (isOver) return;
        sections.push({ graph: placed, top });
        top += placed.height + SECTION_GAP;
        const isMore = focus === "" && sections.length > shown.current.sections.length;
        if (isMore && shown.current.focus === focus) {
          show({ sections: [...sections], focus, isComplete: false });
        }
      }
      // The places of the whole map stay known while it is about one node.
      if (focus === "") cache.current = used;
      show({ sections, focus, isComplete: true });
    };
    void run();
    return () => {
      isOver = true;
    };
  }, [graphs, focus]);
  return layout;
}

async function placeGraph(graph: Graph): Promise<PlacedGraph> {
  const measure = chipMeasure();
  const boxes = new Map<string, Box>(graph.nodes.map((node) => [node.id, boxOf(node, measure)]));
  const laidOut = await layOut(elkGraphOf(graph, boxes));
  return place(graph, boxes, heightsOf(laidOut));
}

const CHIP_FONT = "500 11px system-ui, sans-serif";
const widths = new Map<string, number>();

/** Chips have few different texts. */
function chipMeasure(): Measure {
  const context = document.createElement("canvas").getContext("2d");
  if (context) context.font = CHIP_FONT;
  return (text) => {
    const width = widths.get(text) ?? context?.measureText(text).width ?? text.length * 7;
    widths.set(text, width);
    return width;
  };
}
