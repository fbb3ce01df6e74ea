import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SshInputError } from "../../src/domain/ssh/errors.js";
import {
  formatPublicKey,
  parseLoginKey,
  parsePublicKey,
  publicKeyOf,
} from "../../src/domain/ssh/public-keys.js";
import { encodeMpint, encodeString } from "../../src/domain/ssh/wire.js";
import {
  ed25519,
  ed25519Line,
  keys,
  line,
  odd2048,
  p256,
  p256Line,
  p384,
  p521,
  pointOf,
  rsaLine,
  securityKeyLine,
  smallPoint,
  withLastByteChanged,
} from "./keys.js";

/** The encodings of points of low order, as libsodium lists them, without the sign bit. */
const LOW_ORDER = [
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  `ec${"ff".repeat(30)}7f`,
  `ed${"ff".repeat(30)}7f`,
  `ee${"ff".repeat(30)}7f`,
].flatMap((hex) => {
  const bytes = Buffer.from(hex, "hex");
  const negative = Buffer.from(bytes);
  negative.writeUInt8(negative.readUInt8(31) | 0x80, 31);
  return [bytes, negative];
});

const text = formatPublicKey(ed25519);
const encoded = ed25519.blob.toString("base64");
const certificateType = "ssh-ed25519-cert-v01@openssh.com";

describe("a public key that is accepted", () => {
  it.each(keys)("$algorithm is read with its type, bytes and comment", (key) => {
    expect(parsePublicKey(formatPublicKey({ ...key, comment: "me@home two  words" }))).toEqual({
      ...key,
      comment: "me@home two  words",
    });
  });

  it.each([
    ["without a comment", text, ""],
    ["with a newline at the end", `${text} me\n`, "me"],
    ["with a carriage return and newline at the end", `${text}\r\n`, ""],
    ["with tabs and spaces between", `ssh-ed25519 \t ${encoded}\t  me \t`, "me"],
    ["with a comment that is not ASCII", `${text} José 🔑`, "José 🔑"],
    ["with a comment like another key", `${text} ${text}`, text],
  ])("may be %s", (_, given, comment) => {
    expect(parsePublicKey(given)).toEqual({ ...ed25519, comment });
  });

  it.each([
    ["2048 bits", rsaLine(odd2048)],
    ["16384 bits", rsaLine(2n ** 16383n + 1n)],
    ["the exponent 3", rsaLine(odd2048, 3n)],
    ["an exponent of 65 bits while the modulus is at most 3072", rsaLine(odd2048, 2n ** 64n + 1n)],
    ["an exponent of 64 bits and 4096 bits", rsaLine(2n ** 4095n + 1n, 2n ** 63n + 1n)],
  ])("may be RSA with %s", (_, given) => {
    expect(parsePublicKey(given).keyType).toBe("rsa");
  });

  it("may fill 16 KiB, and no byte more", () => {
    const full = `${text} `.padEnd(16_384, "c");
    expect(parsePublicKey(full).comment).toHaveLength(16_384 - text.length - 1);
    expect(() => parsePublicKey(`${full}c`)).toThrow("at most 16384 bytes");
  });
});

