import { z } from "zod";
import { privateKeyType } from "../domain/core/enumerations.js";
import {
  createTlsCertificate,
  deleteTlsCertificate,
  tlsCertificateInputs,
  updateTlsCertificate,
} from "../domain/tls-certificates.js";
import { row, time } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";
import { EXAMPLE_SERVER_CERTIFICATE, EXAMPLE_SERVER_KEY } from "./contract/examples.js";

export const tlsCertificates = collection({
  kind: "tlsCertificate",
  path: "/tls_certificates",
  listKey: "tls_certificates",
  answer: z.strictObject({
    ...row("tlsCertificate"),
    certificate_pem: z.string(),
    subject_common_name: z.string(),
    subject_alternative_names: z.strictObject({
      dns_names: z.array(z.string()),
      ips: z.array(z.string()),
    }),
    issued_at: time.nullable(),
    not_before: time,
    not_after: time,
    key_usages: z.array(z.string()),
    extended_key_usages: z.array(z.string()),
    private_key_type: privateKeyType,
    issuer_common_name: z.string(),
    serial_number: z.string(),
    subject_organization: z.string(),
    subject_organizational_unit: z.string(),
    subject_locality: z.string(),
    subject_province: z.string(),
    subject_country: z.string(),
  }),
  example: { certificatePem: EXAMPLE_SERVER_CERTIFICATE, privateKeyPem: EXAMPLE_SERVER_KEY },
  inputs: tlsCertificateInputs,
  create: createTlsCertificate,
  update: updateTlsCertificate,
  remove: deleteTlsCertificate,
  view: (certificate, link) => ({
    id: certificate.id,
    uri: link(`/tls_certificates/${certificate.id}`),
    created_at: timestamp(certificate.createdAt),
    description: certificate.description,
    metadata: certificate.metadata,
    certificate_pem: certificate.certificatePem,
    subject_common_name: certificate.subjectCommonName,
    subject_alternative_names: {
      dns_names: certificate.subjectAlternativeNames.dnsNames,
      ips: certificate.subjectAlternativeNames.ips,
    },
    issued_at: certificate.issuedAt && timestamp(certificate.issuedAt),
    not_before: timestamp(certificate.notBefore),
    not_after: timestamp(certificate.notAfter),
    key_usages: certificate.keyUsages,
    extended_key_usages: certificate.extendedKeyUsages,
    private_key_type: certificate.privateKeyType,
    issuer_common_name: certificate.issuerCommonName,
    serial_number: certificate.serialNumber,
    subject_organization: certificate.subjectOrganization,
    subject_organizational_unit: certificate.subjectOrganizationalUnit,
    subject_locality: certificate.subjectLocality,
    subject_province: certificate.subjectProvince,
    subject_country: certificate.subjectCountry,
  }),
});
