import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { SshKeyType } from "./key-formats.js";
import { formatPublicKey, publicKeyOf } from "./public-keys.js";

const generate = promisify(generateKeyPair);

export const ELLIPTIC_CURVES = ["p256", "p384", "p521"] as const;
/** Bits of an RSA key. */
export const KEY_SIZES = [2048, 3072, 4096] as const;

/** The kind of key with which an authority signs. `bits` is the length of the RSA modulus. */
export type AuthorityKeyKind =
  | { type: "ed25519" }
  | { type: "rsa"; bits: (typeof KEY_SIZES)[number] }
  | { type: "ecdsa"; curve: (typeof ELLIPTIC_CURVES)[number] };

/** A new authority's key pair. `privateKeyPem` is a secret: seal it before it is stored. */
export type AuthorityKey = {
  /** PKCS #8 as PEM, not encrypted. */
  privateKeyPem: string;
  /** One line of OpenSSH's authorized_keys format, without comment and newline. */
  publicKey: string;
  keyType: SshKeyType;
};

/**
 * Makes the key pair of a certificate authority with the operating system's randomness, off the
 * event loop; 4096 bits of RSA take seconds. There are no defaults here: the API's are `ed25519`,
 * 4096 bits for `rsa` and `p256` for `ecdsa` (ssh-certificates.md, "Encoding", authorities).
 */
export async function createAuthorityKey(kind: AuthorityKeyKind): Promise<AuthorityKey> {
  const { privateKey, publicKey } = await generateKeys(kind);
  const encoded = publicKeyOf(publicKey);
  return {
    privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: formatPublicKey(encoded),
    keyType: encoded.keyType,
  };
}

function generateKeys(
  kind: AuthorityKeyKind,
): Promise<{ privateKey: KeyObject; publicKey: KeyObject }> {
  if (kind.type === "rsa") return generate("rsa", { modulusLength: kind.bits });
  if (kind.type === "ecdsa") return generate("ec", { namedCurve: kind.curve.replace("p", "P-") });
  return generate("ed25519");
}
