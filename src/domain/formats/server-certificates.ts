import { type KeyObject, X509Certificate as LoadedCertificate, sign, verify } from "node:crypto";
import { promisify } from "node:util";
import type { PrivateKeyType } from "../core/enumerations.js";
import { requiredText } from "../core/fields.js";
import {
  blockTypes,
  type CertificateFacts,
  certificateBlockProblem,
  factsOf,
  isStorable,
  lastOf,
  MAX_PEM_BYTES,
} from "./certificates.js";
import { parseAddress } from "./networks.js";
import { keyTypeOf, SUPPORTED_KEYS } from "./private-keys.js";
import { SubjectAlternativeNameExtension, X509Certificate } from "./x509.js";

/** What a certificate is for; each list is empty when it has none. */
export interface SubjectAlternativeNames {
  readonly dnsNames: readonly string[];
  /** IPv6 addresses are in their shortest form. */
  readonly ips: readonly string[];
}

/** The facts about a server that the first certificate of its chain contains. A text is "" when there is none. */
interface ServerCertificateFacts extends CertificateFacts {
  readonly subjectAlternativeNames: SubjectAlternativeNames;
  readonly subjectOrganization: string;
  readonly subjectOrganizationalUnit: string;
  readonly subjectLocality: string;
  readonly subjectProvince: string;
  readonly subjectCountry: string;
  readonly issuerCommonName: string;
  /** In lower-case hex. */
  readonly serialNumber: string;
  readonly privateKeyType: PrivateKeyType;
}

/** A certificate and those that lead from it to an authority, as they were read. */
export interface CertificateChain {
  readonly facts: ServerCertificateFacts;
  /** In the order given. */
  readonly certificates: readonly LoadedCertificate[];
}

/**
 * The certificate of a server, then those of its chain: PEM blocks of type CERTIFICATE, 64 KiB in all. Each must be
 * readable, and the first must have a key that `SUPPORTED_KEYS` names.
 */
export const certificateChainPem = requiredText(MAX_PEM_BYTES).superRefine((pem, ctx) => {
  if (pem === "" || Buffer.byteLength(pem) > MAX_PEM_BYTES) return;
  const reading = readCertificateChain(pem);
  if ("problem" in reading) ctx.addIssue(reading.problem);
});

/** The content of `pem`, or the reason why it is no chain as `certificateChainPem` describes. */
export function readCertificateChain(pem: string): CertificateChain | { readonly problem: string } {
  const problem = certificateBlockProblem(pem);
  if (problem) return { problem };
  const certificates = blocksOf(pem).map(loaded);
  const unreadable = certificates.indexOf(null);
  if (unreadable >= 0 || certificates.length < blockTypes(pem).length) {
    const which = certificates.length > 1 ? `; certificate ${unreadable + 1} cannot be read` : "";
    return { problem: `${UNREADABLE}${unreadable < 0 ? "" : which}` };
  }
  const readable = certificates.filter((each) => each !== null);
  const [leaf] = readable;
  const privateKeyType = leaf ? publicKeyTypeOf(leaf) : null;
  if (!leaf || !privateKeyType) {
    return { problem: `must have a first certificate with a key of ${SUPPORTED_KEYS}` };
  }
  const facts = readFacts(leaf, privateKeyType);
  return facts ? { facts, certificates: readable } : { problem: UNREADABLE };
}

const UNREADABLE = "must have X.509 certificates that can be read";

/** The blocks that end. What a block contains has no dashes, so that this takes linear time. */
function blocksOf(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}

function loaded(block: string): LoadedCertificate | null {
  try {
    return new LoadedCertificate(block);
  } catch {
    return null;
  }
}

/** Null also when the key is of a kind that nobody here knows. */
function publicKeyTypeOf(certificate: LoadedCertificate): PrivateKeyType | null {
  try {
    return keyTypeOf(certificate.publicKey);
  } catch {
    return null;
  }
}

function readFacts(
  { raw }: LoadedCertificate,
  privateKeyType: PrivateKeyType,
): ServerCertificateFacts | null {
  try {
    const certificate = new X509Certificate(raw);
    const { subjectName, issuerName, serialNumber } = certificate;
    const subjectAlternativeNames = alternativeNamesOf(certificate);
    const texts = {
      subjectOrganization: lastOf(subjectName, "O"),
      subjectOrganizationalUnit: lastOf(subjectName, "OU"),
      subjectLocality: lastOf(subjectName, "L"),
      subjectProvince: lastOf(subjectName, "ST"),
      subjectCountry: lastOf(subjectName, "C"),
      issuerCommonName: lastOf(issuerName, "CN"),
    };
    const facts = factsOf(certificate);
    const all = [
      facts.subjectCommonName,
      ...Object.values(texts),
      ...subjectAlternativeNames.dnsNames,
    ];
    return isStorable(facts, all)
      ? { ...facts, ...texts, subjectAlternativeNames, serialNumber, privateKeyType }
      : null;
  } catch {
    return null;
  }
}

function alternativeNamesOf(certificate: X509Certificate): SubjectAlternativeNames {
  const names = certificate.getExtension(SubjectAlternativeNameExtension)?.names.items ?? [];
  const valuesOf = (wanted: string) =>
    names.flatMap(({ type, value }) => (type === wanted ? [value] : []));
  return {
    dnsNames: valuesOf("dns"),
    ips: valuesOf("ip").flatMap((ip) => parseAddress(ip)?.toString() ?? []),
  };
}

const NOT_ITS_KEY = "must be the key of the first certificate in `certificatePem`";

/** Why `key` is not that of the first certificate of a chain, by its public half; null when it is. */
export function misfitOf({ certificates }: CertificateChain, key: KeyObject): string | null {
  const index = certificates.findIndex((certificate) => certificate.checkPrivateKey(key));
  if (index === 0) return null;
  return index < 0
    ? NOT_ITS_KEY
    : `${NOT_ITS_KEY}, and is that of certificate ${index + 1}: put that certificate first`;
}

const signInBackground = promisify(sign);
const verifyInBackground = promisify(verify);
const PROBE = Buffer.from("edgeplane");

/**
 * The same by a signature that the certificate must prove: a key can be broken, or have the public half of another.
 * Takes up to a tenth of a second, in another thread.
 */
export async function failedProofOf(
  { certificates: [leaf], facts }: CertificateChain,
  key: KeyObject,
): Promise<string | null> {
  const algorithm = facts.privateKeyType === "ed25519" ? null : "sha256";
  try {
    const signature = await signInBackground(algorithm, PROBE, key);
    const isProved =
      leaf && (await verifyInBackground(algorithm, PROBE, leaf.publicKey, signature));
    return isProved ? null : NOT_ITS_KEY;
  } catch {
    return NOT_ITS_KEY;
  }
}
