import {
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type X509Certificate,
} from "./x509.js";

// What is read of every X.509 certificate, whatever it is for.

/** The maximum size of certificates in PEM, in bytes. */
export const MAX_PEM_BYTES = 65_536;

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

/** The facts that a certificate of any kind contains. */
export interface CertificateFacts {
  /** The most specific common name; "" when there is none. */
  readonly subjectCommonName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** RFC 5280, section 4.2.1.3, in its order: "digital_signature", "cert_sign", "crl_sign", ... */
  readonly keyUsages: string[];
  /** "server_auth", "client_auth", ...; an object identifier where there is no name for it. */
  readonly extendedKeyUsages: string[];
}

/** Throws when an extension cannot be read. */
export function factsOf(certificate: X509Certificate): CertificateFacts {
  const { notBefore, notAfter } = certificate;
  const keyUsages = certificate.getExtension(KeyUsagesExtension)?.usages ?? 0;
  const extendedKeyUsages = certificate.getExtension(ExtendedKeyUsageExtension)?.usages ?? [];
  return {
    subjectCommonName: lastOf(certificate.subjectName, "CN"),
    notBefore,
    notAfter,
    keyUsages: KEY_USAGES.flatMap(([flag, name]) => (keyUsages & flag ? [name] : [])),
    extendedKeyUsages: extendedKeyUsages.map(
      (oid) => EXTENDED_KEY_USAGES.get(String(oid)) ?? String(oid),
    ),
  };
}

/** The most specific value of a field such as "CN" in the name of a subject or an issuer; "" when there is none. */
export function lastOf(name: X509Certificate["subjectName"], field: string): string {
  return name.getField(field).at(-1) ?? "";
}

/** Whether the database can store the period and the texts: it knows no years before 1, and no NUL characters. */
export function isStorable({ notBefore, notAfter }: CertificateFacts, texts: readonly string[]) {
  return (
    notBefore.getUTCFullYear() > 0 &&
    notBefore <= notAfter &&
    texts.every((text) => !text.includes("\0") && text.isWellFormed())
  );
}

/** The types of the PEM blocks that begin in a text, such as "CERTIFICATE". */
export function blockTypes(text: string): string[] {
  return [...text.matchAll(/-----BEGIN ([A-Z0-9 ]*)-----/g)].map(([, type]) => type ?? "");
}

/** Why a text is not certificates in PEM and nothing else; null when it may be. */
export function certificateBlockProblem(pem: string): string | null {
  const types = blockTypes(pem);
  if (types.length === 0) {
    return "must be a certificate in PEM, which begins with -----BEGIN CERTIFICATE-----";
  }
  return types.some((type) => type !== "CERTIFICATE")
    ? "must have a PEM block of the type CERTIFICATE only"
    : null;
}
