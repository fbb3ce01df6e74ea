import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate as LoadedCertificate,
} from "node:crypto";
import { rootCertificates } from "node:tls";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { privateKeyPem, readPrivateKey } from "../src/domain/formats/private-keys.js";
import {
  certificateChainPem,
  failedProofOf,
  misfitOf,
  readCertificateChain,
} from "../src/domain/formats/server-certificates.js";
import { tlsCertificateInputs } from "../src/domain/tls-certificates.js";
import { ALGORITHMS, PERIOD, serverPair } from "./harness/certificates.js";
import { problems } from "./modules/support.js";

const chainProblem = (pem: unknown) => problems(certificateChainPem, pem)[""];
const keyProblem = (pem: unknown) => problems(privateKeyPem, pem)[""];

function chainOf(pem: string) {
  const chain = readCertificateChain(pem);
  if ("problem" in chain) throw new Error(chain.problem);
  return chain;
}
const factsOf = (pem: string) => chainOf(pem).facts;

const pair = await serverPair();
const other = await serverPair();

describe("the certificate of a server", () => {
  it("says what it contains", async () => {
    const { certificatePem } = await serverPair({
      algorithm: "p384",
      name: "C=NO, ST=Oslo, L=Oslo, O=First, O=Example, OU=Web, CN=a.example.com, CN=b.example.com",
      dnsNames: ["b.example.com", "*.Example.com"],
      ips: ["192.0.2.1", "2001:db8::a"],
      serialNumber: "0a1b2c",
    });
    expect(certificateChainPem.parse(certificatePem)).toBe(certificatePem);
    expect(factsOf(certificatePem)).toEqual({
      subjectCommonName: "b.example.com",
      subjectOrganization: "Example",
      subjectOrganizationalUnit: "Web",
      subjectLocality: "Oslo",
      subjectProvince: "Oslo",
      subjectCountry: "NO",
      subjectAlternativeNames: {
        dnsNames: ["b.example.com", "*.Example.com"],
        ips: ["192.0.2.1", "2001:db8::a"],
      },
      issuerCommonName: "b.example.com",
      serialNumber: "0a1b2c",
      privateKeyType: "ecdsa",
      notBefore: new Date(PERIOD.notBefore),
      notAfter: new Date(PERIOD.notAfter),
      keyUsages: ["digital_signature", "key_encipherment"],
      extendedKeyUsages: ["server_auth"],
    });
  });

  it("may say next to nothing", async () => {
    const { certificatePem } = await serverPair({ name: "", isBare: true });
    expect(factsOf(`# our server\n${certificatePem}\n# the end`)).toMatchObject({
      subjectCommonName: "",
      subjectOrganization: "",
      subjectOrganizationalUnit: "",
      subjectLocality: "",
      subjectProvince: "",
      subjectCountry: "",
      subjectAlternativeNames: { dnsNames: [], ips: [] },
      issuerCommonName: "",
      keyUsages: [],
      extendedKeyUsages: [],
    });
  });

  it("is read like another reader does it, for every root that Node trusts", () => {
    for (const pem of rootCertificates) {
      const loaded = new LoadedCertificate(pem);
      const { subject, issuer } = loaded.toLegacyObject();
      const last = (value: string | string[] | undefined) =>
        (Array.isArray(value) ? value.at(-1) : value) ?? "";
      const facts = factsOf(pem);
      expect(facts).toMatchObject({
        subjectCommonName: last(subject.CN),
        subjectOrganization: last(subject.O),
        subjectOrganizationalUnit: last(subject.OU),
        subjectLocality: last(subject.L),
        subjectProvince: last(subject.ST),
        subjectCountry: last(subject.C),
        issuerCommonName: last(issuer.CN),
        notBefore: new Date(loaded.validFrom),
        notAfter: new Date(loaded.validTo),
      });
      expect(facts.serialNumber).toMatch(/^([0-9a-f]{2})+$/);
      expect(BigInt(`0x${facts.serialNumber}`)).toBe(BigInt(`0x${loaded.serialNumber}`));
    }
    expect.hasAssertions();
  });

  it("may have a chain behind it, of which every certificate can be read", async () => {
    const chain = pair.certificatePem + rootCertificates.slice(0, 3).join("\n");
    expect(chainOf(chain).certificates).toHaveLength(4);
    expect(factsOf(chain)).toEqual(factsOf(pair.certificatePem));
    const broken = (rootCertificates[0] ?? "").replace("MII", "AII");
    expect(chainProblem(`${pair.certificatePem}\n${broken}`)).toMatch(
      /can be read; certificate 2 cannot be read$/,
    );
    const cut = (rootCertificates[0] ?? "").split("\n").slice(0, 4).join("\n");
    expect(chainProblem(`${pair.certificatePem}\n${cut}`)).toMatch(/that can be read$/);
  });

  it("must be certificates, and nothing else", () => {
    const { certificatePem, privateKeyPem } = pair;
    expect(chainProblem(privateKeyPem)).toMatch(/type CERTIFICATE only/);
    expect(chainProblem(certificatePem + privateKeyPem)).toMatch(/type CERTIFICATE only/);
    expect(chainProblem(privateKeyPem + certificatePem)).toMatch(/type CERTIFICATE only/);
    for (const none of ["a", "CERTIFICATE", " "]) expect(chainProblem(none)).toMatch(/in PEM/);
    expect(chainProblem("")).toBe("must not be empty");
    expect(chainProblem(null)).toBe("must be a string");
  });

  it("must be readable", async () => {
    const { certificatePem } = pair;
    const lines = certificatePem.split("\n");
    const broken = [
      lines.slice(0, 4).join("\n"),
      lines.toSpliced(2, 1).join("\n"),
      certificatePem.replace("MII", "AII"),
      "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
      (await serverPair({ notAfter: new Date("2019-01-01T00:00:00Z") })).certificatePem,
      (await serverPair({ name: "CN=a\u0000b" })).certificatePem,
      (await serverPair({ dnsNames: ["a\u0000b"] })).certificatePem,
    ];
    for (const each of broken) expect(chainProblem(each)).toMatch(/that can be read/);
  });

  it("may have expired", async () => {
    const notAfter = new Date("2020-02-01T00:00:00Z");
    expect(factsOf((await serverPair({ notAfter })).certificatePem)).toMatchObject({ notAfter });
  });

  it("must have a key that is long enough", async () => {
    const { certificatePem } = await serverPair({ algorithm: "rsa1024" });
    expect(chainProblem(certificatePem)).toMatch(
      /^must have a first certificate with a key of RSA/,
    );
    expect(chainProblem(pair.certificatePem + certificatePem)).toBeUndefined();
  });

  it("has at most 64 KiB with its chain, and takes no long look at more or at markers", () => {
    const { certificatePem: pem } = pair;
    expect(chainProblem(`${"é".repeat(32_768)}\n${pem}`)).toMatch(/at most 65536 bytes/);
    expect(chainProblem(`${"x".repeat(65_536 - pem.length - 1)}\n${pem}`)).toBeUndefined();
    expect(chainProblem("-----BEGIN A".repeat(5000))).toBeDefined();
    expect(chainProblem("-----BEGIN CERTIFICATE-----".repeat(2000))).toBeDefined();
    expect(chainProblem("-----BEGIN ".padEnd(65_000, "A "))).toBeDefined();
  });
});

