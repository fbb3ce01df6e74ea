import SchemaBuilder from "@pothos/core";
import ValidationPlugin from "@pothos/plugin-validation";
import { valueFromASTUntyped } from "graphql";
import type { Context } from "../../domain/core/context.js";
import { invalidRequest } from "../../domain/core/errors.js";
import {
  issuesOf,
  MAX_DESCRIPTION_BYTES,
  MAX_METADATA_BYTES,
  MAX_UINT32,
} from "../../domain/core/fields.js";
import { RESOURCE_KINDS, RESOURCES, typeNameOf } from "../../domain/core/ids.js";
import type { Resource } from "../../domain/storage/rows.js";
import { callerPath } from "./errors.js";
import type { Loaders } from "./loaders.js";

/** The context of every resolver: the domain's context, which is passed on unchanged, and the request's loaders. */
export interface GraphqlContext extends Context {
  readonly loaders: Loaders;
  readonly events: EventStream;
  /** Throws UNAUTHENTICATED when the key of the request has been revoked since its start. */
  authenticateAgain(): Promise<void>;
}

/** The position of a subscription. */
export interface EventStream {
  /** The id of the last event sent; before the first, what the header Last-Event-ID says. */
  lastId: string | null;
  /** Aborted when the client has disconnected, or has the whole response. */
  readonly gone: AbortSignal;
}

export const builder = new SchemaBuilder<{
  Context: GraphqlContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    UInt32: { Input: number; Output: number };
    DateTime: { Input: string; Output: Date };
    JSON: { Input: unknown; Output: unknown };
  };
}>({
  plugins: [ValidationPlugin],
  defaultFieldNullability: false,
  validation: {
    // Paths begin at the argument, as in every other refusal.
    validationError: ({ issues }, args) => {
      const found = issuesOf(issues).map((issue) => ({
        ...issue,
        path: callerPath(args, issue.path),
      }));
      return invalidRequest(found, { input: args.input });
    },
  },
});

export type Types = typeof builder.$inferSchemaTypes;

builder.queryType({
  description:
    "All reads. A field that is refused is null, with an error, and the other fields of the request are answered. A field that reads one resource is also null, with an error, when the resource does not exist.",
});
builder.mutationType({
  description:
    "All changes. Each mutation is one transaction: it either succeeds as a whole, or changes nothing and the field is null, with an error. The mutations of one request run in order, each in its own transaction.",
});

builder.subscriptionType({ description: "Streams of events, sent as server-sent events (SSE)." });

builder.scalarType("JSON", {
  description: "Any JSON value.",
  serialize: (value) => value,
});

builder.scalarType("UInt32", {
  description: `A whole number from 0 to ${MAX_UINT32}.`,
  serialize: (value) => value,
  parseValue: parseUInt32,
  parseLiteral: (node) => parseUInt32(valueFromASTUntyped(node)),
});

function parseUInt32(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_UINT32) {
    return value;
  }
  throw new TypeError(`must be a whole number from 0 to ${MAX_UINT32}`);
}

builder.scalarType("DateTime", {
  description:
    "A time in RFC 3339, such as `2030-01-31T09:30:00Z`. Responses are in UTC, with a precision of one second.",
  serialize: (value) => `${value.toISOString().slice(0, 19)}Z`,
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(valueFromASTUntyped(node)),
});

function parseDateTime(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError("must be a string in RFC 3339, such as 2030-01-31T09:30:00Z");
}

export const Node = builder.interfaceRef<Resource>("Node").implement({
  description: "The fields that every resource has.",
  resolveType: typeOfNode,
  fields: (t) => ({
    id: t.exposeID("id", {
      description: "The unique id, the same as over REST. Ids of one kind sort in creation order.",
    }),
    createdAt: t.expose("createdAt", { type: "DateTime", description: "The time of creation." }),
    updatedAt: t.expose("updatedAt", {
      type: "DateTime",
      description: "The time of the last change.",
    }),
    version: t.exposeInt("version", {
      description: "Starts at 1 and increases by 1 with each change.",
    }),
    description: t.exposeString("description", {
      description: `A text for people; at most ${MAX_DESCRIPTION_BYTES} bytes, empty when not set.`,
    }),
    metadata: t.exposeString("metadata", {
      description: `A text for programs; at most ${MAX_METADATA_BYTES} bytes, empty when not set.`,
    }),
  }),
});

/** The type of a resource is in the prefix of its id. */
export function typeOfNode({ id }: { readonly id: string }): string | undefined {
  return TYPES_BY_PREFIX.get(id.slice(0, id.indexOf("_")));
}

const TYPES_BY_PREFIX = new Map(
  RESOURCE_KINDS.map((kind) => [RESOURCES[kind].prefix as string, typeNameOf(kind)]),
);
