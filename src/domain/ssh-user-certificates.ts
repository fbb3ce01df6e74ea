import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction, requireWrite } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { type Issue, refuse } from "./core/errors.js";
import {
  ALWAYS,
  LAST_TIME,
  list,
  orNull,
  reference,
  texts,
  timestamp,
  userMap,
} from "./core/fields.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import { newSerial, signUserCertificate } from "./ssh/certificates.js";
import { SshInputError } from "./ssh/errors.js";
import { parsePublicKey } from "./ssh/public-keys.js";
import {
  checkCriticalOptions,
  checkExtensions,
  checkPrincipals,
  DEFAULT_EXTENSIONS,
  MAX_PRINCIPALS,
  type RuleProblem,
} from "./ssh/rules.js";
import { privateKeyOfSshCertificateAuthority } from "./ssh-certificate-authorities.js";
import { danglingReferences } from "./storage/reference-checks.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

/** Seconds that a certificate is valid from its creation on, when `validUntil` is unspecified. */
const DEFAULT_LIFETIME = 24 * 60 * 60;
/** The certificate counts seconds from it on. */
const FIRST_SECOND = new Date("1970-01-01T00:00:00Z");

/** A certificate with which the holder of a key logs in to machines that trust the authority. */
export type SshUserCertificate = Resources["sshUserCertificate"];

/** A rule of the certificate format, its problems worded as issues are. */
function checked<Rule extends z.ZodType>(
  rule: Rule,
  check: (value: z.output<Rule>) => readonly RuleProblem[],
) {
  return rule.superRefine((value, ctx) => {
    for (const { path, message, limit } of check(value)) {
      ctx.addIssue({
        code: "custom",
        path,
        message: refused(message),
        ...(limit !== undefined && { params: { limit } }),
      });
    }
  });
}

/** A sentence of its own, as the end of one that begins with the path. */
function refused(sentence: string): string {
  return `is refused: ${sentence.replace(/\.$/, "")}`;
}

const publicKey = checked(z.string(), (text) => {
  try {
    parsePublicKey(text);
    return [];
  } catch (error) {
    if (!(error instanceof SshInputError)) throw error;
    return [{ path: [], message: error.message }];
  }
});

const moment = timestamp.refine(
  (time) => time >= FIRST_SECOND && time <= LAST_TIME,
  "must be in the years 1970 to 9999",
);

const stringMap = userMap(z.string());
export const sshUserCertificateInputs = {
  create: z
    .strictObject({
      ...texts,
      sshCertificateAuthorityId: reference("sshCertificateAuthority"),
      publicKey,
      principals: checked(list(z.string(), MAX_PRINCIPALS), checkPrincipals).nullish(),
      criticalOptions: checked(stringMap, checkCriticalOptions).nullish(),
      extensions: checked(stringMap, checkExtensions).nullish(),
      validAfter: orNull(moment),
      validUntil: orNull(moment),
    })
    .superRefine((input, ctx) => {
      if (![input.validAfter, input.validUntil].every(isTime)) return;
      for (const { path, message } of validityProblems(validityOf(input), null)) {
        ctx.addIssue({ code: "custom", path: [...path], message });
      }
    }, ALWAYS),
  update: z.strictObject(texts),
};

type Create = z.output<typeof sshUserCertificateInputs.create>;

/**
 * Signs a certificate (specification, section 2.2). Valid from now on and for 24 hours when unspecified; with the
 * extensions `permit-pty` and `permit-user-rc` when none are given. Nothing signed is returned unless its row is
 * stored: of a dry run, `certificate` is "". Throws INVALID_REQUEST for an authority that does not exist, and for a longer validity than allowed.
 */
