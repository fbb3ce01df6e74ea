import "@xyflow/react/dist/base.css";
import "@xyflow/react/dist/style.css";
import {
  Background,
  ControlButton,
  Controls,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  type ReactFlowState,
  useReactFlow,
  useStore,
  useViewport,
  type Viewport,
} from "@xyflow/react";
import { Maximize } from "lucide-react";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from "react";
import { columnX } from "./boxes.js";
import { flowOf, nodeIdOf } from "./flow.js";
import { BACKEND_COLUMN } from "./graph.js";
import styles from "./map.module.css";
import { MapLink } from "./map-link.js";
import { DetailContext, FocusContext, MapNode } from "./map-node.js";
import type { MapLayout, PlacedSection } from "./use-layout.js";

interface MapCanvasProps {
  readonly layout: MapLayout;
  /** What the map is of: another one is shown from its beginning. */
  readonly name: string;
  onFocus(id: string): void;
}

const NODE_TYPES = { resource: MapNode };
const EDGE_TYPES = { link: MapLink };
const LEAST_ZOOM = 0.08;
/** Below, texts cannot be read. */
const DETAIL_ZOOM = 0.32;
/** A map with fewer nodes is handed to the canvas at once, and has a small map beside it. */
const FEW_NODES = 600;
/** A map that is much higher than wide is a thin line there. */
const MOST_RATIO = 4;
const LEAST_COLUMNS = BACKEND_COLUMN + 1;
/** A map that is to be fitted is made no smaller, so texts can be read. */
const LEAST_FIT = 0.48;
/** Below, headings have no room. */
const HEADINGS_ZOOM = 0.45;
const STEP = 80;
const HEADINGS_HEIGHT = 30;
const MARGIN = 24;

/** The map: it is panned and zoomed, and draws what is in view. */
export function MapCanvas(props: MapCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ layout, name, onFocus }: MapCanvasProps) {
  const { sections } = layout;
  const isSmall = useMemo(
    () => sections.reduce((sum, { graph }) => sum + graph.nodes.length, 0) <= FEW_NODES,
    [sections],
  );
  const near = useStore(
    useCallback(
      (state: ReactFlowState) => (isSmall ? `0:${sections.length}` : sectionsNear(state, sections)),
      [sections, isSmall],
    ),
  );
  const { nodes, edges } = useMemo(() => {
    const [from = 0, to = 0] = near.split(":").map(Number);
    return flowOf(sections, from, to);
  }, [sections, near]);
  const hasDetail = useStore(showsDetail);
  const fit = useFit(layout, name);
  const { getViewport, setViewport } = useReactFlow();

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (!(event.target instanceof HTMLElement) || event.target.closest("button")) return;
    const id = event.target.closest<HTMLElement>(".react-flow__node")?.dataset.id;
    if (id !== undefined && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      return onFocus(nodeIdOf(id));
    }
    const [dx, dy] = STEPS[event.key] ?? [0, 0];
    if (dx === 0 && dy === 0) return;
    event.preventDefault();
    const { x, y, zoom } = getViewport();
    void setViewport({ x: x + dx, y: y + dy, zoom });
  };

  return (
    <DetailContext value={hasDetail}>
      <FocusContext value={layout.focus}>
        <div className={styles.flow}>
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onlyRenderVisibleElements
            nodesDraggable={false}
            nodesConnectable={false}
            elementsSelectable={false}
            edgesFocusable={false}
            panOnScroll
            zoomOnDoubleClick={false}
            minZoom={LEAST_ZOOM}
            maxZoom={1.5}
            proOptions={{ hideAttribution: true }}
            deleteKeyCode={null}
            selectionKeyCode={null}
            multiSelectionKeyCode={null}
            onNodeClick={(_, { id }) => onFocus(nodeIdOf(id))}
            onKeyDown={onKeyDown}
            tabIndex={0}
            aria-label="Map"
            aria-describedby="map-description"
            ariaLabelConfig={LABELS}
          >
            <Background gap={24} />
            <Controls
              orientation="horizontal"
              showFitView={false}
              showInteractive={false}
              aria-label="Zoom"
            >
              <ControlButton onClick={fit} aria-label="Fit the map" title="Fit the map">
                <Maximize aria-hidden style={{ fill: "none" }} />
              </ControlButton>
            </Controls>
            {isSmall && hasShape(sections) && (
              <MiniMap
                pannable
                style={{ width: 132, height: 96 }}
                ariaLabel="The whole map, small"
                nodeColor="var(--map-hollow)"
                nodeStrokeWidth={0}
              />
            )}
          </ReactFlow>
        </div>
      </FocusContext>
      <Headings />
    </DetailContext>
  );
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
  PageUp: [0, 6 * STEP],
  PageDown: [0, -6 * STEP],
};

