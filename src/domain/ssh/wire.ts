import { SshInputError } from "./errors.js";

/** Reads the binary types of RFC 4251 section 5 one after the other from a buffer. */
export type WireReader = {
  /** A byte string: 4 bytes of length, then that many bytes. The result shares the buffer's memory. */
  string(): Buffer;
  /** A non-negative integer of any size, in its only canonical form: no needless leading zero. */
  mpint(): bigint;
  uint32(): number;
  uint64(): bigint;
  /** The number of bytes that are left. */
  remaining(): number;
};

/**
 * Starts reading at the first byte of `bytes`. Every read throws `SshInputError` when the bytes
 * end too early; `mpint` also when the number is negative or not canonical.
 */
export function wireReader(bytes: Buffer): WireReader {
  let offset = 0;

  function take(length: number): Buffer {
    if (length > bytes.length - offset) throw new SshInputError("The key data ends too early.");
    const taken = bytes.subarray(offset, offset + length);
    offset += length;
    return taken;
  }

  function string(): Buffer {
    return take(take(4).readUInt32BE());
  }

  function mpint(): bigint {
    const magnitude = string();
    const first = magnitude[0];
    if (first === undefined) return 0n;
    if (first >= 0x80) throw new SshInputError("A number in the key is negative.");
    const second = magnitude[1];
    if (first === 0 && (second === undefined || second < 0x80)) {
      throw new SshInputError("A number in the key has needless leading zeros.");
    }
    return bigintFromBytes(magnitude);
  }

  return {
    string,
    mpint,
    uint32: () => take(4).readUInt32BE(),
    uint64: () => take(8).readBigUInt64BE(),
    remaining: () => bytes.length - offset,
  };
}

/** Encodes a byte string; text is encoded as UTF-8 (RFC 4251 section 5, `string`). */
export function encodeString(value: string | Uint8Array): Buffer {
  const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : value;
  return Buffer.concat([encodeUint32(bytes.length), bytes]);
}

/**
 * Encodes a non-negative integer in canonical form; zero is the empty string (RFC 4251 section 5,
 * `mpint`). Throws `RangeError` for a negative number, which no key or signature holds.
 */
export function encodeMpint(value: bigint): Buffer {
  if (value < 0n) throw new RangeError("mpint must not be negative");
  if (value === 0n) return encodeString("");
  const hex = value.toString(16);
  const magnitude = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  const needsSignByte = magnitude.readUInt8(0) >= 0x80;
  return encodeString(needsSignByte ? Buffer.concat([Buffer.of(0), magnitude]) : magnitude);
}

/** Encodes 4 bytes, most significant first. Throws `RangeError` outside 0 to 2^32-1. */
export function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Encodes 8 bytes, most significant first. Throws `RangeError` outside 0 to 2^64-1. */
export function encodeUint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

/** The unsigned big-endian number that `bytes` spell; no bytes spell zero. */
export function bigintFromBytes(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

/** The number of bits of `value` without leading zeros; zero has none. `value` is not negative. */
export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
