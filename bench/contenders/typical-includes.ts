import type { GraphQLResolveInfo } from "graphql";
import { parseResolveInfo, type ResolveTree } from "graphql-parse-resolve-info";
import type { Prisma } from "../../src/database/generated/client.js";

// What a query asks for, as the `include` of one Prisma query: linked rows are read only where they are shown.

const DEFAULT_PAGE = 20;

type Asked = ResolveTree | undefined;

/** What is asked of the field that is being resolved. */
export function askedOf(info: GraphQLResolveInfo): Asked {
  const tree = parseResolveInfo(info);
  return isTree(tree) ? tree : undefined;
}

/** What is asked below, field by field; undefined when one of them is not asked for. */
export function below(asked: Asked, ...path: readonly string[]): Asked {
  return path.reduce((tree: Asked, name) => {
    const fields = Object.values(tree?.fieldsByTypeName ?? {}).flatMap(Object.values<ResolveTree>);
    return fields.find((field) => field.name === name);
  }, asked);
}

export function edgeInclude(edge: Asked) {
  const routes = below(edge, "routes");
  const first = routes?.args.first;
  return {
    ...(below(edge, "mutualTls", "certificateAuthorities") && {
      certificateAuthorities: {
        orderBy: { position: "asc" },
        include: { certificateAuthority: true },
      },
    }),
    ...(routes && {
      routes: {
        orderBy: { id: "desc" },
        take: typeof first === "number" ? first : DEFAULT_PAGE,
        include: routeInclude(below(routes, "nodes")),
      },
    }),
  } satisfies Prisma.HttpsEdgeInclude;
}

export function routeInclude(route: Asked) {
  const backend = below(route, "backend", "backend");
  return {
    ...(below(route, "ipRestriction", "ipPolicies") && {
      ipPolicies: { orderBy: { position: "asc" }, include: { ipPolicy: true } },
    }),
    ...(backend && {
      backend: {
        include: {
          ...(below(backend, "backends") && {
            children: { orderBy: { position: "asc" }, include: { child: true } },
          }),
        },
      },
    }),
  } satisfies Prisma.HttpsEdgeRouteInclude;
}

function isTree(tree: ReturnType<typeof parseResolveInfo>): tree is ResolveTree {
  return tree != null && typeof tree.fieldsByTypeName === "object" && "args" in tree;
}
