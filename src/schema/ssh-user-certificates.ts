import {
  certificatesOfSshAuthorityList,
  sshUserCertificateList,
} from "../domain/lists/filters/ssh-user-certificates.js";
import { RSA_MAX_BITS, RSA_MIN_BITS } from "../domain/ssh/public-keys.js";
import {
  CRITICAL_OPTION_MAX_BYTES,
  MAX_PRINCIPALS,
  PRINCIPAL_MAX_BYTES,
} from "../domain/ssh/rules.js";
import {
  createSshUserCertificate,
  deleteSshUserCertificate,
  type SshUserCertificate,
  sshUserCertificateInputs,
  updateSshUserCertificate,
  warningsOf,
} from "../domain/ssh-user-certificates.js";
import { builder, Node } from "./builder/builder.js";
import { listArguments } from "./builder/lists.js";
import { NameValue, nameValues, nameValuesInput } from "./builder/maps.js";
import { collection } from "./collection.js";
import { reads } from "./reads/field-reads.js";
import { listField, targetField } from "./reads/links.js";
import { SshCertificateAuthorityType, SshKeyTypeEnum } from "./ssh-certificate-authorities.js";

const SshUserCertificateType = builder
  .objectRef<SshUserCertificate>("SshUserCertificate")
  .implement({
    description:
      "A certificate with which the holder of a key logs in to machines that trust the authority. The signed content cannot be changed.",
    interfaces: [Node],
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
          id: ({ sshCertificateAuthorityId }: SshUserCertificate) => sshCertificateAuthorityId,
        }),
      }),
      principals: t.stringList({
        description: "The users as which the holder may log in; see `warnings` when empty.",
        resolve: ({ principals }) => [...principals],
      }),
      criticalOptions: t.field({
        type: [NameValue],
        description: "The restrictions of the certificate: `force-command` and `source-address`.",
        resolve: ({ criticalOptions }) => nameValues(criticalOptions),
      }),
      extensions: t.field({
        type: [NameValue],
        description: "The permissions of the certificate, such as `permit-pty`.",
        resolve: ({ extensions }) => nameValues(extensions),
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
      warnings: t.stringList({
        description: "Warnings to read before you use the certificate; empty when there are none.",
        extensions: reads({ members: ["principals"] }),
        resolve: warningsOf,
      }),
    }),
  });

const sshUserCertificates = collection({
  kind: "sshUserCertificate",
  plural: "sshUserCertificates",
  type: SshUserCertificateType,
  list: sshUserCertificateList,
  filter: (t) => ({
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
  }),
  create: {
    note: "The authority signs it.",
    rule: sshUserCertificateInputs.create,
    inputNote: "Only description and metadata can be changed later.",
    fields: (t) => ({
      sshCertificateAuthorityId: t.id({
        required: true,
        description: "The id of the authority that signs the certificate.",
      }),
      publicKey: t.string({
        required: true,
        description: `The key to sign: one line \`type base64 [comment]\` of at most 16 KiB. Ed25519, ECDSA on a NIST curve, or RSA of ${RSA_MIN_BITS} to ${RSA_MAX_BITS} bits.`,
      }),
      principals: t.stringList({
        description: `The users as which the holder may log in: at most ${MAX_PRINCIPALS}, of 1 to ${PRINCIPAL_MAX_BYTES} bytes each. The default, an empty list, means any user. OpenSSH accepts such a certificate only with a \`cert-authority\` line in \`authorized_keys\`, and only in versions before 10.3.`,
      }),
      criticalOptions: nameValuesInput(
        t,
        `The restrictions of the certificate: \`force-command\` and \`source-address\`, at most ${CRITICAL_OPTION_MAX_BYTES} bytes each; default none.`,
      ),
      extensions: nameValuesInput(
        t,
        "The permissions of the certificate: `permit-X11-forwarding`, `permit-agent-forwarding`, `permit-port-forwarding`, `permit-pty`, `permit-user-rc` and `no-touch-required`, with empty values, or your own `name@domain`. Default: `permit-pty` and `permit-user-rc`, also for an empty list.",
      ),
      validAfter: t.field({
        type: "DateTime",
        description:
          "The start of validity: the first second in which the certificate is valid; default now.",
      }),
      validUntil: t.field({
        type: "DateTime",
        description:
          "The end of validity: the first second in which the certificate is no longer valid. It must be in the future; default 24 hours from now. The server limits the time between `validAfter` and `validUntil`.",
      }),
    }),
    run: createSshUserCertificate,
  },
  update: {
    rule: sshUserCertificateInputs.update,
    inputNote: "The signed content cannot be changed.",
    run: updateSshUserCertificate,
  },
  remove: {
    note: "The `revocationList` of its authority contains it until it expires. Servers that do not read that list still trust it.",
    run: deleteSshUserCertificate,
  },
});

builder.objectField(SshCertificateAuthorityType, "certificates", (t) =>
  t.field({
    type: sshUserCertificates.connection,
    description: "The certificates that this authority signed; newest first by default.",
    args: listArguments(t, sshUserCertificates),
    ...listField(certificatesOfSshAuthorityList),
  }),
);
