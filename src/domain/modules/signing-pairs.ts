import { webcrypto } from "node:crypto";
import { keyFor, type SlowKeys } from "../core/slow-keys.js";
import { PemConverter, X509CertificateGenerator } from "../formats/x509.js";

const ALGORITHM = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};
const CERTIFICATE_YEARS = 35;

/** An RSA key of 2048 bits, and a certificate that it has signed for itself. */
export interface SigningPair {
  readonly certificatePem: string;
  /** PKCS #8. */
  readonly privateKeyPem: string;
}

/** Those of one transaction, by the common name of their certificates. */
export type SigningPairs = SlowKeys<SigningPair>;

/** The pair whose certificate is for `commonName`, or null: see `keyFor`. Always null in a dry run, which has none. */
export function signingPairFor(pairs: SigningPairs | null, commonName: string): SigningPair | null {
  return pairs && keyFor(pairs, commonName, () => makeSigningPair(commonName));
}

async function makeSigningPair(commonName: string): Promise<SigningPair> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const notBefore = new Date();
  const notAfter = new Date(notBefore);
  notAfter.setUTCFullYear(notBefore.getUTCFullYear() + CERTIFICATE_YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys,
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    certificatePem: certificate.toString("pem"),
    privateKeyPem: PemConverter.encode(key, "PRIVATE KEY"),
  };
}
