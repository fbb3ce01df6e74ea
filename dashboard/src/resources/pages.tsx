import type { ReactNode } from "react";
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
  /** What only this kind has on the page of each one. */
  readonly extras?: (item: Item) => ReactNode;
}

/** The list of a kind, a form for a new one, and the page of each one. */
function pagesOf<Item extends Row>(
  resource: Resource<Item>,
  { create, extras }: Options<Item> = {},
): RouteObject[] {
  const { path } = resource.kind;
  return [
    {
      path,
      lazy: async () => {
        const { ListPage } = await import("../lists/list-page.js");
        return { element: <ListPage resource={resource} create={create} /> };
      },
    },
    {
      path: `${path}/new`,
      lazy: async () => {
        const { CreatePage } = await import("../forms/create-page.js");
        return { element: <CreatePage resource={resource} /> };
      },
    },
    {
      path: `${path}/:id`,
      lazy: async () => {
        const { ResourcePage } = await import("../details/resource-page.js");
        return { element: <ResourcePage resource={resource} extras={extras} /> };
      },
    },
  ];
}

export const RESOURCE_PAGES: RouteObject[] = [
  ...pagesOf(httpsEdges),
  ...pagesOf(httpsEdgeRoutes, { create: null }),
  ...pagesOf(tlsEdges),
  ...pagesOf(tcpEdges),
  ...pagesOf(staticBackends),
  ...pagesOf(httpResponseBackends),
  ...pagesOf(tunnelGroupBackends),
  ...pagesOf(failoverBackends),
  ...pagesOf(weightedBackends),
  ...pagesOf(ipPolicies),
  ...pagesOf(ipPolicyRules, { create: null }),
  ...pagesOf(ipRestrictions),
  ...pagesOf(certificateAuthorities),
  ...pagesOf(tlsCertificates),
  ...pagesOf(reservedAddrs),
  ...pagesOf(reservedDomains),
  ...pagesOf(endpointConfigurations),
  ...pagesOf(agentIngresses),
  ...pagesOf(apiKeys),
  ...pagesOf(sshCertificateAuthorities),
  ...pagesOf(sshUserCertificates),
  ...pagesOf(sshHostCertificates),
  ...pagesOf(sshCredentials),
];
