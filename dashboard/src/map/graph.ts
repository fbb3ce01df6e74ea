import { byMatchOrder } from "../edges/match-order.js";
import type {
  BackendOnMapFragment,
  HttpsEdgeOnMapFragment,
  RouteOnMapFragment,
  TcpEdgeOnMapFragment,
  TlsEdgeOnMapFragment,
} from "../generated/operations.js";
import { kindOf } from "../resources/kinds.js";
import { titleOf } from "../resources/references.js";
import { capitalized, counted, firstText, words } from "../words.js";

// What is on the map, before it has a place: resources and hostports, and the links between them.

export type MapEdge = HttpsEdgeOnMapFragment | TlsEdgeOnMapFragment | TcpEdgeOnMapFragment;
export type MapBackend = BackendOnMapFragment;

/** A run of edges, and of backends that nothing on the map leads to: it is laid out by itself. */
export interface Section {
  readonly edges: readonly MapEdge[];
  /** Ids of backends. */
  readonly alone: readonly string[];
}

/** What was read of the server. */
export interface MapData {
  readonly sections: readonly Section[];
  readonly backends: ReadonlyMap<string, MapBackend>;
  /** Ids of backends that no edge uses, also not through other backends. */
  readonly unused: ReadonlySet<string>;
}

export interface Chip {
  readonly text: string;
  readonly enabled: boolean;
}

type NodeKind = "hostport" | "edge" | "route" | "backend";

export interface GraphNode {
  /** The id of the resource; `hostport:` and the hostport in lower case for a hostport. */
  readonly id: string;
  readonly kind: NodeKind;
  /** The type of the resource, such as `HttpsEdge`; `Hostport` for a hostport. */
  readonly typename: string;
  /** The column from the left, from 0 on. */
  readonly column: number;
  /** What it is, in a word or two. */
  readonly label: string;
  readonly title: string;
  /** What else tells it from others; "" when nothing. */
  readonly detail: string;
  readonly chips: readonly Chip[];
  readonly isUnused: boolean;
  /** Of a hostport: whether several edges have it. */
  readonly isConflict: boolean;
}

export interface GraphLink {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** The place in the failover order, or the share of the requests; "" for others. */
  readonly label: string;
  /** Whether requests take it: not when the module is disabled, or the weight is 0. */
  readonly enabled: boolean;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly links: readonly GraphLink[];
}

export const BACKEND_COLUMN = 3;

/** The graph of a section. A backend that several sections use is in each of them. */
export function graphOf(section: Section, data: MapData): Graph {
  const nodes = new Map<string, GraphNode>();
  const links = new Map<string, GraphLink>();
  const owners = hostportOwners(data);
  const add = (node: GraphNode) => nodes.set(node.id, node);
  const link = (source: string, target: string, label = "", enabled = true) => {
    const id = `${source}>${target}`;
    links.set(id, { id, source, target, label, enabled });
  };
  const addBackend = (id: string, column: number) => {
    const backend = data.backends.get(id);
    if (!backend || (nodes.get(id)?.column ?? -1) >= column) return;
    add(backendNode(backend, column, data.unused.has(id)));
    for (const { child, label, enabled } of childrenOf(backend)) {
      if (!data.backends.has(child)) continue;
      link(id, child, label, enabled);
      addBackend(child, column + 1);
    }
  };
  const addBackendOf = (user: string, module: MapRoute["backend"]) => {
    if (!module) return;
    if (!data.backends.has(module.backend.id)) return;
    link(user, module.backend.id, "", module.enabled);
    addBackend(module.backend.id, BACKEND_COLUMN);
  };
  for (const edge of section.edges) {
    for (const hostport of edge.hostports) {
      const id = hostportId(hostport);
      add(hostportNode(hostport, owners.get(id)?.size ?? 1));
      link(id, edge.id);
    }
    add(edgeNode(edge));
    if (edge.__typename !== "HttpsEdge") {
      addBackendOf(edge.id, edge.backend);
      continue;
    }
    const routes = [...edge.routes.nodes].sort(byMatchOrder);
    for (const [index, route] of routes.entries()) {
      add(routeNode(route, routes.length > 1 ? `${index + 1}. ` : ""));
      link(edge.id, route.id);
      addBackendOf(route.id, route.backend);
    }
  }
  for (const id of section.alone) addBackend(id, BACKEND_COLUMN);
  return { nodes: [...nodes.values()], links: [...links.values()] };
}

type MapRoute = RouteOnMapFragment;

/** The ids of the backends that edges, routes and backends lead to directly. */
export function backendsOf(edges: readonly MapEdge[]): string[] {
  return edges.flatMap((edge) => {
    const users = edge.__typename === "HttpsEdge" ? edge.routes.nodes : [edge];
    return users.flatMap(({ backend }) => (backend ? [backend.backend.id] : []));
  });
}

interface Child {
  readonly child: string;
  readonly label: string;
  readonly enabled: boolean;
}

