import {
  certificatesOfSshAuthorityList,
  sshUserCertificateList,
} from "../domain/lists/filters/ssh-user-certificates.js";
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
import { listField, targetField } from "./reads/reads.js";
import { SshCertificateAuthorityType, SshKeyTypeEnum } from "./ssh-certificate-authorities.js";

const SshUserCertificateType = builder
  .objectRef<SshUserCertificate>("SshUserCertificate")
  .implement({
    description:
      "A certificate with which the holder of a key logs in to machines that trust the authority. What is signed never changes.",
    interfaces: [Node],
    fields: (t) => ({
      publicKey: t.exposeString("publicKey", {
        description: "The key that the certificate signs, in OpenSSH's authorized_keys format.",
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
        description: "The users that the holder may log in as; see `warnings` when empty.",
        resolve: ({ principals }) => [...principals],
      }),
      criticalOptions: t.field({
        type: [NameValue],
        description: "What restricts the certificate: `force-command` and `source-address`.",
        resolve: ({ criticalOptions }) => nameValues(criticalOptions),
      }),
      extensions: t.field({
        type: [NameValue],
        description: "What the certificate permits, such as `permit-pty`.",
        resolve: ({ extensions }) => nameValues(extensions),
      }),
      validAfter: t.expose("validAfter", {
        type: "DateTime",
        description: "The first second of validity.",
      }),
      validUntil: t.expose("validUntil", {
        type: "DateTime",
        description: "The first second after the validity.",
      }),
      certificate: t.exposeString("certificate", {
        description:
          "The signed certificate in OpenSSH's authorized_keys format. Its key id is the `id` of this resource.",
      }),
      warnings: t.stringList({
        description: "What you should know before you use the certificate; empty when nothing.",
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
    sshCertificateAuthorityId: t.id({ description: "Those that this authority signed." }),
    principal: t.string({
      description: "Those with exactly this principal: 1 to 255 bytes, the case of letters counts.",
    }),
    keyType: t.field({ type: SshKeyTypeEnum, description: "Those for a key of this kind." }),
    validAt: t.field({
      type: "DateTime",
      description: "Those that are valid at this time; a fraction of a second is cut.",
    }),
    expiringBefore: t.field({
      type: "DateTime",
      description: "Those that have not expired yet and will have before this time.",
    }),
  }),
  create: {
    note: "The authority signs it.",
    rule: sshUserCertificateInputs.create,
    inputNote: "Only the texts can be changed later.",
    fields: (t) => ({
      sshCertificateAuthorityId: t.id({
        required: true,
        description: "The authority that is to sign the certificate.",
      }),
      publicKey: t.string({
        required: true,
        description:
          "The key to sign: one line `type base64 [comment]` of at most 16 KiB. Ed25519, ECDSA on a NIST curve, or RSA of 2048 to 16384 bits.",
      }),
      principals: t.stringList({
        description:
          "The users that the holder may log in as: at most 256 of 1 to 255 bytes each. None, the default, means any user, but OpenSSH matches such a certificate only by a `cert-authority` line in `authorized_keys`, and only before 10.3.",
      }),
      criticalOptions: nameValuesInput(
        t,
        "What restricts the certificate: `force-command` and `source-address`, of at most 4096 bytes each; default none.",
      ),
      extensions: nameValuesInput(
        t,
        "What the certificate permits: `permit-X11-forwarding`, `permit-agent-forwarding`, `permit-port-forwarding`, `permit-pty`, `permit-user-rc` and `no-touch-required`, with empty values, or your own `name@domain`. Default, also for an empty list: `permit-pty` and `permit-user-rc`.",
      ),
      validAfter: t.field({
        type: "DateTime",
        description: "The first second of validity; default now.",
      }),
      validUntil: t.field({
        type: "DateTime",
        description:
          "The first second after the validity, in the future; default 24 hours from now. The server limits the time from `validAfter` on.",
      }),
    }),
    run: createSshUserCertificate,
  },
  update: {
    rule: sshUserCertificateInputs.update,
    inputNote: "What is signed stays.",
    run: updateSshUserCertificate,
  },
  remove: {
    note: "Until it expires, the `revocationList` of its authority names it; servers that do not read that list go on trusting it.",
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
