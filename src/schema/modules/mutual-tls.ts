import type { MutualTlsSettings } from "../../domain/modules/links.js";
import { builder } from "../builder/builder.js";
import { CertificateAuthorityType } from "../certificate-authorities.js";
import { targetsField } from "../reads/reads.js";
import { enabledInput, Module } from "./module.js";

export const MutualTlsModule = builder.objectRef<MutualTlsSettings>("MutualTlsModule").implement({
  description: "Lets clients connect with a certificate of an authority that you trust.",
  interfaces: [Module],
  fields: (t) => ({
    certificateAuthorities: t.field({
      type: [CertificateAuthorityType],
      description: "The authorities whose client certificates are accepted, in the order given.",
      ...targetsField({
        to: "certificate_authorities",
        member: "mutualTls",
        isInside: true,
        id: ({ certificateAuthorityIds }: MutualTlsSettings) => certificateAuthorityIds,
      }),
    }),
  }),
});

export const MutualTlsModuleInput = builder.inputType("MutualTlsModuleInput", {
  description:
    "Lets clients connect with a certificate of an authority that you trust. TLS must be terminated at the edge.",
  fields: (t) => ({
    enabled: enabledInput(t),
    certificateAuthorityIds: t.idList({
      required: true,
      description:
        "The ids of the authorities whose client certificates are accepted: 1 to 10, each once; the order is kept.",
    }),
  }),
});
