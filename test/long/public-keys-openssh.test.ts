import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SshInputError } from "../../src/domain/ssh/errors.js";
import {
  formatPublicKey,
  parseLoginKey,
  parsePublicKey,
  publicKeyOf,
} from "../../src/domain/ssh/public-keys.js";
import {
  ed25519,
  ed25519Line,
  keys,
  p256,
  p256Line,
  rsaLine,
  securityKeyLine,
  smallPoint,
} from "../ssh/keys.js";
import { fingerprintOf, fingerprintsOf, sshKeygenIsInstalled } from "../ssh/openssh.js";

const hasSshKeygen = sshKeygenIsInstalled("public keys against ssh-keygen -l");

describe.skipIf(!hasSshKeygen)("what is accepted, ssh-keygen -l accepts", () => {
  const number = (bits: number) =>
    fc.bigInt({ min: 2n ** BigInt(bits - 1), max: 2n ** BigInt(bits) - 1n });
  const bits = fc.constantFrom(1024, 2047, 2048, 2049, 3072, 4096, 8192, 16_384);
  const rsaLines = fc
    .tuple(bits.chain(number), fc.oneof(fc.constantFrom(1n, 3n, 65537n), number(64), number(65)))
    .map(([modulus, exponent]) => rsaLine(modulus | 1n, exponent));
  const ed25519Lines = fc.uint8Array({ minLength: 31, maxLength: 33 }).map(ed25519Line);
  const ecLines = fc
    .tuple(fc.constantFrom("P-256", "P-384", "P-521"), fc.boolean())
    .map(([namedCurve]) =>
      formatPublicKey(publicKeyOf(generateKeyPairSync("ec", { namedCurve }).publicKey)),
    );
  const securityLines = fc
    .tuple(fc.constantFrom(ed25519, p256), fc.oneof(fc.string(), fc.string({ unit: "binary" })))
    .map(([key, application]) => securityKeyLine(key, application));
  const realLines = fc.constantFrom(
    ...keys.map(formatPublicKey),
    ...[ed25519, p256].map((key) => securityKeyLine(key)),
  );
  const anyLine = fc.oneof(rsaLines, ed25519Lines, ecLines, securityLines, realLines);

  const changed = fc
    .tuple(realLines, fc.nat(), fc.nat(255), fc.boolean())
    .map(([given, position, byte, inKey]) => {
      const [type = "", base64 = ""] = given.split(" ");
      if (!inKey) {
        const at = position % given.length;
        return given.slice(0, at) + String.fromCharCode(byte) + given.slice(at + 1);
      }
      const bytes = Buffer.from(base64, "base64");
      bytes.writeUInt8(byte, position % bytes.length);
      return `${type} ${bytes.toString("base64")}`;
    });
  const decorated = fc
    .tuple(
      fc.oneof(anyLine, changed),
      fc.constantFrom("", " ", "\t", "\n", "#", "\u00a0", "\ufeff", 'from="a" '),
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom("", "\n", "\r\n", "\n\n", " "),
    )
    .map(
      ([given, before, comment, after]) => `${before}${given}${comment && ` ${comment}`}${after}`,
    );

  it("for keys of all types, true, random and changed, with all that can stand around them", async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyLine, changed, decorated), async (given) => {
        const key = readOrRefused(given, parseLoginKey);
        // Keys are certified when somebody could log in with them, but for security keys.
        const isCertified = key !== undefined && !key.keyType.endsWith("_sk");
        expect(readOrRefused(given, parsePublicKey)).toEqual(isCertified ? key : undefined);
        if (!key) return;
        accepted += 1;
        expect(await fingerprintsOf(given.replace(/\r?\n$/, ""))).toEqual([
          fingerprintOf(key.blob),
        ]);
      }),
      { numRuns: 1500 },
    );
    expect(accepted).toBeGreaterThan(300);
  }, 120_000);

  it("and ssh-keygen, too, refuses the point with a small coordinate", async () => {
    expect(await fingerprintsOf(p256Line(smallPoint()))).toEqual([]);
  });
});

function readOrRefused<Key>(given: string, parse: (text: string) => Key): Key | undefined {
  try {
    return parse(given);
  } catch (error) {
    if (error instanceof SshInputError) return undefined;
    throw error;
  }
}
