import {
  type AgentIngress,
  agentIngressInputs,
  createAgentIngress,
  deleteAgentIngress,
  updateAgentIngress,
} from "../domain/agent-ingresses.js";
import { agentIngressList } from "../domain/lists/filters/agent-ingresses.js";
import { builder, Node } from "./builder/builder.js";
import {
  CertificateManagementPolicyType,
  certificateManagementPolicyChange,
  newCertificateManagementPolicy,
} from "./certificate-management.js";
import { collection } from "./collection.js";

const AgentIngressType = builder.objectRef<AgentIngress>("AgentIngress").implement({
  description:
    "A domain of your own below which agents are to connect. Edgeplane stores and serves it for what accepts the agents: it delegates no domain and requests no certificate.",
  interfaces: [Node],
  fields: (t) => ({
    domain: t.exposeString("domain", {
      description: "The domain as given; unique, ignoring case, and cannot be changed.",
    }),
    certificateManagementPolicy: t.expose("certificateManagementPolicy", {
      type: CertificateManagementPolicyType,
      nullable: true,
      description: "How its TLS certificates are to be managed; null when they are not.",
    }),
  }),
});

collection({
  kind: "agentIngress",
  plural: "agentIngresses",
  type: AgentIngressType,
  list: agentIngressList,
  filter: (t) => ({
    domain: t.string({
      description: "Only the one with this domain, such as `agents.example.com`, ignoring case.",
    }),
  }),
  searched: "description, metadata or domain",
  create: {
    note: "Refused when another one has the domain.",
    rule: agentIngressInputs.create,
    fields: (t) => ({
      domain: t.string({
        required: true,
        description:
          "The domain: a DNS name of at most 253 characters without a wildcard, such as `agents.example.com`; kept as given, cannot be changed later.",
      }),
      certificateManagementPolicy: newCertificateManagementPolicy(t),
    }),
    run: createAgentIngress,
  },
  update: {
    rule: agentIngressInputs.update,
    inputNote: "The domain cannot be changed.",
    fields: (t) => ({ certificateManagementPolicy: certificateManagementPolicyChange(t) }),
    run: updateAgentIngress,
  },
  remove: { run: deleteAgentIngress },
});
