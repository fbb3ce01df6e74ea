import { Hostports } from "../components/hostports.js";
import { ModuleChips } from "../components/module-chips.js";
import { ReferenceLink } from "../components/reference-link.js";
import { RESOURCE_OPERATIONS } from "../generated/resource-operations.js";
import { counted, words } from "../words.js";
import { defineResource } from "./resource.js";

export const httpsEdges = defineResource("HttpsEdge", RESOURCE_OPERATIONS.HttpsEdge, {
  purpose:
    "An HTTPS edge is where requests arrive. Its routes say where they go, and what is done to them.",
  columns: [
    { header: "Hostports", show: ({ hostports }) => <Hostports hostports={hostports} /> },
    { header: "Modules", show: (edge) => <ModuleChips owner={edge} /> },
  ],
});

export const httpsEdgeRoutes = defineResource(
  "HttpsEdgeRoute",
  RESOURCE_OPERATIONS.HttpsEdgeRoute,
  {
    purpose:
      "A route says what is done to the requests of an edge that match it. Routes are made on the page of their edge.",
    columns: [
      { header: "Match", show: ({ match }) => match },
      { header: "Match type", show: ({ matchType }) => words(matchType) },
      { header: "Edge", show: ({ edge }) => <ReferenceLink to={edge} /> },
      { header: "Modules", show: (route) => <ModuleChips owner={route} /> },
    ],
  },
);

export const tlsEdges = defineResource("TlsEdge", RESOURCE_OPERATIONS.TlsEdge, {
  purpose: "A TLS edge forwards TLS connections to a backend.",
  columns: [
    { header: "Hostports", show: ({ hostports }) => <Hostports hostports={hostports} /> },
    { header: "Modules", show: (edge) => <ModuleChips owner={edge} /> },
  ],
});

export const tcpEdges = defineResource("TcpEdge", RESOURCE_OPERATIONS.TcpEdge, {
  purpose: "A TCP edge forwards TCP connections to a backend.",
  columns: [
    { header: "Hostports", show: ({ hostports }) => <Hostports hostports={hostports} /> },
    { header: "Modules", show: (edge) => <ModuleChips owner={edge} /> },
  ],
});

export const endpointConfigurations = defineResource(
  "EndpointConfiguration",
  RESOURCE_OPERATIONS.EndpointConfiguration,
  {
    purpose: "An endpoint configuration has the modules of reserved addresses and domains.",
    columns: [
      { header: "Type", show: ({ type }) => words(type) },
      { header: "Modules", show: (configuration) => <ModuleChips owner={configuration} /> },
    ],
  },
);

export const reservedAddrs = defineResource("ReservedAddr", RESOURCE_OPERATIONS.ReservedAddr, {
  purpose: "A reserved address is a hostname and port that stays yours.",
  columns: [
    { header: "Address", show: ({ addr }) => addr },
    { header: "Region", show: ({ region }) => words(region) },
    {
      header: "Endpoint configuration",
      show: ({ endpointConfiguration }) =>
        endpointConfiguration && <ReferenceLink to={endpointConfiguration} />,
    },
  ],
});

export const reservedDomains = defineResource(
  "ReservedDomain",
  RESOURCE_OPERATIONS.ReservedDomain,
  {
    purpose: "A reserved domain is a name that stays yours, with its certificate.",
    columns: [
      { header: "Domain", show: ({ domain }) => domain },
      {
        header: "Certificate",
        show: ({ certificate }) => certificate && <ReferenceLink to={certificate} />,
      },
    ],
  },
);

export const agentIngresses = defineResource("AgentIngress", RESOURCE_OPERATIONS.AgentIngress, {
  purpose: "An agent ingress is a domain of your own below which agents connect.",
  columns: [
    { header: "Domain", show: ({ domain }) => domain },
    {
      header: "Certificates",
      show: ({ certificateManagementPolicy: policy }) =>
        policy ? `${words(policy.authority)}, ${words(policy.privateKeyType)}` : "Not managed",
    },
  ],
});

export const ipRestrictions = defineResource("IpRestriction", RESOURCE_OPERATIONS.IpRestriction, {
  purpose: "An IP restriction says from which networks something may be reached.",
  columns: [
    { header: "Type", show: ({ type }) => words(type) },
    { header: "Enforced", show: ({ enforced }) => (enforced ? "Yes" : "No") },
    {
      header: "IP policies",
      show: ({ ipPolicies }) => counted(ipPolicies.length, "IP policy", "IP policies"),
    },
  ],
});
