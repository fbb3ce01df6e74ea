import {
  hostCertificatesOfSshAuthorityList,
  sshHostCertificateList,
} from "../domain/lists/filters/ssh-host-certificates.js";
import { MAX_PRINCIPALS, PRINCIPAL_MAX_BYTES } from "../domain/ssh/rules.js";
import {
  createSshHostCertificate,
  deleteSshHostCertificate,
  type SshHostCertificate,
  sshHostCertificateInputs,
  updateSshHostCertificate,
  warningsOfHostCertificate,
} from "../domain/ssh-host-certificates.js";
import { builder, Node } from "./builder/builder.js";
import { listArguments } from "./builder/lists.js";
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

const SshHostCertificateType = builder
  .objectRef<SshHostCertificate>("SshHostCertificate")
  .implement({
    description:
      "A certificate by which SSH clients that trust the authority know a host. The `HostCertificate` file of its sshd has it. The signed content cannot be changed.",
    interfaces: [Node, SshCertificateInterface],
    fields: (t) => ({
      principals: t.stringList({
        description: "The names and addresses of the host; see `warnings`.",
        resolve: ({ principals }) => [...principals],
      }),
      warnings: t.stringList({
        description: WARNINGS,
        extensions: reads({ members: ["principals"] }),
        resolve: warningsOfHostCertificate,
      }),
    }),
  });

const sshHostCertificates = collection({
  kind: "sshHostCertificate",
  plural: "sshHostCertificates",
  type: SshHostCertificateType,
  list: sshHostCertificateList,
  filter: certificateFilter,
  create: {
    note: "The authority signs it.",
    rule: sshHostCertificateInputs.create,
    inputNote: "Only description and metadata can be changed later.",
    fields: (t) => ({
      ...signingInputs(t),
      principals: t.stringList({
        description: `The names and addresses of the host, as clients write them and in small letters: at most ${MAX_PRINCIPALS}, of 1 to ${PRINCIPAL_MAX_BYTES} bytes each, without port. OpenSSH matches patterns such as \`*.example.com\` from 10.3 on. The default, an empty list, means any host for OpenSSH before 10.3, and none for later versions.`,
      }),
      ...validityInputs(t, "365 days from now, or less where the server allows less"),
    }),
    run: createSshHostCertificate,
  },
  update: {
    rule: sshHostCertificateInputs.update,
    inputNote: "The signed content cannot be changed.",
    run: updateSshHostCertificate,
  },
  remove: {
    note: "The `revocationList` of its authority contains it until it expires. Clients that do not read that list still trust it.",
    run: deleteSshHostCertificate,
  },
});

builder.objectField(SshCertificateAuthorityType, "hostCertificates", (t) =>
  t.field({
    type: sshHostCertificates.connection,
    description: "The host certificates that this authority signed; newest first by default.",
    args: listArguments(t, sshHostCertificates),
    ...listField(hostCertificatesOfSshAuthorityList),
  }),
);
