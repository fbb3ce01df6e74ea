import {
  sshUserCertificateList,
  userCertificatesOfSshAuthorityList,
} from "../domain/lists/filters/ssh-user-certificates.js";
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
  warningsOfUserCertificate,
} from "../domain/ssh-user-certificates.js";
import { builder, Node } from "./builder/builder.js";
import { listArguments } from "./builder/lists.js";
import { NameValue, nameValues, nameValuesInput } from "./builder/maps.js";
import { collection } from "./collection.js";
import { reads } from "./reads/field-reads.js";
import { listField } from "./reads/links.js";
import { SshCertificateAuthorityType } from "./ssh-certificate-authorities.js";
import {
  certificateFilter,
  SshCertificateInterface,
  signingInputs,
  validityInputs,
  WARNINGS,
} from "./ssh-certificates.js";

const SshUserCertificateType = builder
  .objectRef<SshUserCertificate>("SshUserCertificate")
  .implement({
    description:
      "A certificate with which the holder of a key logs in to machines that trust the authority. The signed content cannot be changed.",
    interfaces: [Node, SshCertificateInterface],
    fields: (t) => ({
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
      warnings: t.stringList({
        description: WARNINGS,
        extensions: reads({ members: ["principals"] }),
        resolve: warningsOfUserCertificate,
      }),
    }),
  });

const sshUserCertificates = collection({
  kind: "sshUserCertificate",
  plural: "sshUserCertificates",
  type: SshUserCertificateType,
  list: sshUserCertificateList,
  filter: certificateFilter,
  create: {
    note: "The authority signs it.",
    rule: sshUserCertificateInputs.create,
    inputNote: "Only description and metadata can be changed later.",
    fields: (t) => ({
      ...signingInputs(t),
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
      ...validityInputs(t, "24 hours from now"),
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

builder.objectField(SshCertificateAuthorityType, "userCertificates", (t) =>
  t.field({
    type: sshUserCertificates.connection,
    description: "The user certificates that this authority signed; newest first by default.",
    args: listArguments(t, sshUserCertificates),
    ...listField(userCertificatesOfSshAuthorityList),
  }),
);
