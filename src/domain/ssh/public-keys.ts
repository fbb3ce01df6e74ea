import { createPublicKey, type KeyObject } from "node:crypto";
import { SshInputError } from "./errors.js";
import {
  CERTIFIED_FORMATS,
  CURVES,
  type KeyFormats,
  LOGIN_FORMATS,
  type LoginKeyType,
  type SshKeyType,
} from "./key-formats.js";
import { bigintFromBytes, encodeMpint, encodeString, wireReader } from "./wire.js";

/** A public key in the form that OpenSSH reads. */
export type SshPublicKey<Type extends LoginKeyType = SshKeyType> = {
  keyType: Type;
  /** OpenSSH's name of the key format, such as `ecdsa-sha2-nistp256`. */
  algorithm: string;
  /** The key as RFC 4253 section 6.6 encodes it, beginning with `algorithm`. */
  blob: Buffer;
  /** The comment after the key on its line; empty when there is none. */
  comment: string;
};

/** The maximum number of bytes of the text of a public key (ssh-certificates.md, `public_key`). */
const PUBLIC_KEY_MAX_BYTES = 16_384;

const JWK_CURVES: ReadonlyMap<string, string> = new Map([
  ["P-256", "ecdsa-sha2-nistp256"],
  ["P-384", "ecdsa-sha2-nistp384"],
  ["P-521", "ecdsa-sha2-nistp521"],
]);

/**
 * Reads a key to certify: one line of OpenSSH's authorized_keys format, `type base64 [comment]`,
 * without options. One newline at the end is tolerated. Accepts RSA of 2048 to 16384 bits, ECDSA on
 * the three NIST curves and Ed25519, and only keys that OpenSSH itself reads and can verify with.
 * Throws `SshInputError` with a message of its own for every other input
 * (ssh-certificates.md, `public_key`; management-api.md section 2.2).
 */
export function parsePublicKey(text: string): SshPublicKey {
  return readPublicKey(text, CERTIFIED_FORMATS);
}

/** The same for a key to log in with, which may also be that of a hardware security key (wire facts, SSHCredentials). */
export function parseLoginKey(text: string): SshPublicKey<LoginKeyType> {
  return readPublicKey(text, LOGIN_FORMATS);
}

function readPublicKey<Type extends LoginKeyType>(
  text: string,
  formats: KeyFormats<Type>,
): SshPublicKey<Type> {
  const line = onlyLine(text);
  const [algorithm, encoded, comment] = splitWords(line);
  const format = formats.get(algorithm);
  if (!format) throw unknownFormat(algorithm, line, formats);
  const blob = decodeCanonicalBase64(encoded);
  const reader = wireReader(blob);
  if (reader.string().toString("latin1") !== algorithm) {
    throw new SshInputError("The type inside the public key differs from the type before it.");
  }
  format.check(reader);
  if (reader.remaining() > 0) {
    throw new SshInputError("The public key is followed by trailing bytes.");
  }
  return { keyType: format.keyType, algorithm, blob, comment };
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
export function formatPublicKey(key: SshPublicKey<LoginKeyType>): string {
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

function unknownFormat(
  algorithm: string,
  line: string,
  formats: KeyFormats<LoginKeyType>,
): SshInputError {
  if (/-cert-v0[01]@openssh\.com$/.test(algorithm)) {
    return new SshInputError("This is a certificate. Send the public key that it certifies.");
  }
  if (algorithm === "ssh-dss") {
    return new SshInputError("DSA keys are not supported, since OpenSSH no longer accepts them.");
  }
  if (LOGIN_FORMATS.has(algorithm)) {
    return new SshInputError("Keys of hardware security keys (sk-*) are not supported.");
  }
  const words = line.split(/[ \t]/).filter((word) => word !== "");
  const hasLaterKey = words.some(
    (word, index) => index > 0 && formats.has(word) && words[index + 1]?.startsWith("AAAA"),
  );
  if (hasLaterKey) {
    return new SshInputError("A public key must begin with its type, without options before it.");
  }
  const accepted = [...formats.keys()].join(", ");
  return new SshInputError(`A public key must begin with its type, one of ${accepted}.`);
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
