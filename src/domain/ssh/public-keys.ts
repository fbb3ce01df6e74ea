import { createPublicKey, ECDH, type KeyObject } from "node:crypto";
import { SshInputError } from "./errors.js";
import {
  bigintFromBytes,
  bitLength,
  encodeMpint,
  encodeString,
  type WireReader,
  wireReader,
} from "./wire.js";

/** The kinds of key that are signed and that sign, as the API's `key_type` names them. */
export type SshKeyType = "rsa" | "ecdsa" | "ed25519";

/** A public key in the form that OpenSSH reads. */
export type SshPublicKey = {
  keyType: SshKeyType;
  /** OpenSSH's name of the key format, such as `ecdsa-sha2-nistp256`. */
  algorithm: string;
  /** The key as RFC 4253 section 6.6 encodes it, beginning with `algorithm`. */
  blob: Buffer;
  /** The comment after the key on its line; empty when there is none. */
  comment: string;
};

type Curve = {
  /** The curve's name inside the key. */
  name: string;
  /** The curve's name in OpenSSL. */
  openssl: string;
  fieldBytes: number;
  order: bigint;
};

/** The maximum number of bytes of the text of a public key (ssh-certificates.md, `public_key`). */
const PUBLIC_KEY_MAX_BYTES = 16_384;

export const RSA_MIN_BITS = 2048;
export const RSA_MAX_BITS = 16_384;
/** OpenSSL, and so sshd, verifies nothing with a longer exponent once the modulus is this large. */
const RSA_LONG_MODULUS_BITS = 3072;
const RSA_LONG_MODULUS_EXPONENT_BITS = 64;

const CURVES: ReadonlyMap<string, Curve> = new Map([
  [
    "ecdsa-sha2-nistp256",
    {
      name: "nistp256",
      openssl: "prime256v1",
      fieldBytes: 32,
      order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    },
  ],
  [
    "ecdsa-sha2-nistp384",
    {
      name: "nistp384",
      openssl: "secp384r1",
      fieldBytes: 48,
      order:
        0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
    },
  ],
  [
    "ecdsa-sha2-nistp521",
    {
      name: "nistp521",
      openssl: "secp521r1",
      fieldBytes: 66,
      order:
        0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
    },
  ],
]);

const JWK_CURVES: ReadonlyMap<string, string> = new Map([
  ["P-256", "ecdsa-sha2-nistp256"],
  ["P-384", "ecdsa-sha2-nistp384"],
  ["P-521", "ecdsa-sha2-nistp521"],
]);

const ED25519_PRIME = 2n ** 255n - 19n;
const ED25519_ORDER_8_Y = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
/** The y coordinates of the eight points whose order divides 8 (RFC 7748 section 7, RFC 8032). */
const ED25519_LOW_ORDER_Y: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  ED25519_PRIME - 1n,
  ED25519_ORDER_8_Y,
  ED25519_PRIME - ED25519_ORDER_8_Y,
]);

/**
 * Reads one line of OpenSSH's authorized_keys format, `type base64 [comment]`, without options.
 * One newline at the end is tolerated. Accepts RSA of 2048 to 16384 bits, ECDSA on the three NIST
 * curves and Ed25519, and only keys that OpenSSH itself reads and can verify with.
 * Throws `SshInputError` with a message of its own for every other input
 * (ssh-certificates.md, `public_key`; management-api.md section 2.2).
 */
export function parsePublicKey(text: string): SshPublicKey {
  const line = onlyLine(text);
  const [algorithm, encoded, comment] = splitWords(line);
  const keyType = keyTypeOf(algorithm, line);
  const blob = decodeCanonicalBase64(encoded);
  const reader = wireReader(blob);
  if (reader.string().toString("latin1") !== algorithm) {
    throw new SshInputError("The type inside the public key differs from the type before it.");
  }
  checkKey(keyType, algorithm, reader);
  if (reader.remaining() > 0) {
    throw new SshInputError("The public key is followed by trailing bytes.");
  }
  return { keyType, algorithm, blob, comment };
}

/**
 * The public half of a Node key, private or public, in OpenSSH's form and without a comment.
 * Throws `TypeError` for a kind of key that cannot be an authority's.
 */
