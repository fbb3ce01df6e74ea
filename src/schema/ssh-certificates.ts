import { RSA_MAX_BITS, RSA_MIN_BITS } from "../domain/ssh/key-formats.js";
import { PRINCIPAL_MAX_BYTES } from "../domain/ssh/rules.js";
import type { SshHostCertificate } from "../domain/ssh-host-certificates.js";
import type { SshUserCertificate } from "../domain/ssh-user-certificates.js";
import { builder, Node, typeOfNode } from "./builder/builder.js";
import type { InputFields } from "./builder/inputs.js";
import { targetField } from "./reads/links.js";
import { SshCertificateAuthorityType, SshKeyTypeEnum } from "./ssh-certificate-authorities.js";

type SshCertificate = SshHostCertificate | SshUserCertificate;

export const SshCertificateInterface = builder
  .interfaceRef<SshCertificate>("SshCertificate")
  .implement({
    description:
      "A certificate that an SSH certificate authority signed: for a user or for a host. The signed content cannot be changed.",
    interfaces: [Node],
    resolveType: typeOfNode,
    fields: (t) => ({
      publicKey: t.exposeString("publicKey", {
        description:
          "The key for which the certificate was signed, in OpenSSH's authorized_keys format.",
      }),
      keyType: t.expose("keyType", {
        type: SshKeyTypeEnum,
        description: "The kind of `publicKey`.",
      }),
      sshCertificateAuthority: t.field({
        type: SshCertificateAuthorityType,
        description: "The authority that signed the certificate.",
        ...targetField({
          to: "ssh_certificate_authorities",
          member: "sshCertificateAuthorityId",
          id: ({ sshCertificateAuthorityId }: SshCertificate) => sshCertificateAuthorityId,
        }),
      }),
      principals: t.stringList({
        description:
          "The users as which the holder may log in, or the names and addresses of the host; see `warnings` when empty.",
        resolve: ({ principals }) => [...principals],
      }),
      validAfter: t.expose("validAfter", {
        type: "DateTime",
        description: "The start of validity: the first second in which the certificate is valid.",
      }),
      validUntil: t.expose("validUntil", {
        type: "DateTime",
        description:
          "The end of validity: the first second in which the certificate is no longer valid.",
      }),
      certificate: t.exposeString("certificate", {
        description:
          "The signed certificate in OpenSSH's authorized_keys format. Its key id is the `id` of this resource.",
      }),
    }),
  });

/** The description of the warnings that each kind of certificate has. */
export const WARNINGS =
  "Warnings to read before you use the certificate; empty when there are none.";

/** The filter fields of certificates of one kind. */
export function certificateFilter(t: InputFields) {
  return {
    sshCertificateAuthorityId: t.id({ description: "Only those that this authority signed." }),
    principal: t.string({
      description: `Only those with exactly this principal: 1 to ${PRINCIPAL_MAX_BYTES} bytes, case-sensitive.`,
    }),
    keyType: t.field({ type: SshKeyTypeEnum, description: "Only those for a key of this kind." }),
    validAt: t.field({
      type: "DateTime",
      description: "Only those that are valid at this time; fractions of a second are ignored.",
    }),
    expiringBefore: t.field({
      type: "DateTime",
      description: "Only those that have not expired but expire before this time.",
    }),
  };
}

/** The inputs that say who signs which key. */
export function signingInputs(t: InputFields) {
  return {
    sshCertificateAuthorityId: t.id({
      required: true,
      description: "The id of the authority that signs the certificate.",
    }),
    publicKey: t.string({
      required: true,
      description: `The key to sign: one line \`type base64 [comment]\` of at most 16 KiB. Ed25519, ECDSA on a NIST curve, or RSA of ${RSA_MIN_BITS} to ${RSA_MAX_BITS} bits.`,
    }),
  };
}

/** The inputs that say when the certificate is valid; `byDefault` is where it ends when nothing is said. */
export function validityInputs(t: InputFields, byDefault: string) {
  return {
    validAfter: t.field({
      type: "DateTime",
      description:
        "The start of validity: the first second in which the certificate is valid; default now.",
    }),
    validUntil: t.field({
      type: "DateTime",
      description: `The end of validity: the first second in which the certificate is no longer valid. It must be in the future; default ${byDefault}. The server limits the time between \`validAfter\` and \`validUntil\`.`,
    }),
  };
}
