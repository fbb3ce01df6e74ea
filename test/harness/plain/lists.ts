import type { Fields } from "../transports.js";
import type { Plain, World } from "./world.js";

// What lists find, in which order and on which page, said once more in plain loops.

/** A condition of a filter, about a resource. Enumerations are in the domain's spelling. */
type Finds = (item: Plain, value: never, world: World) => boolean;

/** A module of each that is on, off or set at all. */
interface WantedModule {
  readonly kind: string;
  readonly enabled?: boolean | null;
}

const hasModule = (item: Plain, { kind, enabled }: WantedModule) =>
  item[kind] != null && (enabled == null || item[kind].enabled === enabled);

/** The ids of everything that a resource refers to. */
export function refersTo(item: Plain): string[] {
  const { backend, ipRestriction, mutualTls, backends } = item;
  const one = [item.edgeId, item.ipPolicyId, backend?.backendId];
  const others = [item.endpointConfigurationId, item.sshCertificateAuthorityId];
  const children = Array.isArray(backends) ? backends : Object.keys(backends ?? {});
  return [
    ...[...one, ...others].filter((id) => typeof id === "string"),
    ...(ipRestriction?.ipPolicyIds ?? []),
    ...(mutualTls?.certificateAuthorityIds ?? []),
    ...children,
  ];
}

export function usersOf(world: World, id: string): Plain[] {
  return [...world.rows.values()].filter((item) => refersTo(item).includes(id));
}

/** The ids of a backend and of all backends above it. */
function withAncestors(world: World, id: string): string[] {
  const above = usersOf(world, id).filter(({ id }) => id.startsWith("bkd"));
  return [id, ...above.flatMap((parent) => withAncestors(world, parent.id))];
}

const routesOf = (world: World, { id }: Plain) =>
  world.of("httpsEdgeRoute").filter(({ edgeId }) => edgeId === id);

const FINDS: Readonly<Record<string, Finds>> = {
  ids: ({ id }, ids: readonly string[]) => ids.includes(id),
  search: ({ description, metadata }, text: string) =>
    `${description}\n${metadata}`.toLowerCase().includes(text.toLowerCase()),
  createdAfter: ({ createdAt }, time: string) => createdAt >= new Date(time),
  createdBefore: ({ createdAt }, time: string) => createdAt < new Date(time),
  unused: ({ id }, unused: boolean, world) => {
    const isPart = (user: Plain) => user.edgeId === id || user.ipPolicyId === id;
    return usersOf(world, id).some((user) => !isPart(user)) !== unused;
  },
  kind: ({ kind }, wanted: string) => kind === wanted,
  module: (item, module: WantedModule, world) =>
    [item, ...routesOf(world, item)].some((owner) => hasModule(owner, module)),
  backendId: (item, id: string, world) => {
    const all = withAncestors(world, id);
    return [item, ...routesOf(world, item)].some(({ backend }) => all.includes(backend?.backendId));
  },
  matchPrefix: ({ match }, prefix: string) => match.startsWith(prefix),
  attached: ({ endpointConfigurationId }, attached: boolean) =>
    (endpointConfigurationId !== null) === attached,
  principal: ({ principals }, principal: string) => principals.includes(principal),
  expiringBefore: ({ validUntil, notAfter }, time: string) =>
    (validUntil ?? notAfter) < new Date(time),
};

/** Whether a resource meets all members of a filter; those without a rule of their own are equal to a member. */
function meets(world: World, item: Plain, filter: Fields): boolean {
  return Object.entries(filter).every(([name, value]) => {
    if (value === null || value === undefined) return true;
    const finds = FINDS[name];
    return finds ? finds(item, value as never, world) : item[name] === value;
  });
}

interface Arguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
  readonly filter?: Fields | null;
  readonly orderBy?: { readonly field?: string; readonly direction?: string } | null;
}

/** Where a resource stands in an order: texts that are compared as bytes, one after the other. */
type Place = readonly string[];

const ksuid = (id: string) => id.slice(-27);

function compare(one: Place, other: Place): number {
  for (const [index, text] of one.entries()) {
    const order = Buffer.compare(Buffer.from(text), Buffer.from(other[index] ?? ""));
    if (order !== 0) return order;
  }
  return 0;
}

const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** What a cursor says: an id, or with the description as it was. */
function placeOfCursor(cursor: string, byDescription: boolean, place: (id: string) => Place) {
  if (!byDescription) return place(cursor);
  const [description, id] = JSON.parse(Buffer.from(cursor, "base64url").toString());
  return [folded(description), id];
}

export function cursorOf({ id, description }: Plain, byDescription: boolean): string {
  if (!byDescription) return id;
  return Buffer.from(JSON.stringify([description, id])).toString("base64url");
}

/** A page of `items`, as a connection is shown. `byId` orders them by their whole ids, whatever their kinds. */
export function connection(world: World, items: readonly Plain[], args: Arguments, byId = false) {
  const { after, before, filter, orderBy } = args;
  const byDescription = orderBy?.field === "DESCRIPTION";
  const sign = orderBy?.direction === "ASC" ? 1 : -1;
  const created = (id: string): Place => [byId ? id : ksuid(id)];
  const place = ({ id, description }: Plain): Place =>
    byDescription ? [folded(description), id] : created(id);
  const found = items.filter((item) => meets(world, item, filter ?? {}));
  const isPast = (item: Plain, cursor: string) =>
    sign * compare(place(item), placeOfCursor(cursor, byDescription, created));
  const range = found
    .filter((item) => after == null || isPast(item, after) > 0)
    .filter((item) => before == null || isPast(item, before) < 0)
    .sort((one, other) => sign * compare(place(one), place(other)));
  return pageOf(range, found.length, args, (item) => cursorOf(item, byDescription));
}

/** The part of `range` that is asked for, as a connection is shown. */
export function pageOf<Item>(
  range: readonly Item[],
  totalCount: number,
  { first, last, after, before }: Arguments,
  cursor: (item: Item) => string,
) {
  const size = last ?? first ?? 20;
  const nodes = last == null ? range.slice(0, size) : range.slice(-size);
  const isMore = range.length > size;
  const edges = nodes.map((node) => ({ node, cursor: cursor(node) }));
  return {
    nodes,
    edges,
    totalCount,
    pageInfo: {
      hasNextPage: last == null ? isMore : before != null,
      hasPreviousPage: last == null ? after != null : isMore,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