const pkcs8 = (key: KeyObject) => String(key.export({ type: "pkcs8", format: "pem" }));
/** What `openssl ecparam -genkey` writes before a key on P-256. */
const PARAMETERS = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";

describe("a private key", () => {
  const { key } = pair;

  it.each(Object.keys(ALGORITHMS).filter((name) => name !== "rsa1024"))(
    "fits its certificate: %s",
    async (algorithm) => {
      const made = await serverPair({ algorithm: algorithm as keyof typeof ALGORITHMS });
      const reading = readPrivateKey(made.privateKeyPem);
      if ("problem" in reading) throw new Error(reading.problem);
      const chain = chainOf(made.certificatePem);
      expect(misfitOf(chain, reading.key)).toBeNull();
      expect(await failedProofOf(chain, reading.key)).toBeNull();
      const [type] = algorithm.split(/\d/);
      const types: Record<string, string> = { rsa: "rsa", p: "ecdsa", ed: "ed25519" };
      expect(chain.facts.privateKeyType).toBe(types[type ?? ""]);
    },
  );

  it("may be written in any of the three ways, with something around it", async () => {
    const rsa = await serverPair({ algorithm: "rsa2048" });
    const pems = [
      rsa.privateKeyPem,
      String(rsa.key.export({ type: "pkcs1", format: "pem" })),
      pair.privateKeyPem,
      String(key.export({ type: "sec1", format: "pem" })),
      `# the key\n${pair.privateKeyPem}\n# the end`,
      PARAMETERS + String(key.export({ type: "sec1", format: "pem" })),
    ];
    for (const pem of pems) expect(privateKeyPem.parse(pem)).toBe(pem);
  });

  it("must not be encrypted, in either way of saying so", () => {
    const cipher = "aes-256-cbc";
    const passphrase = "secret";
    for (const type of ["pkcs8", "sec1"] as const) {
      const pem = key.export({ type, format: "pem", cipher, passphrase });
      expect(keyProblem(pem)).toBe(
        "must not be encrypted: remove its passphrase before you upload it",
      );
    }
  });

  it("must be one key, and nothing else", () => {
    expect(keyProblem(pair.privateKeyPem + other.privateKeyPem)).toBe(
      "must have exactly one private key, and has 2",
    );
    expect(keyProblem(pair.privateKeyPem + pair.certificatePem)).toBe(
      "must have a PEM block of one private key only",
    );
    expect(keyProblem(pair.certificatePem)).toMatch(/^must be a private key in PEM/);
    const openSsh = pair.privateKeyPem.replaceAll("PRIVATE", "OPENSSH PRIVATE");
    expect(keyProblem(openSsh)).toMatch(/^must be a private key in PEM/);
    for (const none of ["a", " ", "PRIVATE KEY"]) expect(keyProblem(none)).toMatch(/in PEM/);
    expect(keyProblem("")).toBe("must not be empty");
    expect(keyProblem(undefined)).toBe("is required");
  });

  it("must be readable", () => {
    const lines = pair.privateKeyPem.split("\n");
    const broken = [
      lines.slice(0, 2).join("\n"),
      lines.toSpliced(1, 1).join("\n"),
      pair.privateKeyPem.replace("MI", "AI"),
      pair.privateKeyPem.replaceAll("PRIVATE KEY", "RSA PRIVATE KEY"),
      "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
    ];
    for (const each of broken) expect(keyProblem(each)).toMatch(/that can be read$/);
  });

  it("must be of a kind that TLS certificates may have", async () => {
    const { privateKeyPem } = await serverPair({ algorithm: "rsa1024" });
    const others = [
      privateKeyPem,
      ...[
        generateKeyPairSync("ec", { namedCurve: "secp256k1" }),
        generateKeyPairSync("ed448"),
        generateKeyPairSync("x25519"),
        generateKeyPairSync("rsa-pss", { modulusLength: 2048 }),
      ].map((pair) => pkcs8(pair.privateKey)),
    ];
    for (const pem of others) expect(keyProblem(pem)).toMatch(/^must be a key of RSA of 2048/);
  });

  it("has at most 16 KiB, and takes no long look at more or at markers", () => {
    const { privateKeyPem: pem } = pair;
    expect(keyProblem(`${"x".repeat(16_384)}\n${pem}`)).toMatch(/at most 16384 bytes/);
    expect(keyProblem(`${"x".repeat(16_383 - pem.length)}\n${pem}`)).toBeUndefined();
    expect(keyProblem("Proc-Type:".repeat(1600))).toBeDefined();
    expect(keyProblem("-----BEGIN PRIVATE KEY-----".repeat(600))).toMatch(/has 600/);
  });

  it("says nothing of itself in a problem, wherever it is cut or changed", () => {
    const { privateKeyPem: pem } = pair;
    const body = pem.split("\n").slice(1, -2).join("");
    fc.assert(
      fc.property(fc.nat(pem.length - 1), fc.nat(pem.length - 1), fc.string(), (from, to, put) => {
        const problem = keyProblem(pem.slice(0, from) + put + pem.slice(to)) ?? "";
        for (let at = 0; at + 8 <= body.length; at += 8) {
          expect(problem).not.toContain(body.slice(at, at + 8));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("a certificate and a key", () => {
  const create = (input: object) => problems(tlsCertificateInputs.create, input);
  const { certificatePem, privateKeyPem } = pair;

  it("must belong together, which is told with all other problems", () => {
    expect(create({ certificatePem, privateKeyPem })).toEqual({});
    expect(create({ certificatePem, privateKeyPem: other.privateKeyPem })).toEqual({
      privateKeyPem: "must be the key of the first certificate in `certificatePem`",
    });
    const description = "x".repeat(256);
    expect(
      Object.keys(create({ description, certificatePem, privateKeyPem: other.privateKeyPem })),
    ).toEqual(["description", "privateKeyPem"]);
    expect(Object.keys(create({ certificatePem: "a", privateKeyPem: "b" }))).toEqual([
      "certificatePem",
      "privateKeyPem",
    ]);
    expect(create({})).toEqual({
      certificatePem: "is required",
      privateKeyPem: "is required",
    });
  });

  it("are told apart from a chain in the wrong order", () => {
    const chain = other.certificatePem + certificatePem;
    expect(create({ certificatePem: chain, privateKeyPem })).toEqual({
      privateKeyPem:
        "must be the key of the first certificate in `certificatePem`, and is that of certificate 2: put that certificate first",
    });
    expect(create({ certificatePem: chain, privateKeyPem: other.privateKeyPem })).toEqual({});
  });

  it("are told apart from a key with the public half of another", async () => {
    const { d } = other.key.export({ format: "jwk" });
    const jwk = { ...pair.key.export({ format: "jwk" }), ...(d !== undefined && { d }) };
    const key = createPrivateKey({ key: jwk, format: "jwk" });
    const chain = chainOf(certificatePem);
    expect(misfitOf(chain, key)).toBeNull();
    expect(await failedProofOf(chain, key)).toMatch(/^must be the key of the first certificate/);
    expect(await failedProofOf(chain, pair.key)).toBeNull();
  });
});