export async function createSshUserCertificate(
  context: Context,
  input: Create,
): Promise<SshUserCertificate> {
  requireWrite(context);
  const validity = validityOf(input);
  refuse([
    ...validityProblems(validity, context.settings.maxCertificateLifetime),
    ...(await danglingReferences(context, input)),
  ]);
  const { sshCertificateAuthorityId, publicKey, principals, criticalOptions, extensions } = input;
  const row = newRow("sshUserCertificate");
  const subject = parsePublicKey(publicKey);
  const content = {
    serial: newSerial(),
    principals: principals ?? [],
    criticalOptions: criticalOptions ?? {},
    extensions: isEmpty(extensions) ? DEFAULT_EXTENSIONS : extensions,
  };
  // Outside of the transaction, since it takes long with RSA. The authority may go before the row is stored, and
  // its foreign key refuses that; its key never changes.
  const signed = signUserCertificate({
    ...content,
    authorityPrivateKeyPem: await privateKeyOfSshCertificateAuthority(
      context,
      sshCertificateAuthorityId,
    ),
    subject,
    keyId: row.id,
    validAfter: validity.after,
    validBefore: validity.until,
  });
  return inTransaction(context, async (context) => {
    const { serial, ...shown } = content;
    const certificate = {
      ...row,
      ...createdTexts(input),
      publicKey,
      keyType: subject.keyType,
      sshCertificateAuthorityId,
      ...shown,
      validAfter: validity.after,
      validUntil: validity.until,
      certificate: context.isDryRun ? "" : signed,
    };
    await context.db.sshUserCertificate.create({
      data: { ...certificate, serial },
      select: ID_ALONE,
    });
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

/**
 * Deletes the certificate and adds it to the revocation list of its authority, since sshd would trust it until it
 * expires. Expired certificates are removed from the list. Throws NOT_FOUND.
 */
export function deleteSshUserCertificate(context: Context, id: string): Promise<void> {
  return deleteResource(context, "sshUserCertificate", id, async (context) => {
    const { serial, validUntil, sshCertificateAuthorityId } =
      await context.db.sshUserCertificate.delete({ where: { id } });
    const revokedAt = new Date();
    await forgetExpired(context, sshCertificateAuthorityId, revokedAt);
    if (validUntil <= revokedAt) return;
    await context.db.revokedSshCertificate.create({
      data: { id, revokedAt, serial, validUntil, sshCertificateAuthorityId },
    });
  });
}

/** Takes off the revocation list what sshd no longer trusts; what another transaction takes off is left to it. */
async function forgetExpired({ db }: Context, authorityId: string, now: Date): Promise<void> {
  await db.$executeRaw`
    DELETE FROM revoked_ssh_certificates WHERE id IN (
      SELECT id FROM revoked_ssh_certificates
      WHERE ssh_certificate_authority_id = ${authorityId} AND valid_until <= ${now}
      FOR UPDATE SKIP LOCKED
    )`;
}

/** Warnings for the owner of the certificate. */
export function warningsOf({ principals }: SshUserCertificate): string[] {
  if (principals.length > 0) return [];
  return [
    "The certificate has no principals. OpenSSH does not accept it through TrustedUserCAKeys. Versions before 10.3 accept it through a cert-authority line in authorized_keys, and then for any user.",
  ];
}

/** Where a timestamp was refused, its text still stands. */
function isTime(value: unknown): boolean {
  return value == null || value instanceof Date;
}

interface Validity {
  readonly after: Date;
  readonly until: Date;
  readonly given: { readonly after: boolean; readonly until: boolean };
  readonly now: Date;
}

/** The values of `input`, completed with the defaults. */
function validityOf({ validAfter, validUntil }: Partial<Create>): Validity {
  const now = new Date();
  const second = Math.floor(now.getTime() / 1000);
  return {
    // Where a timestamp was refused, the text still stands.
    after: validAfter instanceof Date ? validAfter : new Date(second * 1000),
    until: validUntil instanceof Date ? validUntil : new Date((second + DEFAULT_LIFETIME) * 1000),
    given: { after: validAfter != null, until: validUntil != null },
    now,
  };
}

/** `maxLifetime` is in seconds; null does not limit it. */
function validityProblems(validity: Validity, maxLifetime: number | null): Issue[] {
  const { after, until, given, now } = validity;
  if (until <= now) return [{ path: ["validUntil"], message: "must be in the future" }];
  if (until <= after) {
    const message = given.until
      ? "must be after `validAfter`"
      : "is required when `validAfter` is 24 hours from now or later, since its default is 24 hours from now";
    return [{ path: ["validUntil"], message }];
  }
  const lifetime = (until.getTime() - after.getTime()) / 1000;
  if (maxLifetime === null || lifetime <= maxLifetime) return [];
  const message = `makes the certificate valid for ${lifetime} seconds, and at most ${maxLifetime} are allowed`;
  const path = [given.after && !given.until ? "validAfter" : "validUntil"];
  return [{ path, message, limit: maxLifetime }];
}

function isEmpty(map: object | null | undefined): map is null | undefined {
  return map == null || Object.keys(map).length === 0;
}
