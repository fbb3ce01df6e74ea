import { z } from "zod";
import { apiKeysById } from "../domain/api-keys.js";
import { backendsById } from "../domain/backends.js";
import { certificateAuthoritiesById } from "../domain/certificate-authorities.js";
import { endpointConfigurationsById } from "../domain/endpoint-configurations.js";
import { list, parse } from "../domain/fields.js";
import { httpsEdgeRoutesById } from "../domain/https-edge-routes.js";
import { httpsEdgesById } from "../domain/https-edges.js";
import { kindOfId, type ResourceKind } from "../domain/ids.js";
import { ipPoliciesById } from "../domain/ip-policies.js";
import { ipPolicyRulesById } from "../domain/ip-policy-rules.js";
import { reservedAddrsById } from "../domain/reserved-addrs.js";
import type { Row } from "../domain/rows.js";
import { sshCertificateAuthoritiesById } from "../domain/ssh-certificate-authorities.js";
import { sshUserCertificatesById } from "../domain/ssh-user-certificates.js";
import { tlsEdgesById } from "../domain/tls-edges.js";
import { builder, type GraphqlContext, Node } from "./builder.js";
import { load, type ReadMany } from "./loaders.js";

const READERS: Readonly<Record<ResourceKind, ReadMany<Row>>> = {
  apiKey: apiKeysById,
  failoverBackend: backendsById,
  httpResponseBackend: backendsById,
  staticBackend: backendsById,
  tunnelGroupBackend: backendsById,
  weightedBackend: backendsById,
  certificateAuthority: certificateAuthoritiesById,
  endpointConfiguration: endpointConfigurationsById,
  httpsEdge: httpsEdgesById,
  httpsEdgeRoute: httpsEdgeRoutesById,
  tlsEdge: tlsEdgesById,
  ipPolicy: ipPoliciesById,
  ipPolicyRule: ipPolicyRulesById,
  reservedAddr: reservedAddrsById,
  sshCertificateAuthority: sshCertificateAuthoritiesById,
  sshUserCertificate: sshUserCertificatesById,
};

const MOST_NODES = 100;
const idsRule = z.object({ ids: list(z.string(), MOST_NODES) });

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: "Any resource, by its id alone; null when there is none.",
    args: { id: t.arg.id({ required: true, description: "The id of a resource of any kind." }) },
    resolve: (_, { id }, context) => readNode(context, id),
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: "Any resources, in the order of their ids; null where there is none.",
    args: {
      ids: t.arg.idList({ required: true, description: `At most ${MOST_NODES} ids of any kinds.` }),
    },
    resolve: (_, args, context) => {
      const { ids } = parse(idsRule, args);
      return Promise.all(ids.map((id) => readNode(context, id)));
    },
  }),
}));

/** A resource of any kind; null when there is none, or when `id` is no id of a resource. */
export async function readNode(context: GraphqlContext, id: string): Promise<Row | null> {
  const kind = kindOfId(id);
  return kind && load(context, READERS[kind], id);
}

/** Resources of any kinds, in the order of `ids`. One that was deleted meanwhile is left out. */
export async function readNodes(context: GraphqlContext, ids: readonly string[]): Promise<Row[]> {
  const found = await Promise.all(ids.map((id) => readNode(context, id)));
  return found.filter((node) => node !== null);
}
