import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import type { AnyVariables, Client } from "urql";
import { ENUMS } from "../generated/inputs.js";
import {
  BackendsOnMapDocument,
  type HttpsEdgeOnMapFragment,
  HttpsEdgesOnMapDocument,
  MoreRoutesOnMapDocument,
  TcpEdgesOnMapDocument,
  TlsEdgesOnMapDocument,
} from "../generated/operations.js";
import {
  backendsOf,
  childrenOf,
  type MapBackend,
  type MapData,
  type MapEdge,
  type Section,
} from "./graph.js";

// Reads the map page by page, so that its beginning is shown while the rest is still being read.

const EDGES_A_PAGE = 50;
/** Of the first page, which is waited for. */
const FIRST_EDGES = 20;
const EDGES_A_SECTION = 10;
/** A map of so few is one section. */
const FEW_EDGES = 20;
const BACKENDS_A_PAGE = 100;
const BACKENDS_A_SECTION = 50;

/** What of the map is asked for, as the lists of edges take it. */
export interface MapQuery {
  readonly filter: Readonly<Record<string, unknown>>;
  readonly orderBy?: { readonly field: string; readonly direction: string };
}

type Backends = Map<string, MapBackend>;

export function isWhole({ filter }: MapQuery): boolean {
  return Object.keys(filter).length === 0;
}

/** Reads the map. Each value has more of it than the one before; the last one has all. Throws the error of a query. */
export async function* readMap(client: Client, query: MapQuery): AsyncGenerator<MapData> {
  const backends: Backends = new Map();
  const sections: Section[] = [];
  const pages = pagesOf(client, HttpsEdgesOnMapDocument, variablesOf(query), FIRST_EDGES);
  for await (const { nodes, isLast } of pages) {
    const edges = await Promise.all(nodes.map((edge) => withAllRoutes(client, edge)));
    await readBackends(client, backendsOf(edges), backends);
    for (const run of runsOf(edges, EDGES_A_SECTION)) sections.push({ edges: run, alone: [] });
    // A map of few edges comes at once.
    if (!isLast || sections.length * EDGES_A_SECTION > FEW_EDGES) {
      yield { sections: [...sections], backends, unused: new Set() };
    }
  }
  const [tls, tcp, { found, unused }] = await Promise.all([
    readConnectionEdges(client, query, "TlsEdge"),
    readConnectionEdges(client, query, "TcpEdge"),
    readAlone(client, query),
  ]);
  for (const backend of found) backends.set(backend.id, backend);
  await readBackends(
    client,
    [...backendsOf([...tls, ...tcp]), ...found.flatMap(childIds)],
    backends,
  );
  const all = edgeSections([sections.flatMap(({ edges }) => edges), tls, tcp]);
  yield isWhole(query)
    ? wholeMapOf(all, backends)
    : filteredMapOf(all, backends, { found, unused });
}

/** A map without a filter: what no edge leads to is unused. */
export function wholeMapOf(
  sections: readonly (readonly MapEdge[])[],
  backends: ReadonlyMap<string, MapBackend>,
): MapData {
  const used = reachable(backendsOf(sections.flat()), backends);
  const unused = [...backends.keys()].filter((id) => !used.has(id));
  const children = new Set(unused.flatMap((id) => childIds(backends.get(id))));
  const roots = unused.filter((id) => !children.has(id));
  return { sections: withAlone(sections, roots), backends, unused: new Set(unused) };
}

interface Alone {
  readonly found: readonly MapBackend[];
  readonly unused: ReadonlySet<string>;
}

function filteredMapOf(
  sections: readonly (readonly MapEdge[])[],
  backends: Backends,
  { found, unused }: Alone,
): MapData {
  const shown = reachable(backendsOf(sections.flat()), backends);
  const alone = found.map(({ id }) => id).filter((id) => !shown.has(id));
  return { sections: withAlone(sections, alone), backends, unused };
}

/** The edges of each section. Kinds are apart where there is more than one section. */
function edgeSections(kinds: readonly (readonly MapEdge[])[]): (readonly MapEdge[])[] {
  const edges = kinds.flat();
  if (edges.length <= FEW_EDGES) return [edges];
  return kinds.flatMap((kind) => runsOf(kind, EDGES_A_SECTION));
}

/** Backends alone are at the bottom. */
function withAlone(sections: readonly (readonly MapEdge[])[], alone: readonly string[]): Section[] {
  return [
    ...sections.filter(({ length }) => length > 0).map((edges) => ({ edges, alone: [] })),
    ...runsOf(alone, BACKENDS_A_SECTION).map((run) => ({ edges: [], alone: run })),
  ];
}

function runsOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, run) =>
    items.slice(run * size, (run + 1) * size),
  );
}

function reachable(
  ids: readonly string[],
  backends: ReadonlyMap<string, MapBackend>,
): ReadonlySet<string> {
  const reached = new Set(ids);
  for (const id of reached) for (const child of childIds(backends.get(id))) reached.add(child);
  return reached;
}

