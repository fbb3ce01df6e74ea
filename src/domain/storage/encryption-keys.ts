import { Prisma, type TransactionClient } from "../../database/index.js";
import type { Services } from "../core/context.js";
import { type Keyring, RESTORE_KEY } from "../core/keyring.js";
import { identifier } from "./graph.js";
import { SEALED_PLACES, sealedTextAt } from "./sealed-places.js";

/** The time limit is longer than that of a request, since all secrets may be read. */
const TIMEOUT_MS = 600_000;

const SAMPLE = "edgeplane";

/** A sealed text of the database. */
interface Sealed {
  /** Of the key that sealed it. */
  readonly fingerprint: string;
  readonly sealed: string;
  readonly purpose: string;
  /** The greater, the later a process started that seals with the key; 0 where that is not known. */
  readonly generation: number;
}

/**
 * Makes sure, at start, that the process has every key that secrets in the database are sealed with. The table
 * `encryption_keys` has a sample for each key that a process ever sealed with: all of these must be in the ring and
 * open their sample, and the ring's first key is added when it is new. A key that processes sealed with before one of
 * the ring is forgotten when it is not in the ring, if no secret is sealed with it any more. A database without samples
 * gets them for the keys that its secrets name, once each has opened a secret. Safe when several processes start at
 * once. `db` has no time limits, since this may look at all secrets. Throws an Error that says which key is missing, and
 * what to restore.
 */
export async function checkEncryptionKeys({
  db,
  keyring,
}: Pick<Services, "db" | "keyring">): Promise<void> {
  if (!("$transaction" in db)) throw new Error("The keys are checked outside of a transaction.");
  await db.$transaction(
    async (inside) => {
      await inside.$executeRaw`LOCK TABLE encryption_keys IN SHARE ROW EXCLUSIVE MODE`;
      const { hasSamples, kept, forgotten } = await compareKeys(inside, keyring);
      await inside.encryptionKey.deleteMany({ where: { fingerprint: { in: forgotten } } });
      if (!hasSamples) for (const each of kept) await addSample(inside, keyring, each);
      await sealFromNowOn(inside, keyring, kept);
    },
    { timeout: TIMEOUT_MS },
  );
}

/**
 * Throws where a start with the ring would, as `checkEncryptionKeys` does, and where a secret needs another key. Changes
 * nothing. Looks at all secrets.
 */
export async function requireNeededKeys(db: TransactionClient, keyring: Keyring): Promise<void> {
  const used = await oneSecretOfEachKey(db);
  const lost = used.filter((each) => !isIn(keyring, each));
  if (lost.length > 0) throw new Error(missingKeys(lost, keyring));
  for (const each of used) requireOpens(keyring, each);
  await compareKeys(db, keyring);
}

/**
 * Throws unless the first key of the ring is one that processes seal with, so that all of them can open what is sealed
 * with it. A database in which nobody has sealed anything has none yet.
 */
export async function requireSealingKey(db: TransactionClient, keyring: Keyring): Promise<void> {
  const [first = ""] = keyring.fingerprints;
  const known = (await readSamples(db)).map(fingerprintOf);
  if (known.length === 0 || known.includes(first)) return;
  throw new Error(
    `No server has sealed with the key ${first} yet, and those that run may not have it. Restart all of them with ENCRYPTION_KEY set to the old key, a comma and the new one, then with the new key first; then call this again.`,
  );
}

/** Notes that secrets are in the database that other keys of the ring have sealed: every start needs these too. */
export async function noteSealed(
  db: TransactionClient,
  keyring: Keyring,
  fingerprints: readonly string[],
): Promise<void> {
  const known = new Set((await readSamples(db)).map(fingerprintOf));
  for (const fingerprint of new Set(fingerprints)) {
    if (!known.has(fingerprint)) await addSample(db, keyring, { fingerprint, generation: 0 });
  }
}

interface Comparison {
  readonly hasSamples: boolean;
  /** Keys of the ring that are noted, or that secrets are sealed with where none is noted; each opens what it sealed. */
  readonly kept: readonly Sealed[];
  /** Fingerprints of keys that the ring does not have, and that nobody needs. */
  readonly forgotten: string[];
}

/** Throws when a key is needed that the ring does not have, or may still come to be. */
async function compareKeys(db: TransactionClient, keyring: Keyring): Promise<Comparison> {
  const samples = await readSamples(db);
  const noted = samples.length > 0 ? samples : await oneSecretOfEachKey(db);
  const kept = noted.filter((each) => isIn(keyring, each));
  const missing = noted.filter((each) => !isIn(keyring, each));
  if (missing.length > 0) await requireUnused(db, keyring, { kept, missing });
  for (const each of kept) requireOpens(keyring, each);
  return { hasSamples: samples.length > 0, kept, forgotten: missing.map(fingerprintOf) };
}

