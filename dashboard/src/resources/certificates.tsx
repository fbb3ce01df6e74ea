import { Validity } from "../components/validity.js";
import { RESOURCE_OPERATIONS } from "../generated/resource-operations.js";
import { defineResource } from "./resource.js";

export const certificateAuthorities = defineResource(
  "CertificateAuthority",
  RESOURCE_OPERATIONS.CertificateAuthority,
  {
    purpose: "A certificate authority signs the certificates of clients, which mutual TLS accepts.",
    columns: [
      { header: "Common name", show: ({ subjectCommonName }) => subjectCommonName },
      {
        header: "Valid",
        show: ({ notBefore, notAfter }) => <Validity from={notBefore} until={notAfter} />,
      },
    ],
  },
);

export const tlsCertificates = defineResource(
  "TlsCertificate",
  RESOURCE_OPERATIONS.TlsCertificate,
  {
    purpose: "A TLS certificate, with its private key, is served for reserved domains.",
    columns: [
      {
        header: "Names",
        show: ({ subjectAlternativeNames: { dnsNames, ips } }) => [...dnsNames, ...ips].join(", "),
      },
      {
        header: "Valid",
        show: ({ notBefore, notAfter }) => <Validity from={notBefore} until={notAfter} />,
      },
    ],
  },
);
