import { ReferenceLink } from "../components/reference-link.js";
import { Validity } from "../components/validity.js";
import { RESOURCE_OPERATIONS } from "../generated/resource-operations.js";
import { words } from "../words.js";
import { defineResource } from "./resource.js";

export const sshCertificateAuthorities = defineResource(
  "SshCertificateAuthority",
  RESOURCE_OPERATIONS.SshCertificateAuthority,
  {
    purpose: "An SSH certificate authority signs the keys of users and of hosts.",
    columns: [{ header: "Key type", show: ({ keyType }) => words(keyType) }],
  },
);

export const sshUserCertificates = defineResource(
  "SshUserCertificate",
  RESOURCE_OPERATIONS.SshUserCertificate,
  {
    purpose: "With an SSH user certificate somebody logs in as the users that it names.",
    columns: [
      { header: "Principals", show: ({ principals }) => principals.join(", ") || "Any user" },
      {
        header: "Authority",
        show: ({ sshCertificateAuthority }) => <ReferenceLink to={sshCertificateAuthority} />,
      },
      {
        header: "Valid",
        show: ({ validAfter, validUntil }) => <Validity from={validAfter} until={validUntil} />,
      },
    ],
  },
);

export const sshHostCertificates = defineResource(
  "SshHostCertificate",
  RESOURCE_OPERATIONS.SshHostCertificate,
  {
    purpose: "With an SSH host certificate a host shows who it is.",
    columns: [
      { header: "Principals", show: ({ principals }) => principals.join(", ") || "Any host" },
      {
        header: "Authority",
        show: ({ sshCertificateAuthority }) => <ReferenceLink to={sshCertificateAuthority} />,
      },
      {
        header: "Valid",
        show: ({ validAfter, validUntil }) => <Validity from={validAfter} until={validUntil} />,
      },
    ],
  },
);

export const sshCredentials = defineResource("SshCredential", RESOURCE_OPERATIONS.SshCredential, {
  purpose: "An SSH credential is a public key with which tunnels are opened over SSH.",
  columns: [
    { header: "Key type", show: ({ keyType }) => words(keyType) },
    { header: "May bind", show: ({ acl }) => acl.join(", ") || "Anything" },
  ],
});
