import { X509Certificate as LoadedCertificate } from "node:crypto";
import { requiredText } from "../core/fields.js";
import {
  blockTypes,
  type CertificateFacts,
  certificateBlockProblem,
  factsOf,
  isStorable,
  MAX_PEM_BYTES,
} from "./certificates.js";
import { BasicConstraintsExtension, X509Certificate } from "./x509.js";

const UNREADABLE = "must have an X.509 certificate that can be read";
const TOO_LONG = `must have at most ${MAX_PEM_BYTES} bytes of UTF-8`;

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
): CertificateFacts | { readonly problem: string } {
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
  const problem = certificateBlockProblem(pem);
  if (problem) return problem;
  const { length } = blockTypes(pem);
  return length > 1
    ? `must have exactly one certificate, and has ${length}: create one certificate authority for each`
    : null;
}

function readCertificate(
  certificate: X509Certificate,
  maySign: boolean,
): CertificateFacts | { readonly problem: string } {
  const facts = factsOf(certificate);
  if (!certificate.getExtension(BasicConstraintsExtension)?.ca) {
    return {
      problem: "must have a certificate whose basic constraints say that it is an authority",
    };
  }
  if (!maySign) {
    return { problem: "must have a certificate whose key usages allow it to sign certificates" };
  }
  return isStorable(facts, [facts.subjectCommonName]) ? facts : { problem: UNREADABLE };
}
