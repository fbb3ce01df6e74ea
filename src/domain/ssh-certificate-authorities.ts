import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction, isTransaction, requireWrite } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { sshKeyType } from "./core/enumerations.js";
import { DomainError } from "./core/errors.js";
import { ALWAYS, orNull, texts, withDefault } from "./core/fields.js";
import { keyOrEnd } from "./core/slow-keys.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import {
  type AuthorityKey,
  type AuthorityKeyKind,
  createAuthorityKey,
  ELLIPTIC_CURVES,
  KEY_SIZES,
} from "./ssh/authorities.js";
import { encodeRevocationList } from "./ssh/revocation-lists.js";
import { refuseWhileInUse } from "./storage/reference-checks.js";
import { changedTexts, createdTexts, findOne, ID_ALONE, newRow } from "./storage/rows.js";

const DEFAULT_CURVE = "p256";
const DEFAULT_KEY_SIZE = 4096;

/** An authority that signs SSH certificates. The service creates its private key, which never leaves the service. */
export type SshCertificateAuthority = Resources["sshCertificateAuthority"];

export const sshCertificateAuthorityInputs = {
  create: z
    .strictObject({
      ...texts,
      privateKeyType: withDefault(sshKeyType, "ed25519"),
      ellipticCurve: orNull(z.enum(ELLIPTIC_CURVES)),
      keySize: z
        .preprocess((size) => (size === 0 ? null : size), orNull(z.literal(KEY_SIZES)))
        .meta({ unset: [0] }),
    })
    .refine((input) => input.ellipticCurve == null || input.privateKeyType === "ecdsa", {
      path: ["ellipticCurve"],
      message: "can only be given when `privateKeyType` is ecdsa",
      ...ALWAYS,
    })
    .refine((input) => input.keySize == null || input.privateKeyType === "rsa", {
      path: ["keySize"],
      message: "can only be given when `privateKeyType` is rsa",
      ...ALWAYS,
    }),
  update: z.strictObject(texts),
};

type Create = z.output<typeof sshCertificateAuthorityInputs.create>;

/** Makes the authority's key before the transaction: takes seconds for 4096 bits of RSA. */
export async function createSshCertificateAuthority(
  context: Context,
  input: Create,
): Promise<SshCertificateAuthority> {
  requireWrite(context);
  const row = newRow("sshCertificateAuthority");
  const { privateKeyPem, publicKey, keyType } = await newKey(context, row.id, input);
  const sealedPrivateKey = context.keyring.seal(privateKeyPem, sealPurpose(row.id));
  const authority = { ...row, ...createdTexts(input), publicKey, keyType };
  return inTransaction(context, async (context) => {
    const data = { ...authority, sealedPrivateKey };
    await context.db.sshCertificateAuthority.create({ data, select: ID_ALONE });
    return created(context, "sshCertificateAuthority", authority);
  });
}

/** Inside of a transaction that is under way the key is made between its runs. */
async function newKey(context: Context, id: string, input: Create): Promise<AuthorityKey> {
  const make = () => createAuthorityKey(keyKind(input));
  const keys = isTransaction(context) ? context.authorityKeys : null;
  return keys ? keyOrEnd(keys, id, make) : make();
}

/** Absent leaves a field as it is, null clears it. Throws NOT_FOUND. */
export function updateSshCertificateAuthority(
  context: Context,
  id: string,
  input: z.output<typeof sshCertificateAuthorityInputs.update>,
): Promise<SshCertificateAuthority> {
  return changeResource(
    context,
    "sshCertificateAuthority",
    id,
    changedTexts(input),
    ({ db }, data) => db.sshCertificateAuthority.update({ where: { id }, data, select: ID_ALONE }),
  );
}

/**
 * Deletes the authority and its revocation list. Throws NOT_FOUND, and IN_USE while it has certificates, or while its
 * revocation list has a certificate that has not expired.
 */
export function deleteSshCertificateAuthority(context: Context, id: string): Promise<void> {
  return deleteResource(context, "sshCertificateAuthority", id, async (context) => {
    await refuseWhileInUse(context, "sshCertificateAuthority", id);
    await refuseWhileRevoking(context, id);
    await context.db.sshCertificateAuthority.delete({ where: { id } });
  });
}

/**
 * Without the revocation list, who has a deleted certificate could use it again: log in to servers, or pass as a host,
 * where the authority is trusted.
 */
async function refuseWhileRevoking({ db }: Context, id: string): Promise<void> {
  const { _count, _max } = await db.sshSerial.aggregate({
    where: { sshCertificateAuthorityId: id, ...revokedAndValidAt(new Date()) },
    _count: true,
    _max: { validUntil: true },
  });
  if (_max.validUntil === null) return;
  const until = _max.validUntil.toISOString().replace(".000Z", "Z");
  const message = `contains ${_count === 1 ? "a certificate" : `${_count} certificates`} until ${until}`;
  throw new DomainError(
    "IN_USE",
    `The SSH certificate authority ${id} cannot be deleted before ${until}: until then its revocation list blocks deleted certificates that OpenSSH would otherwise trust.`,
    [{ path: ["revocationList"], message }],
  );
}

/** PKCS #8 as PEM, for signing only. Throws NOT_FOUND. */
export async function privateKeyOfSshCertificateAuthority(
  { db, keyring }: Context,
  id: string,
): Promise<string> {
  const { sealedPrivateKey } = await findOne("sshCertificateAuthority", id, () =>
    db.sshCertificateAuthority.findUnique({ where: { id }, select: { sealedPrivateKey: true } }),
  );
  return keyring.open(sealedPrivateKey, sealPurpose(id));
}

/**
 * For `RevokedKeys` of sshd and `RevokedHostKeys` of ssh: an OpenSSH key revocation list of the authority's
 * certificates, of users and of hosts, that were deleted and have not expired. Throws NOT_FOUND.
 */
export function getRevocationList(context: Context, id: string): Promise<Buffer> {
  return findOne("sshCertificateAuthority", id, async () => {
    const lists = await revocationListsOf(context, [id]);
    return lists.get(id) ?? null;
  });
}

/** The revocation list of each authority, in one statement. */
export async function revocationListsOf(
  { db }: Context,
  ids: readonly string[],
): Promise<Map<string, Buffer>> {
  const generatedAt = new Date();
  const authorities = await db.sshCertificateAuthority.findMany({
    relationLoadStrategy: "join",
    where: { id: { in: [...ids] } },
    select: {
      id: true,
      publicKey: true,
      serials: { where: revokedAndValidAt(generatedAt), select: { serial: true } },
    },
  });
  return new Map(
    authorities.map(({ id, publicKey: authorityPublicKey, ...revoked }) => {
      const serials = revoked.serials.map(({ serial }) => serial);
      return [id, encodeRevocationList({ authorityPublicKey, serials, generatedAt, comment: id })];
    }),
  );
}

/** The condition that the revocation list names a certificate: it was deleted, and would be valid. */
function revokedAndValidAt(time: Date) {
  return { revokedAt: { not: null }, validUntil: { gt: time } };
}

/** Binds the sealed key to its authority. */
function sealPurpose(id: string): string {
  return `${id}.privateKey`;
}

function keyKind({ privateKeyType, ellipticCurve, keySize }: Create): AuthorityKeyKind {
  switch (privateKeyType) {
    case "rsa":
      return { type: "rsa", bits: keySize ?? DEFAULT_KEY_SIZE };
    case "ecdsa":
      return { type: "ecdsa", curve: ellipticCurve ?? DEFAULT_CURVE };
    case "ed25519":
      return { type: "ed25519" };
  }
}
