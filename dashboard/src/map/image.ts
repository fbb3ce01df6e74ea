import { CHIP_HEIGHT, linkPath, type PlacedNode } from "./boxes.js";
import type { GraphLink } from "./graph.js";
import type { PlacedSection } from "./use-layout.js";

// The whole map as an image, in the colours that it has on the page.

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 32;
const FONT = "system-ui, sans-serif";
/** Browsers make no larger canvas. */
const MOST_SIDE = 16_384;
const MOST_PIXELS = 120_000_000;

/** A colour of the map by its name, such as `text`. */
export type Colors = (name: string) => string;

export interface MapImage {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/** The map as an SVG document, with a rectangle for each node and a path for each link. */
export function drawMap(sections: readonly PlacedSection[], colors: Colors): MapImage {
  const last = sections.at(-1);
  const width = Math.max(0, ...sections.map(({ graph }) => graph.width)) + 2 * MARGIN;
  const height = (last ? last.top + last.graph.height : 0) + 2 * MARGIN;
  const svg = element("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "font-family": FONT,
  });
  svg.append(element("title", {}, "Map of Edgeplane"));
  svg.append(element("rect", { width, height, fill: colors("ground") }));
  const clip = textClipper();
  for (const { graph, top } of sections) {
    const section = element("g", { transform: `translate(${MARGIN} ${top + MARGIN})` });
    const places = new Map(graph.nodes.map((placed) => [placed.node.id, placed]));
    for (const link of graph.links) section.append(...drawLink(link, places, colors));
    for (const placed of graph.nodes) section.append(drawNode(placed, colors, clip));
    svg.append(section);
  }
  return { text: new XMLSerializer().serializeToString(svg), width, height };
}

/** Draws an SVG document, smaller where a browser could not draw it as a whole. Throws when it cannot draw it. */
export async function rasterize({ text, width, height }: MapImage): Promise<Blob> {
  const scale = Math.min(
    2,
    MOST_SIDE / width,
    MOST_SIDE / height,
    Math.sqrt(MOST_PIXELS / (width * height)),
  );
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(width * scale));
  canvas.height = Math.max(1, Math.floor(height * scale));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("The browser could not draw the map.");
  return blob;
}

function drawLink(
  { source, target, label, enabled }: GraphLink,
  places: ReadonlyMap<string, PlacedNode>,
  colors: Colors,
): Element[] {
  const [from, to] = [places.get(source), places.get(target)];
  if (!from || !to) return [];
  const [x, y] = [to.x, to.y + to.height / 2];
  const path = element("path", {
    d: linkPath(from.x + from.width, from.y + from.height / 2, x, y),
    fill: "none",
    stroke: colors("link"),
    "stroke-width": 1.5,
    ...(!enabled && { "stroke-dasharray": "4 4" }),
  });
  if (label === "") return [path];
  const share = element(
    "text",
    {
      x: x - 8,
      y: y + 4,
      "font-size": 11,
      "font-weight": 600,
      "text-anchor": "end",
      fill: colors("text"),
      stroke: colors("ground"),
      "stroke-width": 5,
      "paint-order": "stroke",
    },
    label,
  );
  return [path, share];
}

function drawNode({ node, x, y, width, height, chips }: PlacedNode, colors: Colors, clip: Clip) {
  const group = element("g", { transform: `translate(${x} ${y})`, "data-id": node.id });
  const accent = node.isUnused ? "hollow" : node.isConflict ? "conflict" : node.kind;
  group.append(
    element("title", {}, node.title),
    element("rect", {
      width,
      height,
      rx: 6,
      fill: colors(node.isUnused ? "unused" : "card"),
      stroke: colors(node.isConflict ? "conflict" : "line"),
      ...(node.isUnused && { "stroke-dasharray": "4 3" }),
    }),
    element("rect", { width: 4, height, rx: 2, fill: colors(accent) }),
  );
  const write = (text: string, top: number, size: number, weight: number, color: string) =>
    group.append(
      element(
        "text",
        { x: 12, y: top, "font-size": size, "font-weight": weight, fill: colors(color) },
        clip(text, width - 22, `${weight} ${size}px ${FONT}`),
      ),
    );
  const labelColor = node.isConflict ? "conflict-text" : "dimmed";
  write(node.label, 20, 11, node.isConflict ? 600 : 400, labelColor);
  write(node.title, 37, 13, 600, node.isUnused ? "dimmed" : "text");
  if (node.detail !== "") write(node.detail, 53, 12, 400, "dimmed");
  for (const { text, enabled, x: left, y: top, width: chipWidth } of chips) {
    group.append(
      element("rect", {
        x: left + 0.5,
        y: top + 0.5,
        width: chipWidth - 1,
        height: CHIP_HEIGHT - 1,
        rx: 8.5,
        fill: enabled ? colors("chip") : "none",
        stroke: enabled ? "none" : colors("hollow"),
      }),
      element(
        "text",
        {
          x: left + chipWidth / 2,
          y: top + 13,
          "font-size": 11,
          "font-weight": 500,
          "text-anchor": "middle",
          fill: colors(enabled ? "chip-text" : "dimmed"),
        },
        text,
      ),
    );
  }
  return group;
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  text?: string,
): Element {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** The beginning of a text that has room in `width` pixels. */
type Clip = (text: string, width: number, font: string) => string;

function textClipper(): Clip {
  const context = document.createElement("canvas").getContext("2d");
  return (text, width, font) => {
    if (!context) return text;
    if (context.font !== font) context.font = font;
    const whole = context.measureText(text).width;
    if (whole <= width) return text;
    let length = Math.floor((text.length * width) / whole);
    while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length--;
    return `${text.slice(0, length)}…`;
  };
}
