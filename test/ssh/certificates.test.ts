import sshpk from "sshpk";
import { beforeAll, describe, expect, it } from "vitest";
import { newSerial, signCertificate } from "../../src/domain/ssh/certificates.js";
import { parsePublicKey } from "../../src/domain/ssh/public-keys.js";
import { encodeString, wireReader } from "../../src/domain/ssh/wire.js";
import { type Authority, makeAuthorities, requestOf } from "./openssh.js";

let authorities: Authority[] = [];
beforeAll(async () => {
  authorities = await makeAuthorities();
});

function firstAuthority(): Authority {
  const [authority] = authorities;
  if (!authority) throw new Error("no authority");
  return authority;
}

function blobOf(certificate: string): Buffer {
  return Buffer.from(certificate.split(" ")[1] ?? "", "base64");
}

describe("sshpk reads what was signed", () => {
  it("with the same subject, serial, principals and times", () => {
    for (const authority of authorities) {
      const request = requestOf(authority, { serial: 0x0102030405060708n });
      const certificate = sshpk.parseCertificate(signCertificate(request), "openssh");
      expect(certificate.serial.toString("hex")).toBe("0102030405060708");
      expect(certificate.subjects.map((subject) => subject.toString())).toEqual(["UID=root"]);
      expect(certificate.validFrom).toEqual(new Date("2024-01-01T00:00:00Z"));
      expect(certificate.validUntil).toEqual(new Date("2024-01-02T00:00:00Z"));
      expect(certificate.subjectKey.toBuffer("rfc4253", {})).toEqual(request.subject.blob);
    }
  });

  it("with a signature that is the authority's", () => {
    for (const authority of authorities) {
      const text = signCertificate(requestOf(authority));
      const certificate = sshpk.parseCertificate(text, "openssh");
      expect(certificate.isSignedByKey(sshpk.parseKey(authority.publicKey, "ssh"))).toBe(true);
    }
  });
});

describe("signCertificate", () => {
  it("encodes the layout of PROTOCOL.certkeys, options in order of their bytes and wrapped twice", () => {
    const text = signCertificate(
      requestOf(firstAuthority(), {
        nonce: Buffer.alloc(32, 9),
        criticalOptions: { "source-address": "10.0.0.1", "force-command": "ls" },
        extensions: { "permit-pty": "", "b@x": "v", "permit-X11-forwarding": "", "B@x": "" },
      }),
    );
    const [type, , comment] = text.split(" ");
    expect([type, comment]).toEqual(["ssh-ed25519-cert-v01@openssh.com", "sucrt_1"]);
    const reader = wireReader(blobOf(text));
    expect(reader.string().toString()).toBe("ssh-ed25519-cert-v01@openssh.com");
    expect(reader.string()).toEqual(Buffer.alloc(32, 9));
    expect(reader.string()).toHaveLength(32);
    expect(reader.uint64()).toBe(7n);
    expect(reader.uint32()).toBe(1);
    expect(reader.string().toString()).toBe("sucrt_1");
    expect(reader.string()).toEqual(encodeString("root"));
    expect(reader.uint64()).toBe(1_704_067_200n);
    expect(reader.uint64()).toBe(1_704_153_600n);
    const strings = (values: (string | Buffer)[]) => Buffer.concat(values.map(encodeString));
    expect(reader.string()).toEqual(
      strings(["force-command", encodeString("ls"), "source-address", encodeString("10.0.0.1")]),
    );
    expect(reader.string()).toEqual(
      strings(["B@x", "", "b@x", encodeString("v"), "permit-X11-forwarding", "", "permit-pty", ""]),
    );
    expect(reader.string()).toHaveLength(0);
  });

  it("numbers the type of a host certificate 2, and encodes no options where there are none", () => {
    const options = { criticalOptions: {}, extensions: {} };
    const request = requestOf(firstAuthority(), {
      type: "host",
      principals: ["a", "b"],
      ...options,
    });
    const reader = wireReader(blobOf(signCertificate(request)));
    for (let i = 0; i < 3; i++) reader.string();
    reader.uint64();
    expect(reader.uint32()).toBe(2);
    reader.string();
    expect(reader.string()).toEqual(Buffer.concat([encodeString("a"), encodeString("b")]));
    reader.uint64();
    reader.uint64();
    expect([reader.string(), reader.string()].map(({ length }) => length)).toEqual([0, 0]);
  });

  it("takes a new nonce for each certificate", () => {
    const nonces = Array.from({ length: 20 }, () => {
      const reader = wireReader(blobOf(signCertificate(requestOf(firstAuthority()))));
      reader.string();
      return reader.string().toString("hex");
    });
    expect(new Set(nonces).size).toBe(20);
    expect(nonces[0]).toHaveLength(64);
  });

  it.each([
    ["serial 0", { serial: 0n }],
    ["a serial of 65 bits", { serial: 2n ** 64n }],
    ["an empty key id", { keyId: "" }],
    ["a key id with a space", { keyId: "a b" }],
    ["a key id with a newline", { keyId: "a\n" }],
    ["a nonce of 16 bytes", { nonce: Buffer.alloc(16) }],
    ["an end that is the start", { validBefore: new Date("2024-01-01T00:00:00.999Z") }],
    ["an end in the second of the start", { validBefore: new Date("2024-01-01T00:00:00.9995Z") }],
    ["an end before the start", { validBefore: new Date("2023-01-01T00:00:00Z") }],
    ["a time before 1970", { validAfter: new Date(-1) }],
    ["a time that is none", { validBefore: new Date(Number.NaN) }],
  ])("refuses %s", (_, changes) => {
    expect(() => signCertificate(requestOf(firstAuthority(), changes))).toThrow(RangeError);
  });
});

describe("newSerial", () => {
  it("has 63 bits, is never 0 and does not repeat", () => {
    const serials = Array.from({ length: 1000 }, newSerial);
    expect(serials.every((serial) => serial > 0n && serial < 2n ** 63n)).toBe(true);
    expect(new Set(serials).size).toBe(1000);
    expect(serials.some((serial) => serial >= 2n ** 62n)).toBe(true);
  });
});

describe("createAuthorityKey", () => {
  it("makes every kind of key, as a PKCS #8 PEM and an OpenSSH line that is read back", () => {
    const made = authorities.map(({ name, keyType, publicKey }) => [
      name,
      keyType,
      publicKey.split(" "),
    ]);
    expect(made.map(([name, keyType]) => `${name}: ${keyType}`)).toEqual([
      "ed25519: ed25519",
      "rsa 2048: rsa",
      "rsa 3072: rsa",
      "rsa 4096: rsa",
      "ecdsa p256: ecdsa",
      "ecdsa p384: ecdsa",
      "ecdsa p521: ecdsa",
    ]);
    for (const { keyType, publicKey, privateKeyPem } of authorities) {
      expect(privateKeyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
      expect(publicKey.split(" ")).toHaveLength(2);
      expect(parsePublicKey(publicKey)).toMatchObject({ keyType, comment: "" });
    }
    const bits = authorities.map(({ publicKey }) => sshpk.parseKey(publicKey, "ssh").size);
    expect(bits).toEqual([256, 2048, 3072, 4096, 256, 384, 521]);
  });
});
