import type { ReferenceFragment } from "../generated/operations.js";
import { firstText, words } from "../words.js";
import { kindOf } from "./kinds.js";

export type Reference = ReferenceFragment;

/** What people call a resource: its description, or else what tells it from others of its kind. */
export function nameOf(resource: Reference): string {
  return firstText(resource.description, titleOf(resource), resource.id);
}

/** What tells a resource from others of its kind; empty when only its id does. */
export function titleOf(resource: Reference): string {
  switch (resource.__typename) {
    case "HttpsEdge":
    case "TlsEdge":
    case "TcpEdge":
      return resource.hostports.join(", ");
    case "HttpsEdgeRoute":
      return resource.match;
    case "StaticBackend":
      return resource.address;
    case "HttpResponseBackend":
      return `Status ${resource.statusCode}`;
    case "CertificateAuthority":
    case "TlsCertificate":
      return resource.subjectCommonName;
    case "ReservedAddr":
      return resource.addr;
    case "ReservedDomain":
    case "AgentIngress":
      return resource.domain;
    case "IpPolicyRule":
      return `${words(resource.action)} ${resource.cidr}`;
    case "IpRestriction":
      return words(resource.restricts);
    case "SshUserCertificate":
    case "SshHostCertificate":
      return resource.principals.join(", ");
    default:
      return "";
  }
}

/** The page of a resource, below the dashboard. */
export function pathOf({ __typename, id }: Pick<Reference, "__typename" | "id">): string {
  return `/${kindOf(__typename).path}/${id}`;
}
