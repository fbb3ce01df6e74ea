import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from "../../src/domain/formats/x509.js";

/** When the certificates of `authorityPem` are valid. */
export const PERIOD = { notBefore: "2020-01-02T03:04:05Z", notAfter: "2060-01-02T03:04:05Z" };

/** A certificate of a certificate authority for clients; of none when `isAuthority` is false. */
export async function authorityPem(
  isAuthority = true,
  notAfter = new Date(PERIOD.notAfter),
): Promise<string> {
  const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=Clients of Example, O=Example",
    notBefore: new Date(PERIOD.notBefore),
    notAfter,
    signingAlgorithm,
    keys: await webcrypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]),
    extensions: [
      new BasicConstraintsExtension(isAuthority),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign),
      new ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.2"]),
    ],
  });
  return certificate.toString("pem");
}