/** The backends that a backend chooses from, in its order. */
export function childrenOf(backend: MapBackend): Child[] {
  if (backend.__typename === "FailoverBackend") {
    return backend.failover.map(({ id }, index) => ({
      child: id,
      label: `${index + 1}.`,
      enabled: true,
    }));
  }
  if (backend.__typename !== "WeightedBackend") return [];
  const total = backend.weighted.reduce((sum, { weight }) => sum + weight, 0);
  return backend.weighted.flatMap(({ weight, backend: child }) =>
    child
      ? [{ child: child.id, label: shareOf(weight, total), enabled: weight > 0 || total === 0 }]
      : [],
  );
}

function shareOf(weight: number, total: number): string {
  if (total === 0) return "0%";
  const percent = (100 * weight) / total;
  return `${percent.toLocaleString("en", { maximumFractionDigits: percent < 10 ? 1 : 0 })}%`;
}

/** The part of graphs that one node uses, and that uses it, directly or through others: as one graph. */
export function aroundNode(graphs: readonly Graph[], id: string): Graph {
  const sources = new Map<string, string[]>();
  const targets = new Map<string, string[]>();
  for (const { links } of graphs) {
    for (const { source, target } of links) {
      push(targets, source, target);
      push(sources, target, source);
    }
  }
  const kept = new Set([...reach(id, sources), ...reach(id, targets)]);
  const nodes = new Map<string, GraphNode>();
  const links = new Map<string, GraphLink>();
  for (const graph of graphs) {
    for (const node of graph.nodes) {
      const known = nodes.get(node.id);
      if (!kept.has(node.id) || (known && known.column >= node.column)) continue;
      nodes.set(node.id, node);
    }
    for (const link of graph.links) {
      if (kept.has(link.source) && kept.has(link.target)) links.set(link.id, link);
    }
  }
  return { nodes: [...nodes.values()], links: [...links.values()] };
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

function reach(id: string, next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set([id]);
  for (const each of reached) for (const other of next.get(each) ?? []) reached.add(other);
  return reached;
}

function hostportId(hostport: string): string {
  return `hostport:${hostport.toLowerCase()}`;
}

/** The ids of the edges that have each hostport. */
function hostportOwners({ sections }: MapData): ReadonlyMap<string, ReadonlySet<string>> {
  const known = ownersBySections.get(sections);
  if (known) return known;
  const owners = new Map<string, Set<string>>();
  for (const { edges } of sections) {
    for (const { id, hostports } of edges) {
      for (const hostport of hostports) {
        const key = hostportId(hostport);
        const ids = owners.get(key) ?? new Set();
        owners.set(key, ids.add(id));
      }
    }
  }
  ownersBySections.set(sections, owners);
  return owners;
}

const ownersBySections = new WeakMap<
  readonly Section[],
  ReadonlyMap<string, ReadonlySet<string>>
>();

function hostportNode(hostport: string, owners: number): GraphNode {
  const isConflict = owners > 1;
  return {
    ...PLAIN,
    id: hostportId(hostport),
    kind: "hostport",
    typename: "Hostport",
    column: 0,
    label: isConflict ? `On ${counted(owners, "edge")}` : "Hostport",
    title: hostport,
    isConflict,
  };
}

function edgeNode(edge: MapEdge): GraphNode {
  return {
    ...PLAIN,
    id: edge.id,
    kind: "edge",
    typename: edge.__typename,
    column: 1,
    label: kindOf(edge.__typename).singular,
    title: firstText(edge.description, edge.hostports[0], edge.id),
    chips: chipsOf(edge),
  };
}

/** `place` is that in the match order. */
function routeNode(route: MapRoute, place: string): GraphNode {
  return {
    ...PLAIN,
    id: route.id,
    kind: "route",
    typename: route.__typename,
    column: 2,
    label: `${place}${words(route.matchType)}`,
    title: route.match,
    detail: route.description,
    chips: chipsOf(route),
  };
}

function backendNode(backend: MapBackend, column: number, isUnused: boolean): GraphNode {
  const title = titleOf(backend);
  const label = capitalized(kindOf(backend.__typename).singular);
  return {
    ...PLAIN,
    id: backend.id,
    kind: "backend",
    typename: backend.__typename,
    column,
    label: isUnused ? `${label}, unused` : label,
    title: firstText(backend.description, title, backend.id),
    detail: backend.description.trim() ? title : "",
    isUnused,
  };
}

const PLAIN = { detail: "", chips: [], isUnused: false, isConflict: false } as const;

/** The modules that are set, but the backend, which is a node of its own. */
function chipsOf(owner: MapEdge | MapRoute): Chip[] {
  return Object.entries(owner).flatMap(([name, module]) =>
    name !== "backend" && isModule(module) ? [{ text: words(name), enabled: module.enabled }] : [],
  );
}

function isModule(value: unknown): value is { enabled: boolean } {
  if (typeof value !== "object" || value === null) return false;
  return "enabled" in value && typeof value.enabled === "boolean";
}
