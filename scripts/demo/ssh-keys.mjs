// @ts-check
import { generateKeyPairSync } from "node:crypto";

/**
 * A fresh ed25519 key in the authorized_keys format. Nobody logs in with it, so its private half is not kept.
 * @param {string} comment
 */
export function newEd25519Key(comment) {
  const { x } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
  return line("ssh-ed25519", [decode(x)], comment);
}

/**
 * The same on the curve P-256.
 * @param {string} comment
 */
export function newEcdsaKey(comment) {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = publicKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.of(4), decode(x), decode(y)]);
  return line("ecdsa-sha2-nistp256", [Buffer.from("nistp256"), point], comment);
}

/**
 * @param {string} type
 * @param {Buffer[]} parts
 * @param {string} comment
 */
function line(type, parts, comment) {
  const blob = Buffer.concat([Buffer.from(type), ...parts].flatMap((part) => [size(part), part]));
  return `${type} ${blob.toString("base64")} ${comment}`;
}

/** @param {Buffer} part */
function size(part) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(part.length);
  return bytes;
}

/** @param {string | undefined} base64url */
function decode(base64url = "") {
  return Buffer.from(base64url, "base64url");
}