describe("a public key is refused with a message of its own", () => {
  const point = pointOf(p256, 32);
  const compressed = Buffer.concat([
    Buffer.of(2 + (point.readUInt8(64) & 1)),
    point.subarray(1, 33),
  ]);
  it.each([
    ["that is empty", "", "A public key is required."],
    ["that is blank", " \t\n", "A public key is required."],
    ["of more than 16 KiB", "é".repeat(8_193), "A public key must be at most 16384 bytes."],
    ["with a second line", `${text}\n${text}`, "A public key must be a single line."],
    ["with a second newline", `${text}\n\n`, "A public key must be a single line."],
    ["with a newline before it", `\n${text}`, "A public key must be a single line."],
    ["with a NUL", `${text} a\0b`, "A public key must not contain control characters."],
    ["with half a character", `${text} \ud800`, "A public key must be well-formed Unicode text."],
    [
      "that is a private key",
      "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb\n-----END OPENSSH PRIVATE KEY-----\n",
      "This is a private key. Send only the public key, and replace this one.",
    ],
    [
      "that is a certificate",
      line(certificateType, encodeString("nonce")),
      "This is a certificate. Send the public key that it certifies.",
    ],
    [
      "that is a certificate of a hardware key",
      line("sk-ssh-ed25519-cert-v01@openssh.com", encodeString("nonce")),
      "This is a certificate. Send the public key that it certifies.",
    ],
    [
      "of type DSA",
      line("ssh-dss", encodeMpint(5n)),
      "DSA keys are not supported, since OpenSSH no longer accepts them.",
    ],
    [
      "of a hardware key, Ed25519",
      line("sk-ssh-ed25519@openssh.com", encodeString("x")),
      "Keys of hardware security keys (sk-*) are not supported.",
    ],
    [
      "of a hardware key, ECDSA",
      line("sk-ecdsa-sha2-nistp256@openssh.com", encodeString("x")),
      "Keys of hardware security keys (sk-*) are not supported.",
    ],
    [
      "with options",
      `from="10.0.0.0/8",command="echo a b" ${text} me`,
      "A public key must begin with its type, without options before it.",
    ],
    [
      "of an unknown type",
      line("ssh-xmss@openssh.com"),
      "A public key must begin with its type, one of",
    ],
    [
      "of a signature's type",
      `rsa-sha2-512 ${encoded}`,
      "A public key must begin with its type, one of",
    ],
    ["with a space before it", ` ${encoded}`, "A public key must begin with its type, one of"],
    ["with only a type", "ssh-ed25519", "The type of the public key must be followed by a key."],
    ["without padding", "ssh-rsa AAAAB3NzaC1yc2E", "The public key is not canonical base64."],
    ["in base64url", `ssh-ed25519 ${"-_".repeat(34)}`, "The public key is not canonical base64."],
    [
      "with stray base64 bits",
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AB==",
      "The public key is not canonical base64.",
    ],
    [
      "after a no-break space",
      `ssh-ed25519 \u00a0${encoded}`,
      "The public key is not canonical base64.",
    ],
    ["cut short", line("ssh-ed25519"), "The key data ends too early."],
    [
      "with another type inside",
      `ssh-rsa ${encoded}`,
      "The type inside the public key differs from the type before it.",
    ],
    [
      "with a certificate inside",
      `ssh-ed25519 ${encodeString(certificateType).toString("base64")}`,
      "The type inside the public key differs from the type before it.",
    ],
    [
      "with trailing bytes",
      line("ssh-ed25519", encodeString(Buffer.alloc(32, 7)), Buffer.of(0)),
      "The public key is followed by trailing bytes.",
    ],
    ["RSA of 2047 bits", rsaLine(2n ** 2046n + 1n), "An RSA key must have 2048 to 16384 bits."],
    // Text of 16 KiB has room for it: the bound itself is what refuses it.
    ["RSA of 16385 bits", rsaLine(2n ** 16384n + 1n), "An RSA key must have 2048 to 16384 bits."],
    ["RSA with modulus 0", rsaLine(0n), "An RSA key must have 2048 to 16384 bits."],
    ["RSA with an even modulus", rsaLine(2n ** 2047n), "The modulus of an RSA key must be odd."],
    [
      "RSA with exponent 1",
      rsaLine(odd2048, 1n),
      "The exponent of an RSA key must be odd and at least 3.",
    ],
    [
      "RSA with an even exponent",
      rsaLine(odd2048, 65536n),
      "The exponent of an RSA key must be odd and at least 3.",
    ],
    [
      "RSA with the exponent as large as the modulus",
      rsaLine(odd2048, odd2048),
      "The exponent of this RSA key is too large for OpenSSH.",
    ],
    [
      "RSA of 4096 bits with an exponent of 65 bits",
      rsaLine(2n ** 4095n + 1n, 2n ** 64n + 1n),
      "The exponent of this RSA key is too large for OpenSSH.",
    ],
    [
      "RSA with a negative modulus",
      line("ssh-rsa", encodeMpint(3n), encodeString(Buffer.alloc(256, 0xff))),
      "A number in the key is negative.",
    ],
    [
      "RSA with a padded exponent",
      line("ssh-rsa", encodeString(Buffer.of(0, 3)), encodeMpint(odd2048)),
      "A number in the key has needless leading zeros.",
    ],
    [
      "ECDSA with another curve inside",
      p256Line(pointOf(p384, 48), "nistp384"),
      "The curve inside the public key differs from the curve of its type.",
    ],
    [
      "ECDSA with a compressed point",
      p256Line(compressed),
      "An ECDSA key on nistp256 must be one uncompressed point.",
    ],
    [
      "ECDSA at infinity",
      p256Line(Buffer.of(0)),
      "An ECDSA key on nistp256 must be one uncompressed point.",
    ],
    [
      "ECDSA with a point of another curve",
      p256Line(pointOf(p384, 48)),
      "An ECDSA key on nistp256 must be one uncompressed point.",
    ],
    [
      "ECDSA off the curve",
      p256Line(withLastByteChanged(point)),
      "The point of the ECDSA key is not on the curve nistp256.",
    ],
    [
      "ECDSA with a coordinate above the field",
      p256Line(Buffer.concat([Buffer.of(4), Buffer.alloc(32, 0xff), point.subarray(33)])),
      "The point of the ECDSA key is not on the curve nistp256.",
    ],
    [
      "ECDSA with a small coordinate",
      p256Line(smallPoint()),
      "OpenSSH refuses the point of this ECDSA key.",
    ],
    [
      "Ed25519 of 31 bytes",
      ed25519Line(Buffer.alloc(31, 7)),
      "An Ed25519 key must have exactly 32 bytes.",
    ],
    [
      "Ed25519 of 33 bytes",
      ed25519Line(Buffer.alloc(33, 7)),
      "An Ed25519 key must have exactly 32 bytes.",
    ],
  ])("%s", (_, given, message) => {
    expect(() => parsePublicKey(given)).toThrow(SshInputError);
    expect(() => parsePublicKey(given)).toThrow(message);
  });

  it.each([
    ["nistp384", "ecdsa-sha2-nistp384", p384, 48],
    ["nistp521", "ecdsa-sha2-nistp521", p521, 66],
  ] as const)("ECDSA off the curve %s", (curve, type, key, size) => {
    const off = withLastByteChanged(pointOf(key, size));
    expect(() => parsePublicKey(line(type, encodeString(curve), encodeString(off)))).toThrow(
      `The point of the ECDSA key is not on the curve ${curve}.`,
    );
  });

  it.each(LOW_ORDER.map((bytes) => [bytes.toString("hex"), bytes] as const))(
    "Ed25519 of low order: %s",
    (_, bytes) => {
      expect(() => parsePublicKey(ed25519Line(bytes))).toThrow(
        "This Ed25519 key is a point of low order, which anyone can sign for.",
      );
    },
  );
});

