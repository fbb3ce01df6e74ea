import { createPrivateKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { publicKeyOf, type SshPublicKey } from "./public-keys.js";
import {
  bigintFromBytes,
  encodeMpint,
  encodeString,
  encodeUint32,
  encodeUint64,
  wireReader,
} from "./wire.js";

/** What a certificate is for, and how the format numbers it: logging in as a user, or being known as a host. */
const CERTIFICATE_TYPES = { user: 1, host: 2 } as const;
const NONCE_BYTES = 32;

const ECDSA_HASHES: ReadonlyMap<string, string> = new Map([
  ["ecdsa-sha2-nistp256", "sha256"],
  ["ecdsa-sha2-nistp384", "sha384"],
  ["ecdsa-sha2-nistp521", "sha512"],
]);

/** The content of a certificate, and its signer. */
export type CertificateRequest = {
  type: keyof typeof CERTIFICATE_TYPES;
  /** PKCS #8 as PEM, not encrypted, as `createAuthorityKey` makes it. */
  authorityPrivateKeyPem: string;
  /** The key that is certified, from `parsePublicKey`. */
  subject: SshPublicKey;
  /** 1 to 2^64-1, unique for the authority; see `newSerial`. */
  serial: bigint;
  /** What OpenSSH writes to its logs: the id of the certificate's resource. Printable ASCII, no space. */
  keyId: string;
  /**
   * Users or hosts, in the order in which they are shown. Empty means any, which OpenSSH takes only before 10.3: for
   * a host, and for a user by a `cert-authority` line of authorized_keys, but never by TrustedUserCAKeys.
   */
  principals: readonly string[];
  /** An empty value makes a flag. Ordered by name when encoded. */
  criticalOptions: Readonly<Record<string, string>>;
  /** An empty value makes a flag. Ordered by name when encoded. No defaults are added here. */
  extensions: Readonly<Record<string, string>>;
  /** Fractions of a second are cut. */
  validAfter: Date;
  /** The first moment at which the certificate is no longer valid. Fractions of a second are cut. */
  validBefore: Date;
  /** 32 bytes; random unless given. */
  nonce?: Uint8Array;
};

/**
 * Signs an OpenSSH certificate and returns it as one line, `type base64 keyId`, without a
 * newline. RSA authorities sign with rsa-sha2-512, ECDSA ones with the hash of their curve.
 * The caller has checked the values with `checkPrincipals`, `checkCriticalOptions` and
 * `checkExtensions`; what the format cannot hold is still refused with `RangeError`: a serial or
 * time out of range, an end that is not after the start, a key id with spaces, a nonce of another
 * length (ssh-certificates.md, "Encoding"; OpenSSH's PROTOCOL.certkeys).
 */
export function signCertificate(request: CertificateRequest): string {
  const { subject, serial, keyId, nonce = randomBytes(NONCE_BYTES) } = request;
  if (serial < 1n) throw new RangeError("A serial must be at least 1");
  if (nonce.length !== NONCE_BYTES) throw new RangeError(`A nonce must have ${NONCE_BYTES} bytes`);
  if (!/^[!-~]+$/.test(keyId)) throw new RangeError("A key id must be printable ASCII, no space");
  const validAfter = wholeSeconds(request.validAfter);
  const validBefore = wholeSeconds(request.validBefore);
  if (validBefore <= validAfter) throw new RangeError("A certificate must end after its start");

  const format = `${subject.algorithm}-cert-v01@openssh.com`;
  const authority = createPrivateKey(request.authorityPrivateKeyPem);
  const authorityKey = publicKeyOf(authority);
  const signed = Buffer.concat([
    encodeString(format),
    encodeString(nonce),
    subjectFields(subject),
    encodeUint64(serial),
    encodeUint32(CERTIFICATE_TYPES[request.type]),
    encodeString(keyId),
    encodeString(Buffer.concat(request.principals.map(encodeString))),
    encodeUint64(validAfter),
    encodeUint64(validBefore),
    encodeString(encodeOptions(request.criticalOptions)),
    encodeString(encodeOptions(request.extensions)),
    encodeString(""),
    encodeString(authorityKey.blob),
  ]);
  const signature = signAs(authorityKey.algorithm, authority, signed);
  const certificate = Buffer.concat([signed, encodeString(signature)]);
  return `${format} ${certificate.toString("base64")} ${keyId}`;
}

/**
 * A random serial of 63 bits, 1 to 2^63-1, so that it fits a signed 64-bit column. The storage ensures that it is
 * unique for its authority (ssh-certificates.md, "Encoding").
 */
export function newSerial(): bigint {
  const serial = BigInt.asUintN(63, randomBytes(8).readBigUInt64BE());
  return serial === 0n ? newSerial() : serial;
}

/** The time as the format counts it: whole seconds since 1970, cut and never rounded up. */
function wholeSeconds(time: Date): bigint {
  const seconds = Math.floor(time.getTime() / 1000);
  if (!(seconds >= 0))
    throw new RangeError("A certificate's times must be valid and not before 1970");
  return BigInt(seconds);
}

/** The key's own fields, which follow its type name in a key and the nonce in a certificate. */
function subjectFields(subject: SshPublicKey): Buffer {
  return subject.blob.subarray(subject.blob.length - afterFirstString(subject.blob));
}

function afterFirstString(blob: Buffer): number {
  const reader = wireReader(blob);
  reader.string();
  return reader.remaining();
}

/** Ordered by the bytes of the names; a value is a string inside the data, a flag has no data. */
function encodeOptions(options: Readonly<Record<string, string>>): Buffer {
  const ordered = Object.entries(options).map(
    ([name, value]) => [Buffer.from(name), value] as const,
  );
  ordered.sort(([a], [b]) => Buffer.compare(a, b));
  return Buffer.concat(
    ordered.flatMap(([name, value]) => [
      encodeString(name),
      encodeString(value === "" ? "" : encodeString(value)),
    ]),
  );
}

function signAs(algorithm: string, key: KeyObject, data: Buffer): Buffer {
  if (algorithm === "ssh-ed25519") return signature(algorithm, sign(null, data, key));
  if (algorithm === "ssh-rsa") return signature("rsa-sha2-512", sign("sha512", data, key));
  const hash = ECDSA_HASHES.get(algorithm);
  if (!hash) throw new TypeError(`${algorithm} does not sign certificates`);
  const numbers = sign(hash, data, { key, dsaEncoding: "ieee-p1363" });
  const half = numbers.length / 2;
  const r = encodeMpint(bigintFromBytes(numbers.subarray(0, half)));
  const s = encodeMpint(bigintFromBytes(numbers.subarray(half)));
  return signature(algorithm, Buffer.concat([r, s]));
}

function signature(algorithm: string, value: Buffer): Buffer {
  return Buffer.concat([encodeString(algorithm), encodeString(value)]);
}
