import type { MutualTlsSettings } from "../../domain/modules/links.js";
import { MAX_CERTIFICATE_AUTHORITIES } from "../../domain/modules/links.js";
import { builder } from "../builder/builder.js";
import { CertificateAuthorityRef } from "../builder/resource-types.js";
import { targetsField } from "../reads/links.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const MutualTlsModule = builder.objectRef<MutualTlsSettings>("MutualTlsModule").implement({
  description: "Lets clients connect with a certificate of an authority that you trust.",
  interfaces: [Module],
  fields: (t) => ({
    certificateAuthorities: t.field({
      type: [CertificateAuthorityRef],
      description: "The authorities whose client certificates are accepted, in the order given.",
      ...targetsField({
        to: "certificate_authorities",
        member: "mutualTls",
        isInside: true,
        holds: MAX_CERTIFICATE_AUTHORITIES,
        id: ({ certificateAuthorityIds }: MutualTlsSettings) => certificateAuthorityIds,
      }),
    }),
  }),
});

const MutualTlsModuleInput = builder.inputType("MutualTlsModuleInput", {
  description:
    "Lets clients connect with a certificate of an authority that you trust. TLS must be terminated at the edge.",
  fields: (t) => ({
    enabled: enabledInput(t),
    certificateAuthorityIds: t.idList({
      required: true,
      description: `The ids of the authorities whose client certificates are accepted: 1 to ${MAX_CERTIFICATE_AUTHORITIES}, each once; the order is kept.`,
    }),
  }),
});

export const mutualTls: ModuleType<MutualTlsSettings> = {
  type: MutualTlsModule,
  input: MutualTlsModuleInput,
  about: "The client certificates that are accepted; null means that none are requested.",
  kind: "Accepts client certificates of authorities that you trust.",
};
