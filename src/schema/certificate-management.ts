import type { CertificateManagementPolicy } from "../domain/formats/certificate-management.js";
import { builder } from "./builder/builder.js";
import type { InputFields } from "./builder/inputs.js";

// How the certificates of a domain are managed: the type and the inputs that all resources with a domain share.

const CertificateManagementAuthority = builder.enumType("CertificateManagementAuthority", {
  description: "Who issues the certificates of a domain.",
  values: {
    LETSENCRYPT: { value: "letsencrypt", description: "Let's Encrypt; the default." },
  } as const,
});

const CertificatePrivateKeyType = builder.enumType("CertificatePrivateKeyType", {
  description: "The type of the private keys for which certificates are requested.",
  values: {
    RSA: { value: "rsa", description: "RSA; the default." },
    ECDSA: { value: "ecdsa", description: "ECDSA." },
  } as const,
});

export const CertificateManagementPolicyType = builder
  .objectRef<CertificateManagementPolicy>("CertificateManagementPolicy")
  .implement({
    description: "How the TLS certificates of a domain are to be managed.",
    fields: (t) => ({
      authority: t.expose("authority", {
        type: CertificateManagementAuthority,
        description: "Who is to issue the certificates.",
      }),
      privateKeyType: t.expose("privateKeyType", {
        type: CertificatePrivateKeyType,
        description: "The type of the private keys for which certificates are to be requested.",
      }),
    }),
  });

const CertificateManagementPolicyInput = builder.inputType("CertificateManagementPolicyInput", {
  description: "How the TLS certificates of a domain are to be managed.",
  fields: (t) => ({
    authority: t.field({
      type: CertificateManagementAuthority,
      description: "Who is to issue the certificates; default `LETSENCRYPT`.",
    }),
    privateKeyType: t.field({
      type: CertificatePrivateKeyType,
      description:
        "The type of the private keys for which certificates are to be requested; default `RSA`.",
    }),
  }),
});

/** The input for the policy of a new resource. */
export function newCertificateManagementPolicy(t: InputFields) {
  return t.field({
    type: CertificateManagementPolicyInput,
    description:
      "How its TLS certificates are to be managed: `{}` takes the defaults; default not at all.",
  });
}

/** The input for the change of a policy. */
export function certificateManagementPolicyChange(t: InputFields) {
  return t.field({
    type: CertificateManagementPolicyInput,
    description:
      "How its TLS certificates are to be managed. A member that is absent or null keeps its value, and `{}` changes nothing; null ends the management.",
  });
}