export function publicKeyOf(key: KeyObject): SshPublicKey {
  const jwk = (key.type === "private" ? createPublicKey(key) : key).export({ format: "jwk" });
  if (jwk.kty === "RSA" && jwk.n !== undefined && jwk.e !== undefined) {
    const numbers = [jwk.e, jwk.n].map((part) => encodeMpint(bigintFromBytes(fromUrl(part))));
    return toPublicKey("rsa", "ssh-rsa", numbers);
  }
  if (jwk.kty === "OKP" && jwk.crv === "Ed25519" && jwk.x !== undefined) {
    return toPublicKey("ed25519", "ssh-ed25519", [encodeString(fromUrl(jwk.x))]);
  }
  const algorithm = JWK_CURVES.get(jwk.crv ?? "");
  const curve = CURVES.get(algorithm ?? "");
  if (!algorithm || !curve || jwk.x === undefined || jwk.y === undefined) {
    throw new TypeError("Only RSA, Ed25519 and ECDSA keys on a NIST curve are SSH keys");
  }
  const point = Buffer.concat([Buffer.of(4), fromUrl(jwk.x), fromUrl(jwk.y)]);
  return toPublicKey("ecdsa", algorithm, [encodeString(curve.name), encodeString(point)]);
}

/** One line of OpenSSH's authorized_keys format, without a newline; a comment only if there is one. */
export function formatPublicKey(key: SshPublicKey): string {
  const line = `${key.algorithm} ${key.blob.toString("base64")}`;
  return key.comment === "" ? line : `${line} ${key.comment}`;
}

function toPublicKey(keyType: SshKeyType, algorithm: string, parts: Buffer[]): SshPublicKey {
  return {
    keyType,
    algorithm,
    blob: Buffer.concat([encodeString(algorithm), ...parts]),
    comment: "",
  };
}

function fromUrl(text: string): Buffer {
  return Buffer.from(text, "base64url");
}

function onlyLine(text: string): string {
  if (Buffer.byteLength(text, "utf8") > PUBLIC_KEY_MAX_BYTES) {
    throw new SshInputError(`A public key must be at most ${PUBLIC_KEY_MAX_BYTES} bytes.`);
  }
  if (text.includes("PRIVATE KEY-----")) {
    throw new SshInputError(
      "This is a private key. Send only the public key, and replace this one.",
    );
  }
  const line = text.replace(/\r?\n$/, "");
  if (line.trim() === "") throw new SshInputError("A public key is required.");
  if (/[\r\n]/.test(line)) throw new SshInputError("A public key must be a single line.");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the check for them
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(line)) {
    throw new SshInputError("A public key must not contain control characters.");
  }
  if (Buffer.from(line, "utf8").toString("utf8") !== line) {
    throw new SshInputError("A public key must be well-formed Unicode text.");
  }
  return line;
}

/** The type, the key and the comment; OpenSSH lets any run of spaces and tabs stand between them. */
function splitWords(line: string): [algorithm: string, encoded: string, comment: string] {
  const [algorithm, afterAlgorithm] = splitAtBlanks(line);
  const [encoded, comment] = splitAtBlanks(afterAlgorithm);
  return [algorithm, encoded, comment.trimEnd()];
}

function splitAtBlanks(text: string): [word: string, rest: string] {
  const end = text.search(/[ \t]/);
  if (end === -1) return [text, ""];
  const rest = text.slice(end);
  const start = rest.search(/[^ \t]/);
  return [text.slice(0, end), start === -1 ? "" : rest.slice(start)];
}

function keyTypeOf(algorithm: string, line: string): SshKeyType {
  const known = knownKeyType(algorithm);
  if (known) return known;
  if (/-cert-v0[01]@openssh\.com$/.test(algorithm)) {
    throw new SshInputError("This is a certificate. Send the public key that it certifies.");
  }
  if (algorithm === "ssh-dss") {
    throw new SshInputError("DSA keys are not supported, since OpenSSH no longer accepts them.");
  }
  if (algorithm.startsWith("sk-")) {
    throw new SshInputError("Keys of hardware security keys (sk-*) are not supported.");
  }
  const words = line.split(/[ \t]/).filter((word) => word !== "");
  const hasLaterKey = words.some(
    (word, index) => index > 0 && knownKeyType(word) && words[index + 1]?.startsWith("AAAA"),
  );
  if (hasLaterKey) {
    throw new SshInputError("A public key must begin with its type, without options before it.");
  }
  const accepted = ["ssh-ed25519", "ssh-rsa", ...CURVES.keys()].join(", ");
  throw new SshInputError(`A public key must begin with its type, one of ${accepted}.`);
}

