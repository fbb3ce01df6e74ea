import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";
import { PrismaPg } from "@prisma/adapter-pg";
import { GraphQLError, type GraphQLResolveInfo } from "graphql";
import { Prisma, PrismaClient } from "../../src/database/generated/client.js";
import { createKeyring } from "../../src/domain/core/keyring.js";
import { askedOf, below, edgeInclude, routeInclude } from "./typical-includes.js";
import { typeDefs } from "./typical-schema.js";

// What a competent team writes in a day: Apollo Server, a schema, and resolvers that read with one Prisma query.
// It is one SQL statement as well, by the strategy that takes the least CPU here.

type Edge = Prisma.HttpsEdgeGetPayload<{
  include: {
    certificateAuthorities: { include: { certificateAuthority: true } };
    routes: true;
  };
}>;
type Route = Prisma.HttpsEdgeRouteGetPayload<{
  include: {
    backend: true;
    ipPolicies: { include: { ipPolicy: true } };
  };
}>;
type Backend = Prisma.BackendGetPayload<{ include: { children: { include: { child: true } } } }>;

interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
}

const MAX_PAGE = 100;
const BACKEND_TYPES: Readonly<Record<string, string>> = {
  static: "StaticBackend",
  failover: "FailoverBackend",
  weighted: "WeightedBackend",
  tunnel_group: "TunnelGroupBackend",
  http_response: "HttpResponseBackend",
};

const connectionString = process.env.DATABASE_URL;
const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString, max: 16, idleTimeoutMillis: 0 }),
});
const keyring = createKeyring([Buffer.from(process.env.ENCRYPTION_KEY ?? "", "base64")]);

const resolvers = {
  Query: {
    httpsEdge: (
      _: unknown,
      { id }: { readonly id: string },
      __: unknown,
      info: GraphQLResolveInfo,
    ) =>
      prisma.httpsEdge.findUnique({
        relationLoadStrategy: "join",
        where: { id },
        include: edgeInclude(askedOf(info)),
      }),
    httpsEdges: async (_: unknown, page: PageArguments, __: unknown, info: GraphQLResolveInfo) => ({
      nodes: await prisma.httpsEdge.findMany({
        relationLoadStrategy: "join",
        ...paged(page),
        include: edgeInclude(below(askedOf(info), "nodes")),
      }),
    }),
    httpsEdgeRoutes: async (
      _: unknown,
      {
        filter,
        ...page
      }: PageArguments & { readonly filter?: { readonly module?: object } | null },
      __: unknown,
      info: GraphQLResolveInfo,
    ) => {
      const { where, ...range } = paged(page);
      const nodes = await prisma.httpsEdgeRoute.findMany({
        relationLoadStrategy: "join",
        ...range,
        where: { ...where, ...(filter?.module && { compression: { not: Prisma.DbNull } }) },
        include: routeInclude(below(askedOf(info), "nodes")),
      });
      return { nodes };
    },
  },
  HttpsEdge: {
    createdAt: ({ createdAt }: Edge) => createdAt.toISOString().replace(/\.\d+Z$/, "Z"),
    mutualTls: ({ mutualTlsEnabled, certificateAuthorities }: Edge) =>
      mutualTlsEnabled === null
        ? null
        : {
            enabled: mutualTlsEnabled,
            certificateAuthorities: certificateAuthorities?.map(
              (link) => link.certificateAuthority,
            ),
          },
    routes: ({ routes }: Edge) => ({ nodes: routes }),
  },
  HttpsEdgeRoute: {
    backend: ({ backendEnabled, backend }: Route) =>
      backendEnabled === null ? null : { enabled: backendEnabled, backend },
    ipRestriction: ({ ipRestrictionEnabled, ipPolicies }: Route) =>
      ipRestrictionEnabled === null
        ? null
        : { enabled: ipRestrictionEnabled, ipPolicies: ipPolicies?.map((link) => link.ipPolicy) },
    webhookVerification: ({ id, webhookVerification }: Route) =>
      withSecret(id, webhookVerification),
  },
  HeadersModule: {
    add: ({ add }: { readonly add: Readonly<Record<string, string>> }) =>
      Object.entries(add).map(([name, value]) => ({ name, value })),
  },
  Backend: { __resolveType: ({ kind }: Backend) => BACKEND_TYPES[kind] },
  StaticBackend: { tls: ({ tlsEnabled }: Backend) => ({ enabled: tlsEnabled }) },
  FailoverBackend: { backends: ({ children }: Backend) => children.map(({ child }) => child) },
  MatchType: { EXACT_PATH: "exact_path", PATH_PREFIX: "path_prefix" },
  TlsVersion: { TLS1_0: "1.0", TLS1_1: "1.1", TLS1_2: "1.2", TLS1_3: "1.3" },
};

function paged({ first, after }: PageArguments) {
  return {
    orderBy: { id: "desc" },
    take: Math.min(first ?? 20, MAX_PAGE),
    where: after ? { id: { lt: after } } : {},
  } as const;
}

function withSecret(routeId: string, module: Prisma.JsonValue): object | null {
  if (module === null || typeof module !== "object" || !("secret" in module)) return null;
  const purpose = `${routeId}.webhookVerification.secret`;
  return { ...module, secret: keyring.open(String(module.secret), purpose) };
}

async function authenticate({ headers }: IncomingMessage): Promise<{ readonly keyId: string }> {
  const [, token = ""] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const tokenHash = createHash("sha256").update(token).digest();
  const key = await prisma.apiKey.findUnique({ where: { tokenHash } });
  if (key) return { keyId: key.id };
  throw new GraphQLError("This needs a valid API key.", {
    extensions: { code: "UNAUTHENTICATED", http: { status: 401 } },
  });
}

const server = new ApolloServer({ typeDefs, resolvers });
const { url } = await startStandaloneServer(server, {
  listen: { host: "127.0.0.1", port: 0 },
  context: ({ req }) => authenticate(req),
});
console.log(`It listens on ${url.replace(/\/$/, "")}`);
process.once("SIGTERM", async () => {
  await server.stop();
  await prisma.$disconnect();
  process.exit(0);
});
