import type { ComponentType, ReactNode } from "react";
import type { RouteObject } from "react-router";
import { apiKeys } from "./api-keys.js";
import {
  failoverBackends,
  httpResponseBackends,
  staticBackends,
  tunnelGroupBackends,
  weightedBackends,
} from "./backends.js";
import { certificateAuthorities, tlsCertificates } from "./certificates.js";
import {
  agentIngresses,
  endpointConfigurations,
  httpsEdgeRoutes,
  httpsEdges,
  ipRestrictions,
  reservedAddrs,
  reservedDomains,
  tcpEdges,
  tlsEdges,
} from "./edges.js";
import { ipPolicies, ipPolicyRules } from "./ip-policies.js";
import type { Resource, Row } from "./resource.js";
import {
  sshCertificateAuthorities,
  sshCredentials,
  sshHostCertificates,
  sshUserCertificates,
} from "./ssh.js";

interface Options<Item> {
  /** What the list has for new ones; null where they are made on another page. Default a link to their form. */
  readonly create?: ReactNode;
  /** What only this kind has on the page of each one; loaded with that page. */
  readonly extras?: () => Promise<ComponentType<{ readonly item: Item }>>;
  /** The fields that `extras` show, and the table of facts need not. */
  readonly inExtras?: readonly string[];
}

/**
 * The list of a kind, a form for a new one, and the page of each one. The keys have React begin anew with another kind,
 * instead of showing what it read of the last one.
 */
function pagesOf<Item extends Row>(
  resource: Resource<Item>,
  { create, extras, inExtras }: Options<Item> = {},
): RouteObject[] {
  const { path } = resource.kind;
  return [
    {
      path,
      lazy: async () => {
        const { ListPage } = await import("../lists/list-page.js");
        return { element: <ListPage key={path} resource={resource} create={create} /> };
      },
    },
    {
      path: `${path}/new`,
      lazy: async () => {
        const { CreatePage } = await import("../forms/create-page.js");
        return { element: <CreatePage key={path} resource={resource} /> };
      },
    },
    {
      path: `${path}/:id`,
      lazy: async () => {
        const [{ ResourcePage }, Extras] = await Promise.all([
          import("../details/resource-page.js"),
          extras?.(),
        ]);
        const show = Extras && ((item: Item) => <Extras item={item} />);
        return {
          element: (
            <ResourcePage key={path} resource={resource} extras={show} inExtras={inExtras} />
          ),
        };
      },
    },
  ];
}

const CERTIFICATE_FIELDS = ["certificate", "warnings", "validAfter", "validUntil"];

export const RESOURCE_PAGES: RouteObject[] = [
  ...pagesOf(httpsEdges, {
    extras: async () => (await import("../edges/extras.js")).HttpsEdgeExtras,
  }),
  ...pagesOf(httpsEdgeRoutes, {
    create: null,
    extras: async () => (await import("../edges/extras.js")).RouteExtras,
  }),
  ...pagesOf(tlsEdges, {
    extras: async () => (await import("../edges/extras.js")).ForwardingEdgeExtras,
  }),
  ...pagesOf(tcpEdges, {
    extras: async () => (await import("../edges/extras.js")).ForwardingEdgeExtras,
  }),
  ...pagesOf(staticBackends),
  ...pagesOf(httpResponseBackends),
  ...pagesOf(tunnelGroupBackends),
  ...pagesOf(failoverBackends, {
    extras: async () => (await import("../backends/extras.js")).FailoverExtras,
    inExtras: ["backends"],
  }),
  ...pagesOf(weightedBackends, {
    extras: async () => (await import("../backends/extras.js")).WeightedExtras,
    inExtras: ["backends"],
  }),
  ...pagesOf(ipPolicies, {
    extras: async () => (await import("../ip-policies/extras.js")).IpPolicyExtras,
  }),
  ...pagesOf(ipPolicyRules, { create: null }),
  ...pagesOf(ipRestrictions),
  ...pagesOf(certificateAuthorities, {
    extras: async () => (await import("../details/validity-extras.js")).ValidityExtras,
    inExtras: ["notBefore", "notAfter"],
  }),
  ...pagesOf(tlsCertificates, {
    extras: async () => (await import("../details/validity-extras.js")).ValidityExtras,
    inExtras: ["notBefore", "notAfter"],
  }),
  ...pagesOf(reservedAddrs),
  ...pagesOf(reservedDomains),
  ...pagesOf(endpointConfigurations),
  ...pagesOf(agentIngresses),
  ...pagesOf(apiKeys, {
    extras: async () => (await import("../details/api-key-extras.js")).ApiKeyExtras,
  }),
  ...pagesOf(sshCertificateAuthorities, {
    extras: async () => (await import("../ssh/authority-extras.js")).AuthorityExtras,
    inExtras: ["publicKey"],
  }),
  ...pagesOf(sshUserCertificates, {
    extras: async () => (await import("../ssh/certificate-extras.js")).UserCertificateExtras,
    inExtras: CERTIFICATE_FIELDS,
  }),
  ...pagesOf(sshHostCertificates, {
    extras: async () => (await import("../ssh/certificate-extras.js")).HostCertificateExtras,
    inExtras: CERTIFICATE_FIELDS,
  }),
  ...pagesOf(sshCredentials),
];
