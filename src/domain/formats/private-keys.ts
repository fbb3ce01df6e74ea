import { createPrivateKey, type KeyObject } from "node:crypto";
import type { PrivateKeyType } from "../core/enumerations.js";
import { requiredText } from "../core/fields.js";
import { blockTypes } from "./certificates.js";

// Keys of TLS certificates.

const MAX_PEM_BYTES = 16_384;
const MIN_RSA_BITS = 2048;
/** Clients written in Go refuse longer ones. */
const MAX_RSA_BITS = 8192;
const CURVES: readonly unknown[] = ["prime256v1", "secp384r1", "secp521r1"];

/** The keys that a TLS certificate may have, in a sentence. */
export const SUPPORTED_KEYS = `RSA of ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits, ECDSA on P-256, P-384 or P-521, or Ed25519`;

/** PKCS #8, PKCS #1 and SEC 1. */
const KEY_BLOCKS: readonly string[] = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"];
/** Stands before an EC key that OpenSSL has just made, and says nothing that the key does not. */
const PARAMETERS = "EC PARAMETERS";

/** The type of a public or private key; null when TLS certificates may not have it. */
export function keyTypeOf({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: KeyObject): PrivateKeyType | null {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {};
  switch (asymmetricKeyType) {
    case "rsa":
      return modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS ? "rsa" : null;
    case "ec":
      return CURVES.includes(namedCurve) ? "ecdsa" : null;
    case "ed25519":
      return "ed25519";
    default:
      return null;
  }
}

/**
 * One private key in PEM of at most 16 KiB, which is not encrypted: PKCS #8, PKCS #1 or SEC 1. RSA of 2048 to 8192
 * bits, ECDSA on P-256, P-384 or P-521, or Ed25519. No message of it has anything of the key.
 */
export const privateKeyPem = requiredText(MAX_PEM_BYTES).superRefine((pem, ctx) => {
  if (pem === "" || Buffer.byteLength(pem) > MAX_PEM_BYTES) return;
  const reading = readPrivateKey(pem);
  if ("problem" in reading) ctx.addIssue(reading.problem);
});

/** The key in `pem`, or the reason why there is none as `privateKeyPem` describes. */
export function readPrivateKey(
  pem: string,
): { readonly key: KeyObject } | { readonly problem: string } {
  const problem = blockProblem(pem);
  if (problem) return { problem };
  const key = loaded(pem);
  if (!key) return { problem: "must have a private key that can be read" };
  return keyTypeOf(key) ? { key } : { problem: `must be a key of ${SUPPORTED_KEYS}` };
}

function blockProblem(pem: string): string | null {
  const types = blockTypes(pem);
  const isEncrypted = types.some((type) => type.startsWith("ENCRYPTED "));
  // The older form says so inside of the block.
  if (isEncrypted || /^Proc-Type:.*ENCRYPTED/m.test(pem)) {
    return "must not be encrypted: remove its passphrase before you upload it";
  }
  const keys = types.filter((type) => KEY_BLOCKS.includes(type));
  if (keys.length === 0) {
    return "must be a private key in PEM, which begins with -----BEGIN PRIVATE KEY-----, -----BEGIN RSA PRIVATE KEY----- or -----BEGIN EC PRIVATE KEY-----";
  }
  if (keys.length > 1) return `must have exactly one private key, and has ${keys.length}`;
  return types.some((type) => !KEY_BLOCKS.includes(type) && type !== PARAMETERS)
    ? "must have a PEM block of one private key only"
    : null;
}

function loaded(pem: string): KeyObject | null {
  const start = KEY_BLOCKS.map((type) => pem.indexOf(`-----BEGIN ${type}-----`));
  try {
    return createPrivateKey(pem.slice(Math.max(...start)));
  } catch {
    return null;
  }
}