function knownKeyType(algorithm: string): SshKeyType | undefined {
  if (algorithm === "ssh-rsa") return "rsa";
  if (algorithm === "ssh-ed25519") return "ed25519";
  return CURVES.has(algorithm) ? "ecdsa" : undefined;
}

function decodeCanonicalBase64(encoded: string): Buffer {
  if (encoded === "")
    throw new SshInputError("The type of the public key must be followed by a key.");
  const blob = Buffer.from(encoded, "base64");
  if (blob.toString("base64") !== encoded) {
    throw new SshInputError("The public key is not canonical base64.");
  }
  return blob;
}

function checkKey(keyType: SshKeyType, algorithm: string, reader: WireReader): void {
  if (keyType === "rsa") checkRsa(reader.mpint(), reader.mpint());
  if (keyType === "ed25519") checkEd25519(reader.string());
  const curve = CURVES.get(algorithm);
  if (curve) checkPoint(curve, reader.string().toString("latin1"), reader.string());
}

function checkRsa(exponent: bigint, modulus: bigint): void {
  const bits = bitLength(modulus);
  if (bits < RSA_MIN_BITS || bits > RSA_MAX_BITS) {
    throw new SshInputError(`An RSA key must have ${RSA_MIN_BITS} to ${RSA_MAX_BITS} bits.`);
  }
  if (modulus % 2n === 0n) throw new SshInputError("The modulus of an RSA key must be odd.");
  if (exponent < 3n || exponent % 2n === 0n) {
    throw new SshInputError("The exponent of an RSA key must be odd and at least 3.");
  }
  const isLongExponent = bitLength(exponent) > RSA_LONG_MODULUS_EXPONENT_BITS;
  if (exponent >= modulus || (bits > RSA_LONG_MODULUS_BITS && isLongExponent)) {
    throw new SshInputError("The exponent of this RSA key is too large for OpenSSH.");
  }
}

/** The same conditions as OpenSSH's: on the curve, and neither coordinate unusually small or large. */
function checkPoint(curve: Curve, curveName: string, point: Buffer): void {
  if (curveName !== curve.name) {
    throw new SshInputError("The curve inside the public key differs from the curve of its type.");
  }
  if (point[0] !== 4 || point.length !== 1 + 2 * curve.fieldBytes) {
    throw new SshInputError(`An ECDSA key on ${curve.name} must be one uncompressed point.`);
  }
  if (!isOnCurve(curve, point)) {
    throw new SshInputError(`The point of the ECDSA key is not on the curve ${curve.name}.`);
  }
  const coordinates = [
    point.subarray(1, 1 + curve.fieldBytes),
    point.subarray(1 + curve.fieldBytes),
  ];
  const minBits = Math.floor(bitLength(curve.order) / 2);
  const isUsual = coordinates
    .map(bigintFromBytes)
    .every((coordinate) => bitLength(coordinate) > minBits && coordinate < curve.order - 1n);
  if (!isUsual) throw new SshInputError("OpenSSH refuses the point of this ECDSA key.");
}

function isOnCurve(curve: Curve, point: Buffer): boolean {
  try {
    ECDH.convertKey(point, curve.openssl, undefined, undefined, "uncompressed");
    return true;
  } catch {
    return false;
  }
}

function checkEd25519(key: Buffer): void {
  if (key.length !== 32) throw new SshInputError("An Ed25519 key must have exactly 32 bytes.");
  const signBitCleared = BigInt.asUintN(255, bigintFromBytes(Buffer.from(key).reverse()));
  if (ED25519_LOW_ORDER_Y.has(signBitCleared % ED25519_PRIME)) {
    throw new SshInputError("This Ed25519 key is a point of low order, which anyone can sign for.");
  }
}
