import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { ALWAYS, texts } from "./core/fields.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import {
  type CertificateKind,
  certificateFields,
  checkValidity,
  issued,
  REVOKED,
  revoke,
  sign,
  validityFields,
} from "./ssh-certificates.js";
import { changedTexts, ID_ALONE } from "./storage/rows.js";

const HOST_CERTIFICATE: CertificateKind = {
  kind: "sshHostCertificate",
  type: "host",
  lifetime: { seconds: 365 * 24 * 60 * 60, words: "one year" },
};

/** A certificate by which clients that trust the authority know a host. */
export type SshHostCertificate = Resources["sshHostCertificate"];

export const sshHostCertificateInputs = {
  create: z
    .strictObject({ ...certificateFields, ...validityFields })
    .superRefine(checkValidity(HOST_CERTIFICATE.lifetime), ALWAYS),
  update: z.strictObject(texts),
};

/** OpenSSH knows none of host certificates. */
const NO_OPTIONS = { criticalOptions: {}, extensions: {} };

/**
 * Signs a certificate for the key of a host. When unspecified, it is valid from now on and for 365 days, or for as long
 * as a certificate may be valid where that is shorter. Throws what `sign` throws.
 */
export async function createSshHostCertificate(
  context: Context,
  input: z.output<typeof sshHostCertificateInputs.create>,
): Promise<SshHostCertificate> {
  const signed = await sign(context, HOST_CERTIFICATE, input, NO_OPTIONS);
  return inTransaction(context, async (context) => {
    const certificate = await issued(context, signed);
    await context.db.sshHostCertificate.create({ data: certificate, select: ID_ALONE });
    return created(context, "sshHostCertificate", certificate);
  });
}

/** Absent leaves a field as it is, null clears it; what is signed stays. Throws NOT_FOUND. */
export function updateSshHostCertificate(
  context: Context,
  id: string,
  input: z.output<typeof sshHostCertificateInputs.update>,
): Promise<SshHostCertificate> {
  return changeResource(context, "sshHostCertificate", id, changedTexts(input), ({ db }, data) =>
    db.sshHostCertificate.update({ where: { id }, data, select: ID_ALONE }),
  );
}

/** Deletes the certificate; see `revoke`. Throws NOT_FOUND. */
export function deleteSshHostCertificate(context: Context, id: string): Promise<void> {
  return deleteResource(context, "sshHostCertificate", id, async (context) => {
    const row = await context.db.sshHostCertificate.delete({ where: { id }, select: REVOKED });
    await revoke(context, row);
  });
}

const PATTERN_CHARACTERS = /[*?]/;

/** Warnings for the owner of the certificate. */
export function warningsOfHostCertificate({
  principals,
}: Pick<SshHostCertificate, "principals">): string[] {
  const warnings: string[] = [];
  if (principals.length === 0) {
    warnings.push(
      "The certificate has no principals. OpenSSH before 10.3 accepts it for any host, later versions for none.",
    );
  }
  if (principals.some((principal) => PATTERN_CHARACTERS.test(principal))) {
    warnings.push(
      "A principal is a pattern. OpenSSH matches patterns from 10.3 on; earlier versions compare `*` and `?` with the host name as they are.",
    );
  }
  if (principals.some((principal) => /[A-Z]/.test(principal))) {
    warnings.push(
      "A principal has capital letters. OpenSSH converts the host name to small letters before it compares, so this principal never matches.",
    );
  }
  return warnings;
}
