import { z } from "zod";
import { requireWrite, type Transaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { refuse } from "./core/errors.js";
import { LAST_TIME, list, orNull, reference, texts, timestamp } from "./core/fields.js";
import { type CertificateRequest, newSerial, signCertificate } from "./ssh/certificates.js";
import { checked, publicKeyReadBy } from "./ssh/inputs.js";
import { parsePublicKey } from "./ssh/public-keys.js";
import { checkPrincipals, MAX_PRINCIPALS } from "./ssh/rules.js";
import {
  type DefaultLifetime,
  type GivenTimes,
  validityOf,
  validityProblems,
} from "./ssh/validity.js";
import { privateKeyOfSshCertificateAuthority } from "./ssh-certificate-authorities.js";
import { danglingReferences } from "./storage/reference-checks.js";
import { createdTexts, newRow } from "./storage/rows.js";

// What user and host certificates have in common: one way to sign them, and one revocation list of an authority.

/** Certificates count seconds from it on. */
const FIRST_SECOND = new Date("1970-01-01T00:00:00Z");

/** A kind of certificate: what it is for in its format, and how long it is valid when nothing is said. */
export interface CertificateKind {
  readonly kind: "sshUserCertificate" | "sshHostCertificate";
  readonly type: CertificateRequest["type"];
  readonly lifetime: DefaultLifetime;
}

const moment = timestamp.refine(
  (time) => time >= FIRST_SECOND && time <= LAST_TIME,
  "must be in the years 1970 to 9999",
);

/** Who signs what for whom: the fields of every certificate. */
export const certificateFields = {
  ...texts,
  sshCertificateAuthorityId: reference("sshCertificateAuthority"),
  publicKey: publicKeyReadBy(parsePublicKey),
  principals: checked(list(z.string(), MAX_PRINCIPALS), checkPrincipals).nullish(),
};

/** When it is valid; see `checkValidity`. */
export const validityFields = { validAfter: orNull(moment), validUntil: orNull(moment) };

/** The check of both times together; the maximum lifetime is checked when the certificate is signed. */
export function checkValidity(lifetime: DefaultLifetime) {
  return (input: GivenTimes, ctx: z.RefinementCtx): void => {
    // Where a timestamp was refused, its text still stands.
    const isTime = (value: unknown) => value == null || value instanceof Date;
    if (![input.validAfter, input.validUntil].every(isTime)) return;
    for (const { path, message } of validityProblems(
      validityOf(input, lifetime, null),
      lifetime,
      null,
    )) {
      ctx.addIssue({ code: "custom", path: [...path], message });
    }
  };
}

const requested = z.object({ ...certificateFields, ...validityFields });

/** The options that a certificate carries; see `CertificateRequest`. */
type Options = Pick<CertificateRequest, "criticalOptions" | "extensions">;

/** A signed certificate that is not stored yet: the members that both kinds have, and its serial. */
type SignedCertificate = Awaited<ReturnType<typeof sign>>;

/**
 * Signs a certificate (specification, section 2.2). It is to be stored in a transaction that ends with `issued`, and
 * returned by nobody before. Throws INVALID_REQUEST for an authority that does not exist, and for a longer validity
 * than allowed.
 */
export async function sign(
  context: Context,
  { kind, type, lifetime }: CertificateKind,
  input: z.output<typeof requested>,
  options: Options,
) {
  requireWrite(context);
  const { maxCertificateLifetime } = context.settings;
  const validity = validityOf(input, lifetime, maxCertificateLifetime);
  refuse([
    ...validityProblems(validity, lifetime, maxCertificateLifetime),
    ...(await danglingReferences(context, input)),
  ]);
  const { sshCertificateAuthorityId, publicKey, principals } = input;
  const row = newRow(kind);
  const subject = parsePublicKey(publicKey);
  const serial = newSerial();
  const named = { principals: principals ?? [] };
  // Outside of the transaction, since it takes long with RSA. The authority may go before the row is stored, and
  // its foreign key refuses that; its key never changes.
  const certificate = signCertificate({
    type,
    ...named,
    ...options,
    serial,
    authorityPrivateKeyPem: await privateKeyOfSshCertificateAuthority(
      context,
      sshCertificateAuthorityId,
    ),
    subject,
    keyId: row.id,
    validAfter: validity.after,
    validBefore: validity.until,
  });
  return {
    serial,
    fields: {
      ...row,
      ...createdTexts(input),
      publicKey,
      keyType: subject.keyType,
      sshCertificateAuthorityId,
      ...named,
      validAfter: validity.after,
      validUntil: validity.until,
      certificate,
    },
  };
}

/**
 * Records the serial, which no other certificate of the authority has, whatever its kind. Returns the members to store:
 * of a dry run, `certificate` is "", so that nothing signed is returned unless its row is stored.
 */
export async function issued(
  { db, isDryRun }: Transaction,
  { serial, fields }: SignedCertificate,
): Promise<SignedCertificate["fields"]> {
  const { id, sshCertificateAuthorityId, validUntil } = fields;
  await db.sshSerial.create({
    data: { id, serial, sshCertificateAuthorityId, validUntil },
    select: { id: true },
  });
  return isDryRun ? { ...fields, certificate: "" } : fields;
}

/** What the revocation list has to know of a certificate whose row was just deleted. */
export const REVOKED = { id: true, validUntil: true, sshCertificateAuthorityId: true } as const;

interface Revoked {
  readonly id: string;
  readonly validUntil: Date;
  readonly sshCertificateAuthorityId: string;
}

/**
 * Adds a certificate to the revocation list of its authority, since OpenSSH would trust it until it expires. Expired
 * certificates are removed from the list.
 */
export async function revoke(
  { db }: Transaction,
  { id, validUntil, sshCertificateAuthorityId }: Revoked,
): Promise<void> {
  const now = new Date();
  await forgetExpired(db, sshCertificateAuthorityId, now);
  if (validUntil <= now) await db.sshSerial.delete({ where: { id }, select: { id: true } });
  else await db.sshSerial.update({ where: { id }, data: { revokedAt: now }, select: { id: true } });
}

/** Takes off the revocation list what nobody trusts any more; what another transaction takes off is left to it. */
async function forgetExpired(db: Transaction["db"], authorityId: string, now: Date): Promise<void> {
  await db.$executeRaw`
    DELETE FROM ssh_serials WHERE id IN (
      SELECT id FROM ssh_serials
      WHERE ssh_certificate_authority_id = ${authorityId} AND revoked_at IS NOT NULL AND valid_until <= ${now}
      FOR UPDATE SKIP LOCKED
    )`;
}
