import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { ALWAYS, texts, userMap } from "./core/fields.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import { checked } from "./ssh/inputs.js";
import { checkCriticalOptions, checkExtensions, DEFAULT_EXTENSIONS } from "./ssh/rules.js";
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

const USER_CERTIFICATE: CertificateKind = {
  kind: "sshUserCertificate",
  type: "user",
  lifetime: { seconds: 24 * 60 * 60, words: "24 hours" },
};

/** A certificate with which the holder of a key logs in to machines that trust the authority. */
export type SshUserCertificate = Resources["sshUserCertificate"];

const stringMap = userMap(z.string());
export const sshUserCertificateInputs = {
  create: z
    .strictObject({
      ...certificateFields,
      criticalOptions: checked(stringMap, checkCriticalOptions).nullish(),
      extensions: checked(stringMap, checkExtensions).nullish(),
      ...validityFields,
    })
    .superRefine(checkValidity(USER_CERTIFICATE.lifetime), ALWAYS),
  update: z.strictObject(texts),
};

type Create = z.output<typeof sshUserCertificateInputs.create>;

/**
 * Signs a certificate (specification, section 2.2). Valid from now on and for 24 hours when unspecified; with the
 * extensions `permit-pty` and `permit-user-rc` when none are given. Throws what `sign` throws.
 */
export async function createSshUserCertificate(
  context: Context,
  input: Create,
): Promise<SshUserCertificate> {
  const { criticalOptions, extensions } = input;
  const options = {
    criticalOptions: criticalOptions ?? {},
    extensions: isEmpty(extensions) ? DEFAULT_EXTENSIONS : extensions,
  };
  const signed = await sign(context, USER_CERTIFICATE, input, options);
  return inTransaction(context, async (context) => {
    const certificate = { ...(await issued(context, signed)), ...options };
    await context.db.sshUserCertificate.create({ data: certificate, select: ID_ALONE });
    return created(context, "sshUserCertificate", certificate);
  });
}

/** Absent leaves a field as it is, null clears it; what is signed stays. Throws NOT_FOUND. */
export function updateSshUserCertificate(
  context: Context,
  id: string,
  input: z.output<typeof sshUserCertificateInputs.update>,
): Promise<SshUserCertificate> {
  return changeResource(context, "sshUserCertificate", id, changedTexts(input), ({ db }, data) =>
    db.sshUserCertificate.update({ where: { id }, data, select: ID_ALONE }),
  );
}

/** Deletes the certificate; see `revoke`. Throws NOT_FOUND. */
export function deleteSshUserCertificate(context: Context, id: string): Promise<void> {
  return deleteResource(context, "sshUserCertificate", id, async (context) => {
    const row = await context.db.sshUserCertificate.delete({ where: { id }, select: REVOKED });
    await revoke(context, row);
  });
}

/** Warnings for the owner of the certificate. */
export function warningsOfUserCertificate({
  principals,
}: Pick<SshUserCertificate, "principals">): string[] {
  if (principals.length > 0) return [];
  return [
    "The certificate has no principals. OpenSSH does not accept it through TrustedUserCAKeys. Versions before 10.3 accept it through a cert-authority line in authorized_keys, and then for any user.",
  ];
}

function isEmpty(map: object | null | undefined): map is null | undefined {
  return map == null || Object.keys(map).length === 0;
}
