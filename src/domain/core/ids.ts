import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import KSUID from "ksuid";
import type { BackendKind } from "./enumerations.js";
import { withCapital } from "./names.js";

/** Characters of an id after its prefix. */
export const KSUID_LENGTH = 27;

/** The kinds of resources: the name in a sentence, the prefix of the ids (specification, section 2), and the table. */
export const RESOURCES = {
  agentIngress: {
    prefix: "agin",
    name: "agent ingress",
    plural: "agent ingresses",
    table: "agent_ingresses",
  },
  apiKey: { prefix: "ak", name: "API key", plural: "API keys", table: "api_keys" },
  failoverBackend: {
    prefix: "bkdfo",
    name: "failover backend",
    plural: "failover backends",
    table: "backends",
  },
  httpResponseBackend: {
    prefix: "bkdhr",
    name: "HTTP response backend",
    plural: "HTTP response backends",
    table: "backends",
  },
  staticBackend: {
    prefix: "bkdsc",
    name: "static backend",
    plural: "static backends",
    table: "backends",
  },
  tunnelGroupBackend: {
    prefix: "bkdtg",
    name: "tunnel group backend",
    plural: "tunnel group backends",
    table: "backends",
  },
  weightedBackend: {
    prefix: "bkdwd",
    name: "weighted backend",
    plural: "weighted backends",
    table: "backends",
  },
  certificateAuthority: {
    prefix: "ca",
    name: "certificate authority",
    plural: "certificate authorities",
    table: "certificate_authorities",
  },
  endpointConfiguration: {
    prefix: "ec",
    name: "endpoint configuration",
    plural: "endpoint configurations",
    table: "endpoint_configurations",
  },
  httpsEdge: { prefix: "edghts", name: "HTTPS edge", plural: "HTTPS edges", table: "https_edges" },
  httpsEdgeRoute: {
    prefix: "edghtsrt",
    name: "HTTPS edge route",
    plural: "HTTPS edge routes",
    table: "https_edge_routes",
  },
  tlsEdge: { prefix: "edgtls", name: "TLS edge", plural: "TLS edges", table: "tls_edges" },
  tcpEdge: { prefix: "edgtcp", name: "TCP edge", plural: "TCP edges", table: "tcp_edges" },
  ipPolicy: { prefix: "ipp", name: "IP policy", plural: "IP policies", table: "ip_policies" },
  ipPolicyRule: {
    prefix: "ipr",
    name: "IP policy rule",
    plural: "IP policy rules",
    table: "ip_policy_rules",
  },
  ipRestriction: {
    prefix: "ipx",
    name: "IP restriction",
    plural: "IP restrictions",
    table: "ip_restrictions",
  },
  reservedAddr: {
    prefix: "ra",
    name: "reserved address",
    plural: "reserved addresses",
    table: "reserved_addrs",
  },
  reservedDomain: {
    prefix: "rd",
    name: "reserved domain",
    plural: "reserved domains",
    table: "reserved_domains",
  },
  sshCertificateAuthority: {
    prefix: "sshca",
    name: "SSH certificate authority",
    plural: "SSH certificate authorities",
    table: "ssh_certificate_authorities",
  },
  sshCredential: {
    prefix: "sshcr",
    name: "SSH credential",
    plural: "SSH credentials",
    table: "ssh_credentials",
  },
  sshHostCertificate: {
    prefix: "shcrt",
    name: "SSH host certificate",
    plural: "SSH host certificates",
    table: "ssh_host_certificates",
  },
  sshUserCertificate: {
    prefix: "sucrt",
    name: "SSH user certificate",
    plural: "SSH user certificates",
    table: "ssh_user_certificates",
  },
  tlsCertificate: {
    prefix: "cert",
    name: "TLS certificate",
    plural: "TLS certificates",
    table: "tls_certificates",
  },
} as const;

export type ResourceKind = keyof typeof RESOURCES;

export const RESOURCE_KINDS = Object.keys(RESOURCES) as ResourceKind[];

/** The name of the type of a kind of resources, in GraphQL and in the OpenAPI document. */
export function typeNameOf(kind: ResourceKind): string {
  return withCapital(kind);
}

/** One resource of a kind in a sentence: "an HTTPS edge". Letters that are spelled out count as they are spoken. */
export function oneOfKind(kind: ResourceKind): string {
  const { name } = RESOURCES[kind];
  return `${/^[aeiou]|^[AEFHILMNORSX][A-Z]/.test(name) ? "an" : "a"} ${name}`;
}

/** What is served on hostports, in the order in which edges of several kinds are named. */
export const EDGES = ["httpsEdge", "tlsEdge", "tcpEdge"] as const satisfies readonly ResourceKind[];

