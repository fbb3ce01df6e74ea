import { parsePublicKey } from "./public-keys.js";
import { encodeString, encodeUint32, encodeUint64 } from "./wire.js";

const MAGIC = "SSHKRL\n\0";
const FORMAT_VERSION = 1;
const NO_FLAGS = 0n;
const SECTION_CERTIFICATES = 1;
const SECTION_SERIAL_LIST = 0x20;

/** The revoked certificates of one authority. */
export type RevocationListRequest = {
  /** One line of OpenSSH's authorized_keys format. */
  authorityPublicKey: string;
  /** 1 to 2^64-1 each, in any order; repeated ones count once. None makes a valid, empty list. */
  serials: Iterable<bigint>;
  /** When the list was made. Fractions of a second are cut. */
  generatedAt: Date;
  /** A free text that `ssh-keygen -Q -l` prints; empty by default. */
  comment?: string;
};

/**
 * Encodes an OpenSSH key revocation list (KRL) that revokes certificates of one authority by their
 * serials, for sshd's `RevokedKeys` and `ssh-keygen -Q -f`. Its version is the second in which it
 * was made, so that a later list has a higher one. The list is not signed: sshd trusts the file.
 * Throws `SshInputError` for an unreadable authority key and `RangeError` for a serial or time out
 * of range (ssh-certificates.md, "Accountability"; OpenSSH's PROTOCOL.krl).
 */
export function encodeRevocationList(request: RevocationListRequest): Buffer {
  const authority = parsePublicKey(request.authorityPublicKey);
  const serials = [...new Set(request.serials)].sort((a, b) => (a < b ? -1 : 1));
  if (serials.some((serial) => serial < 1n)) throw new RangeError("A serial must be at least 1");
  const generatedAt = BigInt(Math.floor(request.generatedAt.getTime() / 1000));
  const header = [
    Buffer.from(MAGIC, "latin1"),
    encodeUint32(FORMAT_VERSION),
    encodeUint64(generatedAt),
    encodeUint64(generatedAt),
    encodeUint64(NO_FLAGS),
    encodeString(""),
    encodeString(request.comment ?? ""),
  ];
  if (serials.length === 0) return Buffer.concat(header);
  const certificates = Buffer.concat([
    encodeString(authority.blob),
    encodeString(""),
    encodeSection(SECTION_SERIAL_LIST, Buffer.concat(serials.map(encodeUint64))),
  ]);
  return Buffer.concat([...header, encodeSection(SECTION_CERTIFICATES, certificates)]);
}

function encodeSection(type: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.of(type), encodeString(data)]);
}
