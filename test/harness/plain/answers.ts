import {
  buildSchema,
  type DocumentNode,
  type ExecutionResult,
  executeSync,
  type GraphQLFieldResolver,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  printSchema,
} from "graphql";
import { kindOfId, type ResourceKind, typeNameOf } from "../../../src/domain/core/ids.js";
import { schema } from "../../../src/schema/index.js";
import type { Fields } from "../transports.js";
import { connection, pageOf, refersTo, usersOf } from "./lists.js";
import type { Plain, World } from "./world.js";

// What the server is to answer, made of resources that were read alone: the reference implementation executes the
// document, and each field looks into them.

/** The schema with no code in it. */
export const plainSchema = buildSchema(printSchema(schema));

export function plainAnswer(
  world: World,
  document: DocumentNode,
  variableValues: Fields,
): ExecutionResult {
  return executeSync({
    schema: plainSchema,
    document,
    variableValues,
    fieldResolver: resolve,
    typeResolver: ({ id }: Plain) => typeOf(id),
    contextValue: world,
  });
}

function typeOf(id: string): string {
  const kind = kindOfId(id);
  if (!kind) throw new Error(`${id} is no id of a resource.`);
  return typeNameOf(kind);
}

const BACKEND_KINDS: readonly ResourceKind[] = [
  ...(["failoverBackend", "httpResponseBackend", "staticBackend"] as const),
  ...(["tunnelGroupBackend", "weightedBackend"] as const),
];

/** The lists of those who refer to a resource: what kinds stand in them. */
const NESTED: Readonly<Record<string, readonly ResourceKind[]>> = {
  routes: ["httpsEdgeRoute"],
  httpsEdgeRoutes: ["httpsEdgeRoute"],
  httpsEdges: ["httpsEdge"],
  tlsEdges: ["tlsEdge"],
  tcpEdges: ["tcpEdge"],
  parents: ["failoverBackend", "weightedBackend"],
  rules: ["ipPolicyRule"],
  ipRestrictions: ["ipRestriction"],
  reservedAddrs: ["reservedAddr"],
  endpointConfigurations: ["endpointConfiguration"],
  hostCertificates: ["sshHostCertificate"],
  userCertificates: ["sshUserCertificate"],
  reservedDomains: ["reservedDomain"],
};

/** The same of those that refer to it by a certain member: the member. */
const NESTED_BY: Readonly<Record<string, string>> = {
  httpReservedDomains: "httpEndpointConfigurationId",
  httpsReservedDomains: "httpsEndpointConfigurationId",
};

const resolve: GraphQLFieldResolver<Fields, World> = (source, args, world, info) => {
  const { parentType, fieldName, returnType } = info;
  const given = inDomain(args, info.parentType.name, fieldName);
  const value =
    parentType.name === "Query"
      ? rootValue(world, fieldName, given)
      : memberOf(world, parentType.name, source, fieldName, given);
  return shown(value, returnType);
};

function rootValue(world: World, field: string, args: Fields): unknown {
  const find = (id: string) => world.rows.get(id) ?? null;
  if (field === "nodes") return args.ids.map(find);
  if (args.id !== undefined) return find(args.id);
  if (field === "backends") return connection(world, world.of(...BACKEND_KINDS), args);
  const type = getNamedType(plainSchema.getQueryType()?.getFields()[field]?.type);
  const kind = `${type?.toString().replace("Connection", "")}`;
  return connection(
    world,
    world.of(`${kind.charAt(0).toLowerCase()}${kind.slice(1)}` as ResourceKind),
    args,
  );
}