async function requireUnused(
  db: TransactionClient,
  keyring: Keyring,
  { kept, missing }: { readonly kept: readonly Sealed[]; readonly missing: readonly Sealed[] },
): Promise<void> {
  const used = new Set((await oneSecretOfEachKey(db)).map(fingerprintOf));
  const lost = missing.filter(({ fingerprint }) => used.has(fingerprint));
  if (lost.length > 0) throw new Error(missingKeys(lost, keyring));
  // Processes may be sealing with a key that came after all of this ring's, or with one that this ring never came with.
  const latest = Math.max(-1, ...kept.map(({ generation }) => generation));
  const recent = missing.filter(({ generation }) => generation > latest);
  if (recent.length > 0) throw new Error(`${missingKeys(recent, keyring)} ${NOT_USED}`);
}

/** Notes that the ring's first key is the one that processes seal with now. */
async function sealFromNowOn(
  db: TransactionClient,
  keyring: Keyring,
  known: readonly Sealed[],
): Promise<void> {
  const [fingerprint = ""] = keyring.fingerprints;
  const others = known.filter((each) => each.fingerprint !== fingerprint);
  const latest = Math.max(0, ...others.map(({ generation }) => generation));
  const own = known.find((each) => each.fingerprint === fingerprint);
  const generation = latest + 1;
  if (!own) await addSample(db, keyring, { fingerprint, generation });
  else if (own.generation <= latest) {
    await db.encryptionKey.update({ where: { fingerprint }, data: { generation } });
  }
}

async function addSample(
  db: TransactionClient,
  keyring: Keyring,
  { fingerprint, generation }: Pick<Sealed, "fingerprint" | "generation">,
): Promise<void> {
  const sample = keyring.seal(SAMPLE, purposeOf(fingerprint), fingerprint);
  await db.encryptionKey.create({ data: { fingerprint, sample, generation } });
}

function isIn({ fingerprints }: Keyring, { fingerprint }: Sealed): boolean {
  return fingerprints.includes(fingerprint);
}

const NOT_USED =
  "No secret is encrypted with it yet: if it is lost, stop all processes and delete its row from the table encryption_keys.";

function missingKeys(missing: readonly Sealed[], keyring: Keyring): string {
  const names = missing.map(fingerprintOf).join(", ");
  const keys = missing.length === 1 ? `key ${names}` : `keys ${names}`;
  return [
    `The database has secrets that need the encryption ${keys}, which this process does not have. It has ${keyring.fingerprints.join(", ")}.`,
    RESTORE_KEY,
  ].join(" ");
}

function requireOpens(keyring: Keyring, { fingerprint, sealed, purpose }: Sealed): void {
  try {
    keyring.open(sealed, purpose);
  } catch {
    throw new Error(
      `The encryption key ${fingerprint} cannot decrypt the data that was encrypted with it for ${purpose}: the key or the database was changed. Restore both from the same backup.`,
    );
  }
}

function fingerprintOf({ fingerprint }: Sealed): string {
  return fingerprint;
}

function purposeOf(fingerprint: string): string {
  return `encryptionKey.${fingerprint}`;
}

async function readSamples(db: TransactionClient): Promise<Sealed[]> {
  const keys = await db.encryptionKey.findMany({ orderBy: { fingerprint: "asc" } });
  return keys.map(({ fingerprint, sample, generation }) => ({
    fingerprint,
    sealed: sample,
    purpose: purposeOf(fingerprint),
    generation,
  }));
}

/** Everything that is sealed. Reads all resources with a private key, and all owners that may carry a module with secrets. */
const SECRETS = Prisma.join(
  SEALED_PLACES.map(
    (place) => Prisma.sql`
      SELECT ${sealedTextAt(place, "owner")} AS sealed, owner.id || ${`.${place.field}`}::text AS purpose
      FROM ${identifier(place.table)} AS owner`,
  ),
  " UNION ALL ",
);

/** For each key that secrets are sealed with, one of them. */
function oneSecretOfEachKey(db: TransactionClient): Promise<Sealed[]> {
  return db.$queryRaw<Sealed[]>`
    SELECT DISTINCT ON (fingerprint) split_part(sealed, '.', 1) AS fingerprint, sealed, purpose,
      0 AS generation
    FROM (${SECRETS}) AS secret WHERE sealed <> '' ORDER BY fingerprint`;
}