function childIds(backend: MapBackend | undefined): string[] {
  return backend ? childrenOf(backend).map(({ child }) => child) : [];
}

/** Reads backends by their ids, and all that they choose from, as far as they are not in `backends`. */
export async function readBackends(
  client: Client,
  ids: readonly string[],
  backends: Backends,
): Promise<void> {
  const missing = [...new Set(ids)].filter((id) => !backends.has(id));
  if (missing.length === 0) return;
  const answers = await Promise.all(
    runsOf(missing, BACKENDS_A_PAGE).map((run) =>
      ask(client, BackendsOnMapDocument, { first: BACKENDS_A_PAGE, filter: { ids: run } }),
    ),
  );
  const found = answers.flatMap(({ page }) => page?.nodes ?? []);
  for (const backend of found) backends.set(backend.id, backend);
  await readBackends(client, found.flatMap(childIds), backends);
}

/**
 * The backends that stand by themselves: those that nothing uses, or with a search those that it finds. Other filters
 * are for edges alone.
 */
async function readAlone(client: Client, query: MapQuery): Promise<Alone> {
  const { search, ...others } = query.filter;
  if (Object.keys(others).length > 0) return { found: [], unused: new Set() };
  const filter = typeof search === "string" ? { search } : {};
  const unused = readAll(client, BackendsOnMapDocument, {
    first: BACKENDS_A_PAGE,
    filter: { ...filter, unused: true },
  });
  const found = isWhole(query)
    ? unused
    : readAll(client, BackendsOnMapDocument, { first: BACKENDS_A_PAGE, filter });
  const [all, ids] = await Promise.all([found, unused]);
  return { found: all, unused: new Set(ids.map(({ id }) => id)) };
}

async function readConnectionEdges(
  client: Client,
  query: MapQuery,
  typename: "TlsEdge" | "TcpEdge",
): Promise<MapEdge[]> {
  // A module that these edges cannot have.
  const { module } = query.filter;
  const kind = typeof module === "object" && module && "kind" in module ? module.kind : undefined;
  const kinds = ENUMS[`${typename}ModuleKind`] ?? [];
  if (kind !== undefined && !kinds.some(({ name }) => name === kind)) return [];
  const variables = variablesOf(query);
  return typename === "TlsEdge"
    ? readAll(client, TlsEdgesOnMapDocument, variables)
    : readAll(client, TcpEdgesOnMapDocument, variables);
}

/** An edge has at most 100 routes on its page. */
export async function withAllRoutes(
  client: Client,
  edge: HttpsEdgeOnMapFragment,
): Promise<HttpsEdgeOnMapFragment> {
  const nodes = [...edge.routes.nodes];
  let { pageInfo } = edge.routes;
  while (pageInfo.hasNextPage) {
    const variables = { id: edge.id, after: pageInfo.endCursor };
    const { httpsEdge } = await ask(client, MoreRoutesOnMapDocument, variables);
    if (!httpsEdge) break;
    nodes.push(...httpsEdge.routes.nodes);
    pageInfo = httpsEdge.routes.pageInfo;
  }
  return { ...edge, routes: { nodes, pageInfo } };
}

/** What the lists of edges take is written in the URL, and checked by the server. */
function variablesOf({ filter, orderBy }: MapQuery): never {
  return { first: EDGES_A_PAGE, filter, ...(orderBy && { orderBy }) } as never;
}

interface Listed<Item> {
  readonly page: {
    readonly nodes: readonly Item[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  } | null;
}

interface Page<Item> {
  readonly nodes: readonly Item[];
  readonly isLast: boolean;
}

/** The pages of a list; the first one has at most `first` items. */
async function* pagesOf<Item, Variables extends AnyVariables>(
  client: Client,
  document: TypedDocumentNode<Listed<Item>, Variables>,
  variables: Variables,
  first?: number,
): AsyncGenerator<Page<Item>> {
  let place: { readonly after?: string | null; readonly first?: number } =
    first === undefined ? {} : { first };
  for (;;) {
    const { page }: Listed<Item> = await ask(client, document, { ...variables, ...place });
    if (!page) return;
    const { hasNextPage, endCursor } = page.pageInfo;
    yield { nodes: page.nodes, isLast: !hasNextPage };
    if (!hasNextPage) return;
    place = { after: endCursor };
  }
}

async function readAll<Item, Variables extends AnyVariables>(
  client: Client,
  document: TypedDocumentNode<Listed<Item>, Variables>,
  variables: Variables,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { nodes } of pagesOf(client, document, variables)) items.push(...nodes);
  return items;
}

/** Throws the error of the query, if it has one. */
export async function ask<Data, Variables extends AnyVariables>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const { data, error } = await client
    .query(document, variables, { requestPolicy: "network-only" })
    .toPromise();
  if (error) throw error;
  if (data === undefined) throw new Error("The server sent no data.");
  return data;
}