function memberOf(
  world: World,
  type: string,
  source: Fields,
  field: string,
  args: Fields,
): unknown {
  const find = (id: string) => world.rows.get(id) ?? null;
  const one = (id: string | null) => (id === null ? null : find(id));
  const kinds = NESTED[field];
  if (kinds && "id" in source) {
    const users = world.of(...kinds).filter((item) => refersTo(item).includes(source.id));
    const isByLinks = field === "parents" || field === "httpsEdges";
    return connection(world, users, args, isByLinks);
  }
  const by = NESTED_BY[field];
  if (by !== undefined && "id" in source) {
    const users = world.of("reservedDomain").filter((item) => item[by] === source.id);
    return connection(world, users, args);
  }
  switch (`${type}.${field}`) {
    case "HttpsEdgeRoute.edge":
      return one(source.edgeId);
    case "IpPolicyRule.ipPolicy":
      return one(source.ipPolicyId);
    case "ReservedAddr.endpointConfiguration":
      return one(source.endpointConfigurationId);
    case "ReservedDomain.certificate":
      return one(source.certificateId);
    case "ReservedDomain.httpEndpointConfiguration":
      return one(source.httpEndpointConfigurationId);
    case "ReservedDomain.httpsEndpointConfiguration":
      return one(source.httpsEndpointConfigurationId);
    case "SshHostCertificate.sshCertificateAuthority":
    case "SshUserCertificate.sshCertificateAuthority":
      return one(source.sshCertificateAuthorityId);
    case "BackendModule.backend":
    case "WeightedChild.backend":
      return one(source.backendId);
    case "IpRestrictionModule.ipPolicies":
    case "IpRestriction.ipPolicies":
      return source.ipPolicyIds.map(find);
    case "MutualTlsModule.certificateAuthorities":
      return source.certificateAuthorityIds.map(find);
    case "FailoverBackend.backends":
      return source.backends.map(find);
    case "WeightedBackend.backends":
      return Object.entries(source.backends).map(([backendId, weight]) => ({ backendId, weight }));
    case "Usage.user":
      return one(source.userId);
    case "Usage.edge":
      return one(find(source.userId)?.edgeId ?? null);
    case "Usage.via":
      return source.via.map(find);
  }
  if (field === "usedBy") return usage(world, source.id, args);
  const value = source[field];
  const isMap = ["headers", "labels", "add", "criticalOptions", "extensions"].includes(field);
  return isMap ? Object.entries(value).map(([name, value]) => ({ name, value })) : value;
}

interface Use {
  readonly userId: string;
  readonly via: readonly string[];
  readonly module: string | null;
  readonly enabled: boolean | null;
}

function uses(world: World, id: string, via: readonly string[] = []): Use[] {
  return usersOf(world, id).flatMap((user): Use[] => {
    if (user.id.startsWith("bkd")) return uses(world, user.id, [user.id, ...via]);
    if (user.ipPolicyId === id) return [];
    const module = ["backend", "ipRestriction", "mutualTls"].find((name) =>
      Object.values(user[name] ?? {})
        .flat()
        .includes(id),
    );
    return [
      {
        userId: user.id,
        via,
        module: module ?? null,
        enabled: module ? user[module].enabled : null,
      },
    ];
  });
}

function usage(world: World, id: string, args: Fields) {
  const key = ({ userId, via }: Use) => [userId.slice(-27), userId, ...via].join(",");
  const all = uses(world, id).sort((one, other) => (key(one) < key(other) ? 1 : -1));
  const cursor = ({ userId, via }: Use) =>
    [userId, ...via.map((backend) => backend.replace("_", ""))].join("");
  return pageOf(all, all.length, args, cursor);
}

/** Arguments with enumerations as the domain spells them, but for those of orders. */
function inDomain(args: Fields, type: string, field: string): Fields {
  const owner = schema.getType(type);
  const filter = isObjectType(owner)
    ? owner.getFields()[field]?.args.find(({ name }) => name === "filter")?.type
    : undefined;
  return filter && args.filter ? { ...args, filter: domainValue(args.filter, filter) } : args;
}

function domainValue(value: unknown, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type);
  if (isEnumType(nullable)) return nullable.getValue(String(value))?.value ?? null;
  if (!isInputObjectType(nullable) || typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const field = nullable.getFields()[name];
    return [name, field ? domainValue(member, field.type) : member];
  });
  return Object.fromEntries(members);
}

/** A value as a response has it. */
function shown(value: unknown, type: GraphQLOutputType): unknown {
  if (value instanceof Date) return `${value.toISOString().slice(0, 19)}Z`;
  const named = schema.getType(getNamedType(type).name);
  if (!isEnumType(named) || value === null) return value;
  return named.getValues().find((known) => known.value === value)?.name;
}
