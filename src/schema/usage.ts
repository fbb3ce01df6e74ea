import { DomainError } from "../domain/core/errors.js";
import { kindOfId } from "../domain/core/ids.js";
import {
  MOST_BACKENDS_ABOVE,
  type Usage,
  type Uses,
  usesOfBackend,
  usesOfCertificateAuthority,
  usesOfEndpointConfiguration,
  usesOfIpPolicy,
  usesOfTlsCertificate,
} from "../domain/questions/usage.js";
import { BackendInterface } from "./backends.js";
import { checkedBy } from "./builder/argument-checks.js";
import { builder, type GraphqlContext, Node } from "./builder/builder.js";
import { type Connection, connectionOf, pageOf } from "./builder/connections.js";
import { loadFrom } from "./builder/loaders.js";
import { type PageArguments, pageArguments, pageRequestOf } from "./builder/pages.js";
import { CertificateAuthorityType } from "./certificate-authorities.js";
import { EndpointConfigurationType } from "./endpoint-configurations.js";
import { HttpsEdgeType } from "./https-edges.js";
import { IpPolicyType } from "./ip-policies.js";
import { ModuleKind } from "./modules/kinds.js";
import { loadAll, loadEdgeOfRoute, loadNode } from "./reads/reads.js";
import { TlsCertificateType } from "./tls-certificates.js";

/** Points of a use: what is between and beyond it is looked up by itself. */
const USE_COST = 3;

const UsageType = builder.objectRef<Usage>("Usage").implement({
  extensions: { cost: USE_COST },
  description:
    "One use of a resource by an edge, a route, an endpoint configuration, an IP restriction, a reserved address or a reserved domain.",
  fields: (t) => ({
    user: t.field({
      type: Node,
      description:
        "The user of the resource: an HTTPS edge route, an HTTPS edge, a TLS edge, a TCP edge, an endpoint configuration, an IP restriction, a reserved address or a reserved domain.",
      resolve: async ({ userId }, _, context, info) => {
        const user = await loadNode(context, info, userId);
        if (user) return user;
        throw new DomainError("NOT_FOUND", `The user ${userId} was deleted meanwhile.`);
      },
    }),
    edge: t.field({
      type: HttpsEdgeType,
      nullable: true,
      description: "The HTTPS edge of the route when the user is a route; otherwise null.",
      resolve: ({ userId }, _, context, info) =>
        kindOfId(userId) === "httpsEdgeRoute" ? loadEdgeOfRoute(context, info, userId) : null,
    }),
    via: t.field({
      type: [BackendInterface],
      description:
        "The ancestors of the backend through which the user reaches it, starting with the user's own backend. Empty when the use is direct.",
      extensions: { holds: MOST_BACKENDS_ABOVE },
      resolve: ({ via }, _, context, info) => loadAll<"backends">(context, info, via),
    }),
    module: t.expose("module", {
      type: ModuleKind,
      nullable: true,
      description:
        "The kind of the user's module that uses the resource; null for an IP restriction, a reserved address and a reserved domain, which have none.",
    }),
    enabled: t.exposeBoolean("enabled", {
      nullable: true,
      description: "Whether this module is enabled; null when there is none.",
    }),
  }),
});

/** Points of a list of uses: its backend and all above it are looked up. */
const CLIMB_COST = 10;

const UsageConnection = connectionOf(UsageType, "Usage", "uses", "newest user first");

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
      "Every route, TLS edge and TCP edge that sends traffic to this backend, directly or through failover and weighted backends. A user that reaches it through two chains of backends appears twice.",
    args: pageArguments(t),
    extensions: { cost: CLIMB_COST, ...checkedBy(pageRequestOf) },
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfBackend, id, args),
  }),
);

builder.objectField(CertificateAuthorityType, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description:
      "Every HTTPS edge, TLS edge and endpoint configuration whose mutual TLS accepts its certificates.",
    args: pageArguments(t),
    extensions: { cost: CLIMB_COST, ...checkedBy(pageRequestOf) },
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfCertificateAuthority, id, args),
  }),
);

builder.objectField(IpPolicyType, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description:
      "Every HTTPS edge route, TLS edge, TCP edge and endpoint configuration whose module `ipRestriction` has this policy, and every IP restriction that has it.",
    args: pageArguments(t),
    extensions: { cost: CLIMB_COST, ...checkedBy(pageRequestOf) },
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfIpPolicy, id, args),
  }),
);

builder.objectField(EndpointConfigurationType, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description: "Every reserved address and reserved domain to which it is attached.",
    args: pageArguments(t),
    extensions: { cost: CLIMB_COST, ...checkedBy(pageRequestOf) },
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfEndpointConfiguration, id, args),
  }),
);

builder.objectField(TlsCertificateType, "usedBy", (t) =>
  t.field({
    type: UsageConnection,
    description: "Every reserved domain whose connections get it.",
    args: pageArguments(t),
    extensions: { cost: CLIMB_COST, ...checkedBy(pageRequestOf) },
    resolve: ({ id }, args, context) => usesOnPage(context, usesOfTlsCertificate, id, args),
  }),
);
