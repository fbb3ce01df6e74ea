import type { Fields } from "../transports.js";
import { keyOf, orderedBy } from "./orders.js";
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
  const others = [
    ...[item.endpointConfigurationId, item.sshCertificateAuthorityId, item.certificateId],
    ...[item.httpEndpointConfigurationId, item.httpsEndpointConfigurationId],
  ];
  const children = Array.isArray(backends) ? backends : Object.keys(backends ?? {});
  return [
    ...[...one, ...others].filter((id) => typeof id === "string"),
    ...((ipRestriction ?? item).ipPolicyIds ?? []),
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

/** What a text search looks through. */
const linesOf = (item: Plain): string[] => {
  const { description, metadata, hostports, address, addr, domain } = item;
  const names = item.subjectAlternativeNames;
  const ofCertificate = names ? [item.subjectCommonName, ...names.dnsNames] : [];
  const own = [...(hostports ?? []), address, addr, domain, ...ofCertificate];
  return [description, metadata, ...own].flatMap((text) => (text ?? "").toLowerCase().split("\n"));
};

const isSameHostport = (one: string, other: string) => keyOf("ADDR", one) === keyOf("ADDR", other);

const FINDS: Readonly<Record<string, Finds>> = {
  ids: ({ id }, ids: readonly string[]) => ids.includes(id),
  search: (item, text: string) => {
    const wanted = text.trim().toLowerCase();
    const isSingle = [...wanted].length === 1;
    return linesOf(item).some((line) =>
      isSingle ? line.startsWith(wanted) : line.includes(wanted),
    );
  },
  createdAfter: ({ createdAt }, time: string) => createdAt >= new Date(time),
  createdBefore: ({ createdAt }, time: string) => createdAt < new Date(time),
  updatedAfter: ({ updatedAt }, time: string) => updatedAt >= new Date(time),
  updatedBefore: ({ updatedAt }, time: string) => updatedAt < new Date(time),
  hostport: ({ hostports }, wanted: string) =>
    hostports.some((each: string) => isSameHostport(each, wanted)),
  addr: ({ addr }, wanted: string) => isSameHostport(addr, wanted),
  domain: ({ domain }, wanted: string) => keyOf("DOMAIN", domain) === keyOf("DOMAIN", wanted),
  address: ({ address }, wanted: string) => isSameHostport(address, wanted),
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
  ipPolicyId: (item, id: string) => refersTo(item).includes(id),
  matchPrefix: ({ match }, prefix: string) => match.startsWith(prefix),
  endpointConfigurationId: (item, id: string) => refersTo(item).includes(id),
  attached: ({ endpointConfigurationId }, attached: boolean) =>
    (endpointConfigurationId !== null) === attached,
  dnsName: ({ subjectAlternativeNames: { dnsNames } }, wanted: string) => {
    const [, ...domain] = wanted.toLowerCase().split(".");
    const covering = [wanted.toLowerCase(), ["*", ...domain].join(".")];
    return dnsNames.some((name: string) => covering.includes(name.toLowerCase()));
  },
  aclRule: ({ acl }, rule: string) => acl.includes(rule),
  principal: ({ principals }, principal: string) => principals.includes(principal),
  expiringBefore: ({ validUntil, notAfter }, time: string) =>
    (validUntil ?? notAfter) < new Date(time),
};

/** What demands nothing. */
function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isEmpty);
  return value === null || value === undefined || value === "";
}

/** Whether a resource meets all members of a filter; those without a rule of their own are equal to a member. */
function meets(world: World, item: Plain, filter: Fields): boolean {
  return Object.entries(filter).every(([name, value]) => {
    if (isEmpty(value)) return true;
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

/** An id; in another order than that of creation the name of the field, the value of the resource, and its id. */
export function cursorOf(item: Plain, field: string): string {
  if (field === "CREATED_AT") return item.id;
  const content = [field.toLowerCase(), orderedBy(field, item), item.id];
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}

/** What a cursor says: an id, or with a value as it was. */
function placeOfCursor(cursor: string, field: string, created: (id: string) => Place): Place {
  if (field === "CREATED_AT") return created(cursor);
  const [, value, id] = JSON.parse(Buffer.from(cursor, "base64url").toString());
  return [keyOf(field, value), ksuid(id)];
}

/** A page of `items`, as a connection is shown. `byId` orders them by their whole ids, whatever their kinds. */
export function connection(world: World, items: readonly Plain[], args: Arguments, byId = false) {
  const { after, before, filter, orderBy } = args;
  const field = orderBy?.field ?? "CREATED_AT";
  const sign = orderBy?.direction === "ASC" ? 1 : -1;
  const created = (id: string): Place => [byId ? id : ksuid(id)];
  const place = (item: Plain): Place =>
    field === "CREATED_AT"
      ? created(item.id)
      : [keyOf(field, orderedBy(field, item)), ksuid(item.id)];
  const found = items.filter((item) => meets(world, item, filter ?? {}));
  const isPast = (item: Plain, cursor: string) =>
    sign * compare(place(item), placeOfCursor(cursor, field, created));
  const range = found
    .filter((item) => after == null || isPast(item, after) > 0)
    .filter((item) => before == null || isPast(item, before) < 0)
    .sort((one, other) => sign * compare(place(one), place(other)));
  return pageOf(range, found.length, args, (item) => cursorOf(item, field));
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
