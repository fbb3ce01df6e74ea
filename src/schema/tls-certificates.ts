import type { SubjectAlternativeNames } from "../domain/formats/server-certificates.js";
import { tlsCertificateList } from "../domain/lists/filters/tls-certificates.js";
import {
  createTlsCertificate,
  deleteTlsCertificate,
  type TlsCertificate,
  tlsCertificateInputs,
  updateTlsCertificate,
} from "../domain/tls-certificates.js";
import { builder, Node } from "./builder/builder.js";
import { collection } from "./collection.js";

const TlsCertificateKeyTypeEnum = builder.enumType("TlsCertificateKeyType", {
  description: "A kind of private key of a TLS certificate.",
  values: {
    RSA: { value: "rsa", description: "RSA." },
    ECDSA: { value: "ecdsa", description: "ECDSA on a NIST curve." },
    ED25519: { value: "ed25519", description: "Ed25519." },
  } as const,
});

const SubjectAlternativeNamesType = builder
  .objectRef<SubjectAlternativeNames>("SubjectAlternativeNames")
  .implement({
    description: "The names for which a certificate is valid.",
    fields: (t) => ({
      dnsNames: t.stringList({
        description: "The DNS names, which can start with `*.`; empty when there are none.",
        resolve: ({ dnsNames }) => [...dnsNames],
      }),
      ips: t.stringList({
        description: "The IP addresses; empty when there are none.",
        resolve: ({ ips }) => [...ips],
      }),
    }),
  });

export const TlsCertificateType = builder.objectRef<TlsCertificate>("TlsCertificate").implement({
  description:
    "A certificate for TLS connections, with its chain and its private key. None of them can be changed. The private key never leaves the service.",
  interfaces: [Node],
  fields: (t) => ({
    certificatePem: t.exposeString("certificatePem", {
      description:
        "The X.509 certificate in PEM, followed by the rest of its chain if it was given; as given. The other fields are those of the first certificate.",
    }),
    privateKeyType: t.expose("privateKeyType", {
      type: TlsCertificateKeyTypeEnum,
      description: "The kind of the private key.",
    }),
    subjectCommonName: t.exposeString("subjectCommonName", {
      description: "The common name of the subject; empty when it has none.",
    }),
    subjectOrganization: t.exposeString("subjectOrganization", {
      description: "The organization of the subject; empty when it has none.",
    }),
    subjectOrganizationalUnit: t.exposeString("subjectOrganizationalUnit", {
      description: "The organizational unit of the subject; empty when it has none.",
    }),
    subjectLocality: t.exposeString("subjectLocality", {
      description: "The locality of the subject; empty when it has none.",
    }),
    subjectProvince: t.exposeString("subjectProvince", {
      description: "The state or province of the subject; empty when it has none.",
    }),
    subjectCountry: t.exposeString("subjectCountry", {
      description: "The country of the subject; empty when it has none.",
    }),
    subjectAlternativeNames: t.field({
      type: SubjectAlternativeNamesType,
      description: "The names for which the certificate is valid.",
      resolve: ({ subjectAlternativeNames }) => subjectAlternativeNames,
    }),
    issuerCommonName: t.exposeString("issuerCommonName", {
      description: "The common name of the issuer; empty when it has none.",
    }),
    serialNumber: t.exposeString("serialNumber", {
      description: "The serial number, in lower-case hexadecimal digits.",
    }),
    issuedAt: t.expose("issuedAt", {
      type: "DateTime",
      nullable: true,
      description: "When the service had the certificate issued; null when you uploaded it.",
    }),
    notBefore: t.expose("notBefore", {
      type: "DateTime",
      description: "The start of validity: the first second in which the certificate is valid.",
    }),
    notAfter: t.expose("notAfter", {
      type: "DateTime",
      description: "The end of validity: the last second in which the certificate is valid.",
    }),
    keyUsages: t.stringList({
      description:
        "The key usages of the certificate, such as `digital_signature` (RFC 5280); empty when not limited.",
      resolve: ({ keyUsages }) => [...keyUsages],
    }),
    extendedKeyUsages: t.stringList({
      description:
        "The extended key usages of the certificate, such as `server_auth`, or an object identifier; empty when not limited.",
      resolve: ({ extendedKeyUsages }) => [...extendedKeyUsages],
    }),
  }),
});

collection({
  kind: "tlsCertificate",
  plural: "tlsCertificates",
  type: TlsCertificateType,
  list: tlsCertificateList,
  filter: (t) => ({
    dnsName: t.string({
      description:
        "Only those that are valid for this DNS name, which can start with `*.`: it is among theirs, ignoring case, or a wildcard covers it.",
    }),
    expiringBefore: t.field({
      type: "DateTime",
      description: "Only those that have not expired but expire before this time.",
    }),
    unused: t.boolean({
      description: "True: only those that no reserved domain uses. False: only the others.",
    }),
  }),
  searched: "description, metadata, common name or DNS names",
  create: {
    rule: tlsCertificateInputs.create,
    fields: (t) => ({
      certificatePem: t.string({
        required: true,
        description:
          "The X.509 certificate in PEM, and behind it those of its chain: at most 64 KiB; cannot be changed later.",
      }),
      privateKeyPem: t.string({
        required: true,
        description:
          "The private key of the first certificate in PEM, not encrypted: PKCS #8, PKCS #1 or SEC 1, at most 16 KiB. RSA of 2048 to 8192 bits, ECDSA on P-256, P-384 or P-521, or Ed25519. It is stored encrypted and never shown; it cannot be changed later.",
      }),
    }),
    run: createTlsCertificate,
  },
  update: {
    rule: tlsCertificateInputs.update,
    inputNote: "The certificate and its key cannot be changed.",
    run: updateTlsCertificate,
  },
  remove: {
    note: "Its private key is deleted with it. Refused while a reserved domain uses it.",
    run: deleteTlsCertificate,
  },
});
