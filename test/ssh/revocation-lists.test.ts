import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type AuthorityKey, createAuthorityKey } from "../../src/domain/ssh/authorities.js";
import { signCertificate } from "../../src/domain/ssh/certificates.js";
import { SshInputError } from "../../src/domain/ssh/errors.js";
import { parsePublicKey } from "../../src/domain/ssh/public-keys.js";
import { encodeRevocationList } from "../../src/domain/ssh/revocation-lists.js";
import { sshKeygen, sshKeygenIsInstalled, withFile } from "./openssh.js";

const hasSshKeygen = sshKeygenIsInstalled("revocation lists against ssh-keygen -Q");

const generatedAt = new Date("2026-01-02T03:04:05.678Z");
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea";

describe("encodeRevocationList", () => {
  it("encodes the layout of PROTOCOL.krl, serials in order and once", () => {
    const list = encodeRevocationList({
      authorityPublicKey: KEY,
      serials: [2n ** 63n, 5n, 5n],
      generatedAt,
      comment: "c",
    });
    const seconds = 1_767_323_045n.toString(16).padStart(16, "0");
    const key = `00000033${parsePublicKey(KEY).blob.toString("hex")}`;
    const serials = `20${"00000010"}${"0000000000000005"}${"8000000000000000"}`;
    expect(list.toString("hex")).toBe(
      [
        "5353484b524c0a00",
        "00000001",
        seconds,
        seconds,
        "0000000000000000",
        "00000000",
        "0000000163",
        "01",
        (4 + 51 + 4 + 5 + 16).toString(16).padStart(8, "0"),
        key,
        "00000000",
        serials,
      ].join(""),
    );
  });

  it.each([
    ["serial 0", { serials: [0n] }],
    ["a serial of 65 bits", { serials: [2n ** 64n] }],
    ["a time that is none", { generatedAt: new Date(Number.NaN) }],
    ["a time before 1970", { generatedAt: new Date(-1) }],
  ])("refuses %s", (_, changes) => {
    const request = { authorityPublicKey: KEY, serials: [1n], generatedAt, ...changes };
    expect(() => encodeRevocationList(request)).toThrow(RangeError);
  });

  it("refuses an authority key that is none", () => {
    const request = { authorityPublicKey: "x", serials: [], generatedAt };
    expect(() => encodeRevocationList(request)).toThrow(SshInputError);
  });
});

describe.skipIf(!hasSshKeygen)("ssh-keygen -Q", () => {
  let authority: AuthorityKey;
  let other: AuthorityKey;
  beforeAll(async () => {
    authority = await createAuthorityKey({ type: "ecdsa", curve: "p256" });
    other = await createAuthorityKey({ type: "ed25519" });
  });

  function certificate(serial: bigint, by = authority): string {
    return signCertificate({
      type: "user",
      authorityPrivateKeyPem: by.privateKeyPem,
      subject: parsePublicKey(KEY),
      serial,
      keyId: "sucrt_1",
      principals: [],
      criticalOptions: {},
      extensions: {},
      validAfter: new Date(1000),
      validBefore: new Date(2000),
    });
  }

  /** Whether ssh-keygen finds each certificate revoked. */
  async function areRevoked(serials: bigint[], certificates: string[]): Promise<boolean[]> {
    const list = encodeRevocationList({
      authorityPublicKey: authority.publicKey,
      serials,
      generatedAt,
    });
    const { stdout, code } = await withFile(list, (path) =>
      withFile("", (keys) => {
        const files = certificates.map((text, index) => ({ text, file: `${keys}-${index}` }));
        for (const { text, file } of files) writeFileSync(file, `${text}\n`);
        return sshKeygen("-Q", "-f", path, ...files.map(({ file }) => file));
      }),
    );
    const results = stdout
      .trim()
      .split("\n")
      .map((line) => line.endsWith(": REVOKED"));
    expect(
      stdout
        .trim()
        .split("\n")
        .every((line) => /: (ok|REVOKED)$/.test(line)),
    ).toBe(true);
    expect(code === 0).toBe(!results.includes(true));
    return results;
  }

  it("finds exactly the revoked serials, of exactly this authority", async () => {
    const serial = fc.oneof(
      fc.bigInt({ min: 1n, max: 40n }),
      fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    );
    const lists = fc.tuple(
      fc.array(serial, { maxLength: 60 }),
      fc.array(serial, { minLength: 1, maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(lists, async ([revoked, valid]) => {
        const asked = [...revoked, ...valid];
        const expected = asked.map((one) => revoked.includes(one));
        const certificates = asked.map((one) => certificate(one));
        const foreign = asked.map((one) => certificate(one, other));
        expect(await areRevoked(revoked, [...certificates, ...foreign])).toEqual([
          ...expected,
          ...asked.map(() => false),
        ]);
      }),
      { numRuns: 20 },
    );
  });

  it("reads an empty list, with which nothing is revoked", async () => {
    expect(await areRevoked([], [certificate(1n), KEY])).toEqual([false, false]);
  });

  it("reads a list of 20,000 serials", async () => {
    const serials = Array.from({ length: 20_000 }, (_, index) => BigInt(index) * 3n + 1n);
    const asked = [certificate(1n), certificate(2n), certificate(59_998n)];
    expect(await areRevoked(serials, asked)).toEqual([true, false, true]);
  });

  it("prints the list's version and comment", async () => {
    const list = encodeRevocationList({
      authorityPublicKey: authority.publicKey,
      serials: [9n],
      generatedAt,
      comment: "made by Edgeplane",
    });
    const { stdout } = await withFile(list, (path) => sshKeygen("-Q", "-l", "-f", path));
    expect(stdout).toContain("# KRL version 1767323045\n");
    expect(stdout).toContain("# Generated at 20260102T030405\n");
    expect(stdout).toContain("# Comment: made by Edgeplane\n");
    expect(stdout).toContain("\nserial: 9\n");
  });
});
