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
      "An authority that signs SSH certificates. The service creates its key pair, which cannot be changed. The private key never leaves the service.",
    interfaces: [Node],
    fields: (t) => ({
      publicKey: t.exposeString("publicKey", {
        description:
          "The public key: one line for the `TrustedUserCAKeys` file of sshd, and after `@cert-authority` and host names for the `known_hosts` file of clients.",
      }),
      keyType: t.expose("keyType", {
        type: SshKeyTypeEnum,
        description: "The kind of the key that signs.",
      }),
      revocationList: t.string({
        description:
          "The `RevokedKeys` file of sshd and the `RevokedHostKeys` file of clients, in base64. It is an OpenSSH key revocation list with the deleted certificates, of users and of hosts, that have not expired.",
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
    inputNote: "The service creates its key pair.",
    fields: (t) => ({
      privateKeyType: t.field({
        type: SshKeyTypeEnum,
        description: "The kind of the key that signs; default `ED25519`.",
      }),
      ellipticCurve: t.field({
        type: EllipticCurve,
        description: "The curve of the key, only with `ECDSA`; default `P256`.",
      }),
      keySize: t.int({
        description:
          "The size of the key in bits, only with `RSA`: 2048, 3072 or 4096; default 4096.",
      }),
    }),
    run: createSshCertificateAuthority,
  },
  update: {
    rule: sshCertificateAuthorityInputs.update,
    inputNote: "The key cannot be changed.",
    run: updateSshCertificateAuthority,
  },
  remove: {
    note: "Its key and its revocation list are deleted with it. Refused with the code IN_USE while it has certificates, or while its revocation list has deleted certificates that have not expired. Servers and clients still trust its key after the delete, and only that list blocks those certificates.",
    run: deleteSshCertificateAuthority,
  },
});
