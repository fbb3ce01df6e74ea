import { DomainError } from "../domain/core/errors.js";
import { kindOfId } from "../domain/core/ids.js";
import {
  type Usage,
  type Uses,
  usesOfBackend,
  usesOfCertificateAuthority,
  usesOfEndpointConfiguration,
  usesOfIpPolicy,
} from "../domain/questions/usage.js";
import { BackendInterface } from "./backends.js";
import { builder, type GraphqlContext, Node } from "./builder/builder.js";
import { type Connection, connectionOf, pageOf } from "./builder/connections.js";
import { loadFrom } from "./builder/loaders.js";
import { type PageArguments, pageArguments } from "./builder/pages.js";
import { CertificateAuthorityType } from "./certificate-authorities.js";
import { EndpointConfigurationType } from "./endpoint-configurations.js";
import { HttpsEdgeType } from "./https-edges.js";
import { IpPolicyType } from "./ip-policies.js";
import { ModuleKind } from "./modules/kinds.js";
import { loadAll, loadEdgeOfRoute, loadNode } from "./reads/reads.js";

/** Points of a use: what is between and beyond it is looked up by itself. */
const USE_COST = 3;

const UsageType = builder.objectRef<Usage>("Usage").implement({
  extensions: { cost: USE_COST },
  description: "One way in which traffic, or an address, depends on a resource.",
  fields: (t) => ({
    user: t.field({
      type: Node,
      description:
        "What uses the resource: an HTTPS edge route, an HTTPS edge, a TLS edge or a reserved address.",
      resolve: async ({ userId }, _, context, info) => {
        const user = await loadNode(context, info, userId);
        if (user) return user;
        throw new DomainError("NOT_FOUND", `The user ${userId} was deleted meanwhile.`);
      },
    }),
    edge: t.field({
      type: HttpsEdgeType,
      nullable: true,
      description: "The HTTPS edge of the user when that is a route; null otherwise.",
      resolve: ({ userId }, _, context, info) =>
        kindOfId(userId) === "httpsEdgeRoute" ? loadEdgeOfRoute(context, info, userId) : null,
    }),
    via: t.field({
      type: [BackendInterface],
      description:
        "The backends between, from the user's own down to the last one above the backend asked about. Empty when the use is direct.",
      resolve: ({ via }, _, context, info) => loadAll<"backends">(context, info, via),
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

/** Points of a list of uses: its backend and all above it are looked up. */
const CLIMB_COST = 10;

const UsageConnection = connectionOf(UsageType, "Usage", "uses", "that of the newest user first");

function usesOnPage(
  context: GraphqlContext,
  { pages, counts }: Uses,
  id: string,
  args: PageArguments,
): Promise<Connection<Usage>> {
  return pageOf(
    args,
    async (page) => {
      const readPages = (ids: readonly string[]) => pages(context, ids, page);
      return (await loadFrom(context, pages, JSON.stringify(page), readPages, id)) ?? [];
    },
    async () => (await loadFrom(context, counts, "", (ids) => counts(context, ids), id)) ?? 0,
  );
}

builder.interfaceField(BackendInterface, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description:
      "Every route and TLS edge that sends traffic to it, directly or through failover and weighted backends. One that does so over two chains of backends stands here twice.",
    args: pageArguments(t),
    extensions: { cost: CLIMB_COST },
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfBackend, id, args),
  }),
);

builder.objectField(CertificateAuthorityType, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description: "Every HTTPS and TLS edge whose mutual TLS accepts its certificates.",
    args: pageArguments(t),
    extensions: { cost: CLIMB_COST },
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfCertificateAuthority, id, args),
  }),
);

builder.objectField(IpPolicyType, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description: "Every HTTPS edge route and TLS edge whose IP restriction checks it.",
    args: pageArguments(t),
    extensions: { cost: CLIMB_COST },
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfIpPolicy, id, args),
  }),
);

builder.objectField(EndpointConfigurationType, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description: "Every reserved address that it is attached to.",
    args: pageArguments(t),
    extensions: { cost: CLIMB_COST },
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfEndpointConfiguration, id, args),
  }),
);
