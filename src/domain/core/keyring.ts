import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What to do about a key that a ring does not have. */
export const RESTORE_KEY =
  "Restore the file encryption.key in DATA_DIR, or set ENCRYPTION_KEY to its previous value; to rotate the key, set it to the new key, a comma and the old keys.";

/** Seals secrets before they are stored (AES-256-GCM). */
export interface Keyring {
  /** Tell the keys apart, and stand in front of what each has sealed. The first is the one that seals. */
  readonly fingerprints: readonly string[];
  /**
   * `purpose` binds the ciphertext to its place: it opens only under the same purpose. Seals with the first key
   * unless another of the ring is named.
   */
  seal(plaintext: string, purpose: string, fingerprint?: string): string;
  /** Throws when the text was changed, moved, or sealed with a key that the ring does not have. */
  open(sealed: string, purpose: string): string;
}

/** A ring whose keys can be replaced while it is in use. */
export interface ReplaceableKeyring extends Keyring {
  replaceKeys(keys: readonly Buffer[]): void;
}

/** A ring that seals with the first of `keys` (32 bytes each) and opens with any, so that keys rotate. */
export function createKeyring(keys: readonly Buffer[]): ReplaceableKeyring {
  let ring = ringOf(keys);
  const keyOf = (fingerprint: string) => {
    const key = ring.get(fingerprint);
    if (!key) {
      throw new Error(
        `A secret needs the encryption key ${fingerprint}, which this process does not have. It has ${[...ring.keys()].join(", ")}. ${RESTORE_KEY}`,
      );
    }
    return key;
  };
  return {
    get fingerprints() {
      return [...ring.keys()];
    },
    replaceKeys(keys) {
      ring = ringOf(keys);
    },
    seal(plaintext, purpose, keyId = firstOf(ring)) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", keyOf(keyId), nonce).setAAD(
        Buffer.from(purpose),
      );
      const sealed = Buffer.concat([
        nonce,
        cipher.update(plaintext, "utf8"),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${keyId}.${sealed.toString("base64")}`;
    },
    open(sealed, purpose) {
      const [keyId = "", payload = ""] = sealed.split(".");
      const key = keyOf(keyId);
      const bytes = Buffer.from(payload, "base64");
      // The decoder passes over what is no base64, and so would a change of that kind.
      if (sealed !== `${keyId}.${bytes.toString("base64")}`) {
        throw new Error("A sealed secret was changed.");
      }
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return (
        decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") +
        decipher.final("utf8")
      );
    },
  };
}

function ringOf(keys: readonly Buffer[]): ReadonlyMap<string, Buffer> {
  if (keys.length === 0) throw new Error("A keyring needs at least one key.");
  return new Map(keys.map((key) => [fingerprint(key), key]));
}

function firstOf(ring: ReadonlyMap<string, Buffer>): string {
  const [first = ""] = ring.keys();
  return first;
}

function fingerprint(key: Buffer): string {
  return createHash("sha256").update("edgeplane key id").update(key).digest("hex").slice(0, 8);
}
