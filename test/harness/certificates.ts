import { KeyObject, webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "../../src/domain/formats/x509.js";

/** When the certificates of `authorityPem` and `serverPair` are valid. */
export const PERIOD = { notBefore: "2020-01-02T03:04:05Z", notAfter: "2060-01-02T03:04:05Z" };

const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A certificate of a certificate authority for clients; of none when `isAuthority` is false. */
export async function authorityPem(
  isAuthority = true,
  notAfter = new Date(PERIOD.notAfter),
): Promise<string> {
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=Clients of Example, O=Example",
    notBefore: new Date(PERIOD.notBefore),
    notAfter,
    signingAlgorithm: ECDSA,
    keys: await webcrypto.subtle.generateKey(ECDSA, true, ["sign", "verify"]),
    extensions: [
      new BasicConstraintsExtension(isAuthority),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign),
      new ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.2"]),
    ],
  });
  return certificate.toString("pem");
}

const RSA = {
  name: "RSASSA-PKCS1-v1_5",
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};

/** The kinds of keys that pairs are made of. */
export const ALGORITHMS = {
  rsa2048: { ...RSA, modulusLength: 2048 },
  rsa1024: { ...RSA, modulusLength: 1024 },
  p256: ECDSA,
  p384: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  p521: { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" },
  ed25519: { name: "Ed25519" },
} as const;

interface ServerOptions {
  readonly algorithm?: keyof typeof ALGORITHMS;
  /** The subject and, as it is self-signed, the issuer. */
  readonly name?: string;
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
  readonly notAfter?: Date;
  readonly serialNumber?: string;
  /** Without any extension. */
  readonly isBare?: boolean;
}

/** A certificate of a server, and its private key. */
export async function serverPair({
  algorithm = "p256",
  name = "CN=www.example.com, O=Example",
  dnsNames = ["www.example.com"],
  ips = [],
  notAfter = new Date(PERIOD.notAfter),
  serialNumber = "1f",
  isBare = false,
}: ServerOptions = {}) {
  const signingAlgorithm = ALGORITHMS[algorithm];
  const keys = (await webcrypto.subtle.generateKey(signingAlgorithm, true, [
    "sign",
    "verify",
  ])) as webcrypto.CryptoKeyPair;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name,
    notBefore: new Date(PERIOD.notBefore),
    notAfter,
    serialNumber,
    signingAlgorithm,
    keys,
    extensions: isBare
      ? []
      : [
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment),
          new ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.1"]),
          new SubjectAlternativeNameExtension([
            ...dnsNames.map((value) => ({ type: "dns" as const, value })),
            ...ips.map((value) => ({ type: "ip" as const, value })),
          ]),
        ],
  });
  const key = KeyObject.from(keys.privateKey);
  return {
    certificatePem: certificate.toString("pem"),
    privateKeyPem: String(key.export({ type: "pkcs8", format: "pem" })),
    key,
  };
}
