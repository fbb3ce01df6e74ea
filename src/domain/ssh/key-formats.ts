import { ECDH } from "node:crypto";
import { SshInputError } from "./errors.js";
import { bigintFromBytes, bitLength, type WireReader } from "./wire.js";

// The formats of public keys, and which keys of each are safe: OpenSSH reads every one that passes.

/** The kinds of key that are signed and that sign, as the API's `key_type` names them. */
export type SshKeyType = "rsa" | "ecdsa" | "ed25519";

/** The same and those whose private half a hardware security key holds, named as ssh-keygen names them. */
export type LoginKeyType = SshKeyType | "ecdsa_sk" | "ed25519_sk";

/** What stands behind the name of a format. */
interface KeyFormat<Type extends LoginKeyType> {
  readonly keyType: Type;
  /** Reads the fields of a key to their end. Throws `SshInputError` for a key that is not safe. */
  check(reader: WireReader): void;
}

/** Formats by OpenSSH's names of them. */
export type KeyFormats<Type extends LoginKeyType> = ReadonlyMap<string, KeyFormat<Type>>;

type Curve = {
  /** The curve's name inside the key. */
  name: string;
  /** The curve's name in OpenSSL. */
  openssl: string;
  fieldBytes: number;
  order: bigint;
};

export const RSA_MIN_BITS = 2048;
export const RSA_MAX_BITS = 16_384;
/** OpenSSL, and so sshd, verifies nothing with a longer exponent once the modulus is this large. */
const RSA_LONG_MODULUS_BITS = 3072;
const RSA_LONG_MODULUS_EXPONENT_BITS = 64;

const P256: Curve = {
  name: "nistp256",
  openssl: "prime256v1",
  fieldBytes: 32,
  order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
};

export const CURVES: ReadonlyMap<string, Curve> = new Map([
  ["ecdsa-sha2-nistp256", P256],
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

const ecdsaFormats = [...CURVES].map(
  ([algorithm, curve]) =>
    [
      algorithm,
      { keyType: "ecdsa", check: (reader: WireReader) => checkPointOf(curve, reader) },
    ] as const,
);

/** The keys for which certificates are signed, and with which. */
export const CERTIFIED_FORMATS: KeyFormats<SshKeyType> = new Map<string, KeyFormat<SshKeyType>>([
  ["ssh-ed25519", { keyType: "ed25519", check: (reader) => checkEd25519(reader.string()) }],
  ["ssh-rsa", { keyType: "rsa", check: (reader) => checkRsa(reader.mpint(), reader.mpint()) }],
  ...ecdsaFormats,
]);

/** The keys with which somebody logs in (OpenSSH's PROTOCOL.u2f). */
export const LOGIN_FORMATS: KeyFormats<LoginKeyType> = new Map<string, KeyFormat<LoginKeyType>>([
  ...CERTIFIED_FORMATS,
  [
    "sk-ssh-ed25519@openssh.com",
    {
      keyType: "ed25519_sk",
      check(reader) {
        checkEd25519(reader.string());
        checkApplication(reader.string());
      },
    },
  ],
  [
    "sk-ecdsa-sha2-nistp256@openssh.com",
    {
      keyType: "ecdsa_sk",
      check(reader) {
        checkPointOf(P256, reader);
        checkApplication(reader.string());
      },
    },
  ],
]);

function checkPointOf(curve: Curve, reader: WireReader): void {
  checkPoint(curve, reader.string().toString("latin1"), reader.string());
}

/** What the security key was asked for, such as "ssh:". OpenSSH reads it as a text that a NUL ends. */
function checkApplication(application: Buffer): void {
  if (application.includes(0)) {
    throw new SshInputError("The application of a hardware security key must not contain NUL.");
  }
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
