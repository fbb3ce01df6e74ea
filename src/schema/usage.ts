import { backendsById } from "../domain/backends.js";
import { DomainError } from "../domain/errors.js";
import { type HttpsEdgeRoute, httpsEdgeRoutesById } from "../domain/https-edge-routes.js";
import { httpsEdgesById } from "../domain/https-edges.js";
import { kindOfId } from "../domain/ids.js";
import type { PageRequest } from "../domain/pages.js";
import {
  type Usage,
  type Uses,
  usesOfBackend,
  usesOfCertificateAuthority,
  usesOfEndpointConfiguration,
  usesOfIpPolicy,
} from "../domain/usage.js";
import { BackendInterface } from "./backends.js";
import { builder, type GraphqlContext, Node } from "./builder.js";
import { CertificateAuthorityType } from "./certificate-authorities.js";
import { connectionOf, nestedPageOf, type PageArguments, pageArguments } from "./connections.js";
import { EndpointConfigurationType } from "./endpoint-configurations.js";
import { HttpsEdgeType } from "./https-edges.js";
import { IpPolicyType } from "./ip-policies.js";
import { load, loadAll, loadExisting, loadFrom } from "./loaders.js";
import { ModuleKind } from "./modules/kinds.js";
import { readNode } from "./node.js";

const UsageType = builder.objectRef<Usage>("Usage").implement({
  description: "One way in which traffic, or an address, depends on a resource.",
  fields: (t) => ({
    user: t.field({
      type: Node,
      description:
        "What uses the resource: an HTTPS edge route, an HTTPS edge, a TLS edge or a reserved address.",
      resolve: async ({ userId }, _, context) => {
        const user = await readNode(context, userId);
        if (user) return user;
        throw new DomainError("NOT_FOUND", `The user ${userId} was deleted meanwhile.`);
      },
    }),
    edge: t.field({
      type: HttpsEdgeType,
      nullable: true,
      description: "The HTTPS edge of the user when that is a route; null otherwise.",
      resolve: ({ userId }, _, context) => edgeOfRoute(context, userId),
    }),
    via: t.field({
      type: [BackendInterface],
      description:
        "The backends between, from the user's own down to the last one above the backend asked about. Empty when the use is direct.",
      resolve: ({ via }, _, context) => loadAll(context, backendsById, via),
    }),
    module: t.expose("module", {
      type: ModuleKind,
      nullable: true,
      description: "The module of the user that uses it; null for a reserved address.",
    }),
    enabled: t.exposeBoolean("enabled", {
      nullable: true,
      description: "Whether that module is enabled; null for a reserved address.",
    }),
  }),
});

async function edgeOfRoute(context: GraphqlContext, userId: string) {
  if (kindOfId(userId) !== "httpsEdgeRoute") return null;
  const route = await load<HttpsEdgeRoute>(context, httpsEdgeRoutesById, userId);
  return route && loadExisting(context, "httpsEdge", httpsEdgesById, route.edgeId);
}

const UsageConnection = connectionOf(UsageType, "Usage", "uses", "that of the newest user first");

async function usesOnPage(
  context: GraphqlContext,
  { pages, counts }: Uses,
  id: string,
  args: PageArguments,
) {
  const readUses = (page: PageRequest) =>
    loadFrom(context, pages, JSON.stringify(page), (ids) => pages(context, ids, page), id);
  return nestedPageOf(context, { counts }, async (page) => (await readUses(page)) ?? [], id, args);
}

builder.interfaceField(BackendInterface, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description:
      "Every route and TLS edge that sends traffic to it, directly or through failover and weighted backends. One that does so over two chains of backends stands here twice.",
    args: pageArguments(t),
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfBackend, id, args),
  }),
);

builder.objectField(CertificateAuthorityType, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description: "Every HTTPS and TLS edge whose mutual TLS accepts its certificates.",
    args: pageArguments(t),
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfCertificateAuthority, id, args),
  }),
);

builder.objectField(IpPolicyType, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description: "Every HTTPS edge route and TLS edge whose IP restriction checks it.",
    args: pageArguments(t),
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfIpPolicy, id, args),
  }),
);

builder.objectField(EndpointConfigurationType, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description: "Every reserved address that it is attached to.",
    args: pageArguments(t),
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfEndpointConfiguration, id, args),
  }),
);
