import { z } from "zod";
import {
  agentIngressInputs,
  createAgentIngress,
  deleteAgentIngress,
  updateAgentIngress,
} from "../domain/agent-ingresses.js";
import { row } from "./contract/answers.js";
import {
  certificateManagementPolicyAnswer,
  showCertificateManagementPolicy,
} from "./contract/certificate-management.js";
import { collection, timestamp } from "./contract/contract.js";

export const agentIngresses = collection({
  kind: "agentIngress",
  path: "/agent_ingresses",
  listKey: "ingresses",
  answer: z.strictObject({
    ...row("agentIngress"),
    domain: z.string(),
    ns_targets: z.array(z.string()).max(0),
    region_domains: z.array(z.string()).max(0),
    certificate_management_policy: certificateManagementPolicyAnswer,
    certificate_management_status: z.null(),
  }),
  example: {
    domain: "connect.example.com",
    certificateManagementPolicy: { privateKeyType: "ecdsa" },
  },
  inputs: agentIngressInputs,
  create: createAgentIngress,
  update: updateAgentIngress,
  remove: deleteAgentIngress,
  view: (ingress, link) => ({
    id: ingress.id,
    uri: link(`/agent_ingresses/${ingress.id}`),
    description: ingress.description,
    metadata: ingress.metadata,
    domain: ingress.domain,
    // Who serves the domain knows them; nothing is delegated and no certificate is issued here.
    ns_targets: [],
    region_domains: [],
    created_at: timestamp(ingress.createdAt),
    certificate_management_policy: showCertificateManagementPolicy(
      ingress.certificateManagementPolicy,
    ),
    certificate_management_status: null,
  }),
});