export type EdgeKind = (typeof EDGES)[number];

export const LEAF_BACKENDS = [
  "httpResponseBackend",
  "staticBackend",
  "tunnelGroupBackend",
] as const;
export const BACKENDS = [...LEAF_BACKENDS, "weightedBackend", "failoverBackend"] as const;

/** The kinds of backends, as the column of their common table names them, and as ids do. */
export const BACKEND_KINDS = {
  failover: "failoverBackend",
  http_response: "httpResponseBackend",
  static: "staticBackend",
  tunnel_group: "tunnelGroupBackend",
  weighted: "weightedBackend",
} as const satisfies Record<BackendKind, ResourceKind>;

const KINDS_BY_PREFIX = new Map(
  Object.entries(RESOURCES).map(([kind, { prefix }]) => [prefix as string, kind as ResourceKind]),
);

const ID = /^([a-z]+)_[0-9A-Za-z]{1,64}$/;

/** The ids of resources of `kinds`, as a regular expression. */
export function idPattern(...kinds: readonly ResourceKind[]): string {
  const prefixes = kinds.map((kind) => RESOURCES[kind].prefix);
  return `^(?:${prefixes.join("|")})_[0-9A-Za-z]{1,64}$`;
}

/** The kind of resource, from the prefix of `id`; null when it is not the id of a resource. */
export function kindOfId(id: string): ResourceKind | null {
  return KINDS_BY_PREFIX.get(ID.exec(id)?.[1] ?? "") ?? null;
}

/**
 * A new id: prefix, `_` and a 27-character KSUID. Comparing ids as bytes is creation order: the KSUID
 * begins with the second, then comes the millisecond and a counter, then random bytes. A clock that is
 * set back does not turn the order round.
 */
export function newId(kind: ResourceKind): string {
  return newIdWithTime(kind).id;
}

/** A new id and the time in it, to the millisecond: never earlier than that of an id before. */
export function newIdWithTime(kind: ResourceKind): NewId {
  const run = runs.getStore();
  const before = run?.made[run.next];
  if (run && before?.kind === kind) {
    run.next++;
    return before;
  }
  const { ksuid, time } = orderedKsuid();
  const made = { kind, id: `${RESOURCES[kind].prefix}_${ksuid}`, time: new Date(time) };
  // A run that makes another resource than the one before it has taken another way.
  run?.made.splice(run.next++, Number.POSITIVE_INFINITY, made);
  return made;
}

interface NewId {
  readonly id: string;
  readonly time: Date;
}

/** What a run has made up to now, and what the runs before it have made. */
interface Run {
  readonly made: (NewId & { readonly kind: ResourceKind })[];
  next: number;
}

const runs = new AsyncLocalStorage<Run>();

/** Returns a function that runs an action, which makes the same ids in each of its runs. */
export function withSameIds(): <Result>(action: () => Promise<Result>) => Promise<Result> {
  const made: Run["made"] = [];
  return (action) => runs.run({ made, next: 0 }, action);
}

/** A new operation id: `op_` and a KSUID. */
export function newOperationId(): string {
  return `op_${orderedKsuid().ksuid}`;
}

/** The id of an account that was made at `time`, as a UUID says: `ac_` and a KSUID. */
export function accountIdOf(uuid: string, time: Date): string {
  const payload = Buffer.from(uuid.replaceAll("-", ""), "hex");
  return `ac_${KSUID.fromParts(time.getTime(), payload).string}`;
}

const FIRST_TIME = 14e11;
const LAST_TIME = FIRST_TIME + (2 ** 32 - 1) * 1000;
const ABOVE_ALL = "~";

/** The lower bound, after the prefix and compared as bytes, of all ids made at `time` (in milliseconds) or later. */
export function lowestKsuidOf(time: Date): string {
  const from = Math.max(time.getTime(), FIRST_TIME);
  if (from > LAST_TIME) return ABOVE_ALL;
  const payload = Buffer.alloc(16);
  payload.writeUInt16BE(from % 1000, 0);
  return KSUID.fromParts(from, payload).string;
}

let lastMillisecond = 0;
let sequence = 0;

function orderedKsuid(): { ksuid: string; time: number } {
  const now = Math.max(Date.now(), lastMillisecond);
  sequence = now === lastMillisecond ? sequence + 1 : 0;
  lastMillisecond = now;
  const payload = randomBytes(16);
  payload.writeUInt16BE(now % 1000, 0);
  payload.writeUInt32BE(sequence, 2);
  return { ksuid: KSUID.fromParts(now, payload).string, time: now };
}
