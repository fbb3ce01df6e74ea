import { generateKeyPairSync } from "node:crypto";
import { publicKeyOf, type SshPublicKey } from "../../src/domain/ssh/public-keys.js";
import { encodeMpint, encodeString } from "../../src/domain/ssh/wire.js";

/** A modulus of 2048 bits, as far as a reader of public keys can tell. */
export const odd2048 = 2n ** 2047n + 1n;

export const ed25519 = publicKeyOf(generateKeyPairSync("ed25519").publicKey);
const rsa = publicKeyOf(generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey);
export const p256 = publicKeyOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey);
export const p384 = publicKeyOf(generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey);
export const p521 = publicKeyOf(generateKeyPairSync("ec", { namedCurve: "P-521" }).publicKey);
export const keys = [ed25519, rsa, p256, p384, p521];

export function line(type: string, ...parts: Buffer[]): string {
  return `${type} ${Buffer.concat([encodeString(type), ...parts]).toString("base64")}`;
}

export function rsaLine(modulus: bigint, exponent = 65537n): string {
  return line("ssh-rsa", encodeMpint(exponent), encodeMpint(modulus));
}

export function ed25519Line(bytes: Uint8Array): string {
  return line("ssh-ed25519", encodeString(bytes));
}

export function pointOf(key: SshPublicKey, coordinateBytes: number): Buffer {
  return Buffer.from(key.blob.subarray(key.blob.length - 1 - 2 * coordinateBytes));
}

export function withLastByteChanged(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
  return changed;
}

export function p256Line(point: Buffer, curve = "nistp256"): string {
  return line("ecdsa-sha2-nistp256", encodeString(curve), encodeString(point));
}

/** The key of a hardware security key: that of `key`, and what it was made for. */
export function securityKeyLine(key: SshPublicKey, application: string | Buffer = "ssh:"): string {
  const type =
    key.keyType === "ed25519" ? "sk-ssh-ed25519@openssh.com" : "sk-ecdsa-sha2-nistp256@openssh.com";
  const fields = key.blob.subarray(4 + key.algorithm.length);
  return line(type, fields, encodeString(application));
}

function hexBytes(value: bigint, bytes: number): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * bytes, "0"), "hex");
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (exponent === 0n) return 1n;
  const half = power((base * base) % modulus, exponent / 2n, modulus);
  return exponent % 2n === 0n ? half : (half * base) % modulus;
}

/** A point of P-256 whose x is small, which OpenSSH takes for the sign of a forged key. */
export function smallPoint(): Buffer {
  const p = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
  const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
  for (let x = 1n; ; x++) {
    const square = (x ** 3n - 3n * x + b) % p;
    const y = power(square, (p + 1n) / 4n, p);
    if ((y * y) % p === square)
      return Buffer.concat([Buffer.of(4), hexBytes(x, 32), hexBytes(y, 32)]);
  }
}