const LABELS = {
  "node.a11yDescription.default": "Press Enter to see what it uses and who uses it.",
  "node.a11yDescription.keyboardDisabled": "Press Enter to see what it uses and who uses it.",
  "controls.zoomIn.ariaLabel": "Zoom in",
  "controls.zoomOut.ariaLabel": "Zoom out",
};

/** Whether the map is about as high as it is wide. */
function hasShape(sections: readonly PlacedSection[]): boolean {
  const last = sections.at(-1);
  if (!last) return false;
  const width = Math.max(...sections.map(({ graph }) => graph.width));
  return last.top + last.graph.height < MOST_RATIO * width;
}

const showsDetail = ({ transform }: ReactFlowState) => transform[2] >= DETAIL_ZOOM;

/** The sections in view and one screen around it, as `from:to`. */
function sectionsNear(
  { transform: [, y, zoom], height }: ReactFlowState,
  sections: readonly PlacedSection[],
): string {
  const top = (-y - height) / zoom;
  const bottom = (-y + 2 * height) / zoom;
  const from = sections.findIndex((section) => section.top + section.graph.height >= top);
  if (from < 0) return "0:0";
  const after = sections.findIndex((section) => section.top > bottom);
  return `${from}:${after < 0 ? sections.length : after}`;
}

/**
 * Fits the map into the canvas when there is another one. A map that would be too small begins at its left top corner, or
 * where the node is that it is about. When the focus on a node ends, the map is where it was before. Returns a function that fits it.
 */
function useFit(layout: MapLayout, name: string): () => void {
  const { sections, focus } = layout;
  const { getViewport, setViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const before = useRef<{ name: string; focus: string } | null>(null);
  const left = useRef<Viewport | null>(null);

  const fit = useCallback(() => {
    void setViewport(viewportFor(layout, width, height));
  }, [layout, width, height, setViewport]);

  useEffect(() => {
    if (sections.length === 0 || width === 0) return;
    const last = before.current;
    before.current = { name, focus };
    if (last?.name === name && last.focus === focus) return;
    if (last?.focus === "" && focus !== "") left.current = getViewport();
    const isBack = last?.name === name && last.focus !== "" && focus === "";
    if (isBack && left.current) return void setViewport(left.current);
    fit();
  }, [sections, width, name, focus, fit, getViewport, setViewport]);
  return fit;
}

function viewportFor({ sections, focus }: MapLayout, width: number, height: number): Viewport {
  const last = sections.at(-1);
  // What is still to come has backends too.
  const mapWidth = Math.max(columnX(LEAST_COLUMNS), ...sections.map(({ graph }) => graph.width));
  const mapHeight = last ? last.top + last.graph.height : 0;
  const lefts = sections.flatMap(({ graph }) => graph.nodes.map(({ x }) => x));
  const mapLeft = lefts.reduce((least, x) => Math.min(least, x), mapWidth);
  const roomX = width - 2 * MARGIN;
  const roomY = height - HEADINGS_HEIGHT - 2 * MARGIN;
  const byWidth = Math.min(1, roomX / (mapWidth - mapLeft));
  const whole = Math.min(byWidth, roomY / mapHeight);
  const zoom = Math.max(whole >= LEAST_FIT ? whole : byWidth, LEAST_FIT);
  const spare = Math.max(0, roomX - (mapWidth - mapLeft) * zoom) / 2;
  const spareY = roomY - mapHeight * zoom;
  const middle = roomY / 2 - middleOf(sections, focus) * zoom;
  const above = spareY >= 0 ? spareY / 3 : Math.min(0, Math.max(middle, spareY));
  return { x: MARGIN + spare - mapLeft * zoom, y: HEADINGS_HEIGHT + MARGIN + above, zoom };
}

/** The middle of a node, from the top of the map; 0 without one. */
function middleOf(sections: readonly PlacedSection[], id: string): number {
  for (const { graph, top } of sections) {
    const placed = graph.nodes.find(({ node }) => node.id === id);
    if (placed) return top + placed.y + placed.height / 2;
  }
  return 0;
}

const HEADINGS = ["Hostports", "Edges", "Routes, in match order", "Backends"];

/** What the columns are, above them wherever the map is. */
function Headings() {
  const { x, zoom } = useViewport();
  if (zoom < HEADINGS_ZOOM) return null;
  return (
    <div className={styles.headings} aria-hidden>
      {HEADINGS.map((heading, column) => {
        const width = (columnX(column + 1) - columnX(column)) * zoom;
        const isLast = column === BACKEND_COLUMN;
        return (
          <span
            key={heading}
            className={styles.heading}
            style={{ left: x + columnX(column) * zoom, ...(!isLast && { maxWidth: width }) }}
          >
            {heading}
          </span>
        );
      })}
    </div>
  );
}
