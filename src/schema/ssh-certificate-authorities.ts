import { sshCertificateAuthorityList } from "../domain/lists/filters/ssh-certificate-authorities.js";
import {
  createSshCertificateAuthority,
  deleteSshCertificateAuthority,
  revocationListsOf,
  type SshCertificateAuthority,
  sshCertificateAuthorityInputs,
  updateSshCertificateAuthority,
} from "../domain/ssh-certificate-authorities.js";
import { builder, Node } from "./builder/builder.js";
import { loadFrom } from "./builder/loaders.js";
import { collection } from "./collection.js";
import { reads } from "./reads/field-reads.js";

export const SshKeyTypeEnum = builder.enumType("SshKeyType", {
  description: "A kind of SSH key.",
  values: {
    ED25519: { value: "ed25519", description: "Ed25519." },
    RSA: { value: "rsa", description: "RSA; signs with SHA-512." },
    ECDSA: { value: "ecdsa", description: "ECDSA on a NIST curve." },
  } as const,
});

const EllipticCurve = builder.enumType("EllipticCurve", {
  description: "The curve of an ECDSA key.",
  values: {
    P256: { value: "p256", description: "NIST P-256; the default." },
    P384: { value: "p384", description: "NIST P-384." },
    P521: { value: "p521", description: "NIST P-521." },
  } as const,
});

export const SshCertificateAuthorityType = builder
  .objectRef<SshCertificateAuthority>("SshCertificateAuthority")
  .implement({
    description:
      "Who signs SSH certificates. Its key pair is made by the service, never changes, and the private half never leaves it.",
    interfaces: [Node],
    fields: (t) => ({
      publicKey: t.exposeString("publicKey", {
        description: "One line for the file that `TrustedUserCAKeys` of sshd names.",
      }),
      keyType: t.expose("keyType", {
        type: SshKeyTypeEnum,
        description: "The kind of key that it signs with.",
      }),
      revocationList: t.string({
        description:
          "The file for `RevokedKeys` of sshd, in base64: an OpenSSH key revocation list of its deleted certificates that have not expired.",
        extensions: reads({ members: [] }),
        resolve: async ({ id }, _, context) => {
          const readMap = (ids: readonly string[]) => revocationListsOf(context, ids);
          const list = await loadFrom(context, revocationListsOf, "", readMap, id);
          return list?.toString("base64") ?? "";
        },
      }),
    }),
  });

collection({
  kind: "sshCertificateAuthority",
  plural: "sshCertificateAuthorities",
  type: SshCertificateAuthorityType,
  list: sshCertificateAuthorityList,
  create: {
    rule: sshCertificateAuthorityInputs.create,
    inputNote: "The service makes its key pair.",
    fields: (t) => ({
      privateKeyType: t.field({
        type: SshKeyTypeEnum,
        description: "The kind of key to sign with; default `ED25519`.",
      }),
      ellipticCurve: t.field({
        type: EllipticCurve,
        description: "The curve, only with `ECDSA`; default `P256`.",
      }),
      keySize: t.int({
        description: "Bits of the key, only with `RSA`: 2048, 3072 or 4096; default 4096.",
      }),
    }),
    run: createSshCertificateAuthority,
  },
  update: {
    rule: sshCertificateAuthorityInputs.update,
    inputNote: "The key stays.",
    run: updateSshCertificateAuthority,
  },
  remove: {
    note: "Its key and its revocation list go with it. Refused with the code IN_USE while it has certificates, and while its revocation list names deleted ones that have not expired: servers that trust its key go on doing so, and only that list keeps those out.",
    run: deleteSshCertificateAuthority,
  },
});
