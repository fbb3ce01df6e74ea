import { Prisma } from "../../database/index.js";
import { type BackendKind, backendKind } from "../core/enumerations.js";
import { identifier, REFERENCES } from "../storage/graph.js";
import type { Resource } from "../storage/rows.js";
import {
  boolean,
  type Field,
  type FieldsOf,
  idsOf,
  integer,
  nullable,
  oneOf,
  plainOf,
  stringMap,
  text,
} from "./fields.js";

// Backends of all kinds are one table.

/** Sends a request to its children in order until one can serve it. */
export interface FailoverBackend extends Resource {
  readonly kind: "failover";
  /** The ids of its children, in order; at most 50. */
  readonly backends: readonly string[];
}

/** Answers every request with the same response. */
export interface HttpResponseBackend extends Resource {
  readonly kind: "http_response";
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Forwards to one address. */
export interface StaticBackend extends Resource {
  readonly kind: "static";
  readonly address: string;
  readonly tls: { readonly enabled: boolean };
}

/** Forwards to the tunnels that have all of its labels. */
export interface TunnelGroupBackend extends Resource {
  readonly kind: "tunnel_group";
  readonly labels: Readonly<Record<string, string>>;
}

/** Spreads requests over its children in proportion to their weights. */
export interface WeightedBackend extends Resource {
  readonly kind: "weighted";
  /** Weights, 0 to 10000, by the ids of its children. */
  readonly backends: Readonly<Record<string, number>>;
}

export type Backend =
  | FailoverBackend
  | HttpResponseBackend
  | StaticBackend
  | TunnelGroupBackend
  | WeightedBackend;

/** Backends by their kind of resource. */
export interface Backends {
  readonly failoverBackend: FailoverBackend;
  readonly httpResponseBackend: HttpResponseBackend;
  readonly staticBackend: StaticBackend;
  readonly tunnelGroupBackend: TunnelGroupBackend;
  readonly weightedBackend: WeightedBackend;
}

export type BackendOf<Kind extends BackendKind> = Extract<Backend, { kind: Kind }>;

const CHILDREN = REFERENCES.childrenOfBackend;

/** The children of a failover backend in order; of a weighted one their weights. */
const children: Field<readonly string[] | Readonly<Record<string, number>>> = {
  reference: CHILDREN,
  plain: { type: "ids", reference: CHILDREN },
  text: (row) => Prisma.sql`CASE ${row}.kind WHEN 'failover' THEN ${idsOf(CHILDREN, row)}
    WHEN 'weighted' THEN (SELECT '{' || coalesce(string_agg(
      '"' || link.${identifier(CHILDREN.column)} || '":' || coalesce(link.weight, 0), ',' ORDER BY link.position), '') || '}'
      FROM ${identifier(CHILDREN.table)} AS link WHERE link.${identifier(CHILDREN.owner)} = ${row}.id)
    ELSE 'null' END`,
};

/** The members of all kinds of backends; each row has those of its kind, and null for the others. */
type AnyBackend = { readonly [Name in Exclude<MemberOf<Backend>, keyof Resource>]: unknown };
type MemberOf<Value> = Value extends unknown ? keyof Value : never;

/** How the fields of the table are read that not every resource has. */
export const BACKEND_FIELDS = {
  kind: oneOf("kind", backendKind),
  backends: children,
  statusCode: nullable(integer("status_code")),
  headers: stringMap("headers"),
  body: nullable(text("body")),
  address: nullable(text("address")),
  tls: {
    text: (row) => Prisma.sql`coalesce('{"enabled":' || ${row}.tls_enabled::text || '}', 'null')`,
    plain: { type: "object", members: plainOf({ enabled: nullable(boolean("tls_enabled")) }) },
  },
  labels: stringMap("labels"),
} satisfies FieldsOf<AnyBackend>;