describe("a key to log in with", () => {
  it.each(keys)("may be of every type that is certified: $algorithm", (key) => {
    expect(parseLoginKey(formatPublicKey({ ...key, comment: "c" }))).toEqual({
      ...key,
      comment: "c",
    });
  });

  it.each([
    ["ed25519_sk", ed25519, "ssh:"],
    ["ecdsa_sk", p256, "ssh:"],
    ["ed25519_sk", ed25519, "ssh:work laptop é"],
    ["ecdsa_sk", p256, ""],
  ])("may be of a hardware security key: %s", (keyType, key, application) => {
    const line = `${securityKeyLine(key, application)} me@home`;
    const read = parseLoginKey(line);
    expect(read).toMatchObject({ keyType, comment: "me@home" });
    expect(formatPublicKey(read)).toBe(line);
  });

  it.each([
    [
      "without an application",
      line("sk-ssh-ed25519@openssh.com", encodeString(Buffer.alloc(32, 7))),
      "ends too early",
    ],
    ["with a NUL in the application", securityKeyLine(ed25519, "ssh:\0"), "must not contain NUL"],
    [
      "followed by more",
      securityKeyLine(ed25519).replace(
        /(\S+)$/,
        (key) => `${Buffer.concat([Buffer.from(key, "base64"), Buffer.of(0)]).toString("base64")}`,
      ),
      "trailing bytes",
    ],
    [
      "of 31 bytes",
      line("sk-ssh-ed25519@openssh.com", encodeString(Buffer.alloc(31, 7)), encodeString("ssh:")),
      "exactly 32 bytes",
    ],
    [
      "of low order",
      line("sk-ssh-ed25519@openssh.com", encodeString(Buffer.alloc(32)), encodeString("ssh:")),
      "low order",
    ],
    [
      "on another curve",
      line(
        "sk-ecdsa-sha2-nistp256@openssh.com",
        encodeString("nistp384"),
        encodeString(pointOf(p384, 48)),
        encodeString("ssh:"),
      ),
      "The curve inside the public key differs",
    ],
    [
      "off the curve",
      line(
        "sk-ecdsa-sha2-nistp256@openssh.com",
        encodeString("nistp256"),
        encodeString(withLastByteChanged(pointOf(p256, 32))),
        encodeString("ssh:"),
      ),
      "not on the curve nistp256",
    ],
    [
      "of a type that is none",
      line("sk-ssh-rsa@openssh.com", encodeString("ssh:")),
      "one of ssh-ed25519, ssh-rsa, ecdsa-sha2-nistp256, ecdsa-sha2-nistp384, ecdsa-sha2-nistp521, sk-ssh-ed25519@openssh.com, sk-ecdsa-sha2-nistp256@openssh.com",
    ],
    [
      "that is the type of a signature",
      securityKeyLine(p256).replace(/^/, "webauthn-"),
      "A public key must begin with its type",
    ],
    [
      "behind options",
      `from="10.0.0.0/8" ${securityKeyLine(ed25519)}`,
      "without options before it",
    ],
    [
      "that is a certificate",
      line("sk-ssh-ed25519-cert-v01@openssh.com", encodeString("nonce")),
      "This is a certificate",
    ],
  ])("is refused when it is a security key %s", (_, given, message) => {
    expect(() => parseLoginKey(given)).toThrow(SshInputError);
    expect(() => parseLoginKey(given)).toThrow(message);
  });
});

describe("publicKeyOf", () => {
  it("refuses a key that SSH does not have", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
    expect(() => publicKeyOf(publicKey)).toThrow(TypeError);
    expect(() => publicKeyOf(generateKeyPairSync("x25519").publicKey)).toThrow(TypeError);
  });

  it("encodes the vector of RFC 8709 and RFC 8032 section 7.1, test 1", () => {
    const x = Buffer.from(
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "hex",
    );
    const jwk = { kty: "OKP", crv: "Ed25519", x: x.toString("base64url") };
    expect(publicKeyOf(createPublicKey({ key: jwk, format: "jwk" })).blob.toString("hex")).toBe(
      `0000000b7373682d65643235353139${"00000020"}${x.toString("hex")}`,
    );
  });
});
