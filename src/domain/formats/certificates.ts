import { X509Certificate as LoadedCertificate } from "node:crypto";
import { requiredText } from "../core/fields.js";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate,
} from "./x509.js";

const MAX_PEM_BYTES = 65_536;
const UNREADABLE = "must have an X.509 certificate that can be read";
const TOO_LONG = `must have at most ${MAX_PEM_BYTES} bytes of UTF-8`;

/** The bits of a key usage, in the order of RFC 5280, section 4.2.1.3, by the names that clients know. */
const KEY_USAGES: readonly (readonly [KeyUsageFlags, string])[] = [
  [KeyUsageFlags.digitalSignature, "digital_signature"],
  [KeyUsageFlags.nonRepudiation, "content_commitment"],
  [KeyUsageFlags.keyEncipherment, "key_encipherment"],
  [KeyUsageFlags.dataEncipherment, "data_encipherment"],
  [KeyUsageFlags.keyAgreement, "key_agreement"],
  [KeyUsageFlags.keyCertSign, "cert_sign"],
  [KeyUsageFlags.cRLSign, "crl_sign"],
  [KeyUsageFlags.encipherOnly, "encipher_only"],
  [KeyUsageFlags.decipherOnly, "decipher_only"],
];

const EXTENDED_KEY_USAGES = new Map([
  ["2.5.29.37.0", "any"],
  ["1.3.6.1.5.5.7.3.1", "server_auth"],
  ["1.3.6.1.5.5.7.3.2", "client_auth"],
  ["1.3.6.1.5.5.7.3.3", "code_signing"],
  ["1.3.6.1.5.5.7.3.4", "email_protection"],
  ["1.3.6.1.5.5.7.3.5", "ipsec_end_system"],
  ["1.3.6.1.5.5.7.3.6", "ipsec_tunnel"],
  ["1.3.6.1.5.5.7.3.7", "ipsec_user"],
  ["1.3.6.1.5.5.7.3.8", "time_stamping"],
  ["1.3.6.1.5.5.7.3.9", "ocsp_signing"],
]);

/** The facts about an authority that its certificate contains. */
export interface CertificateAuthorityFacts {
  /** The most specific common name; "" when there is none. */
  readonly subjectCommonName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** RFC 5280, section 4.2.1.3, in its order: "digital_signature", "cert_sign", "crl_sign", ... */
  readonly keyUsages: string[];
  /** "server_auth", "client_auth", ...; an object identifier where there is no name for it. */
  readonly extendedKeyUsages: string[];
}

/**
 * The certificate of one authority: exactly one PEM block of type CERTIFICATE of at most 64 KiB, whose
 * basic constraints say CA. An authority of several certificates is several resources.
 */
export const certificateAuthorityPem = requiredText(MAX_PEM_BYTES).superRefine((pem, ctx) => {
  if (pem === "" || Buffer.byteLength(pem) > MAX_PEM_BYTES) return;
  const reading = readCertificateAuthorityPem(pem);
  if ("problem" in reading) ctx.addIssue(reading.problem);
});

/** The content of `pem`, or the reason why it is not a certificate authority as `certificateAuthorityPem` describes. */
export function readCertificateAuthorityPem(
  pem: string,
): CertificateAuthorityFacts | { readonly problem: string } {
  const problem = Buffer.byteLength(pem) > MAX_PEM_BYTES ? TOO_LONG : blockProblem(pem);
  if (problem) return { problem };
  try {
    const loaded = new LoadedCertificate(pem);
    return readCertificate(new X509Certificate(loaded.raw), loaded.ca);
  } catch {
    return { problem: UNREADABLE };
  }
}

function blockProblem(pem: string): string | null {
  const types = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]*)-----/g)].map(([, type]) => type);
  if (types.length === 0) {
    return "must be a certificate in PEM, which begins with -----BEGIN CERTIFICATE-----";
  }
  if (types.some((type) => type !== "CERTIFICATE")) {
    return "must have a PEM block of the type CERTIFICATE only";
  }
  return types.length > 1
    ? `must have exactly one certificate, and has ${types.length}: create one certificate authority for each`
    : null;
}

function readCertificate(
  certificate: X509Certificate,
  maySign: boolean,
): CertificateAuthorityFacts | { readonly problem: string } {
  const subjectCommonName = certificate.subjectName.getField("CN").at(-1) ?? "";
  const { notBefore, notAfter } = certificate;
  const keyUsages = certificate.getExtension(KeyUsagesExtension)?.usages ?? 0;
  const extendedKeyUsages = certificate.getExtension(ExtendedKeyUsageExtension)?.usages ?? [];
  if (!certificate.getExtension(BasicConstraintsExtension)?.ca) {
    return {
      problem: "must have a certificate whose basic constraints say that it is an authority",
    };
  }
  if (!maySign) {
    return { problem: "must have a certificate whose key usages allow it to sign certificates" };
  }
  if (subjectCommonName.includes("\0") || !isPeriod(notBefore, notAfter)) {
    return { problem: UNREADABLE };
  }
  return {
    subjectCommonName,
    notBefore,
    notAfter,
    keyUsages: KEY_USAGES.flatMap(([flag, name]) => (keyUsages & flag ? [name] : [])),
    extendedKeyUsages: extendedKeyUsages.map(
      (oid) => EXTENDED_KEY_USAGES.get(String(oid)) ?? String(oid),
    ),
  };
}

/** Years before 1 do not exist, neither in the calendar nor in the database. */
function isPeriod(notBefore: Date, notAfter: Date): boolean {
  return notBefore.getUTCFullYear() > 0 && notBefore <= notAfter;
}
