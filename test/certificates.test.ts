import { X509Certificate as LoadedCertificate, webcrypto } from "node:crypto";
import { rootCertificates } from "node:tls";
import { describe, expect, it } from "vitest";
import {
  certificateAuthorityPem,
  readCertificateAuthorityPem,
} from "../src/domain/formats/authority-certificates.js";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from "../src/domain/formats/x509.js";
import { problems } from "./modules/support.js";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
const PERIOD = {
  notBefore: new Date("2020-01-02T03:04:05Z"),
  notAfter: new Date("2060-01-02T03:04:05Z"),
};

async function pemOf(
  extensions: (BasicConstraintsExtension | KeyUsagesExtension | ExtendedKeyUsageExtension)[],
  { name = "CN=Test CA, O=Test", ...period } = {} as { name?: string } & Partial<typeof PERIOD>,
): Promise<string> {
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name,
    ...PERIOD,
    ...period,
    signingAlgorithm: ALGORITHM,
    keys,
    extensions,
  });
  return `${certificate.toString("pem")}\n`;
}

const CA = new BasicConstraintsExtension(true);
const problemOf = (pem: unknown) => problems(certificateAuthorityPem, pem)[""];

describe("certificate authority", () => {
  it("says what its certificate says", async () => {
    const { digitalSignature, keyCertSign, cRLSign } = KeyUsageFlags;
    const pem = await pemOf([
      CA,
      new KeyUsagesExtension(digitalSignature | keyCertSign | cRLSign, true),
      new ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1", "1.2.3.4"]),
    ]);
    expect(certificateAuthorityPem.parse(pem)).toBe(pem);
    expect(readCertificateAuthorityPem(pem)).toEqual({
      subjectCommonName: "Test CA",
      ...PERIOD,
      keyUsages: ["digital_signature", "cert_sign", "crl_sign"],
      extendedKeyUsages: ["client_auth", "server_auth", "1.2.3.4"],
    });
  });

  it("may say nothing of its name and its uses", async () => {
    const pem = await pemOf([CA], { name: "O=Test" });
    expect(readCertificateAuthorityPem(`# our root\n${pem}`)).toEqual({
      subjectCommonName: "",
      ...PERIOD,
      keyUsages: [],
      extendedKeyUsages: [],
    });
  });

  it("is read like another reader does it, for every root that Node trusts", () => {
    for (const pem of rootCertificates) {
      const loaded = new LoadedCertificate(pem);
      const facts = readCertificateAuthorityPem(pem);
      if ("problem" in facts) {
        expect(loaded.ca, loaded.subject).toBe(false);
        continue;
      }
      expect(facts.notBefore).toEqual(new Date(loaded.validFrom));
      expect(facts.notAfter).toEqual(new Date(loaded.validTo));
      expect(facts.subjectCommonName).toBe(loaded.toLegacyObject().subject.CN ?? "");
      expect(facts.extendedKeyUsages).toHaveLength(loaded.keyUsage?.length ?? 0);
      if (facts.keyUsages.length > 0) expect(facts.keyUsages).toContain("cert_sign");
    }
    expect.hasAssertions();
  });

  it("must be an authority that may sign certificates", async () => {
    expect(problemOf(await pemOf([]))).toMatch(/basic constraints/);
    expect(problemOf(await pemOf([new BasicConstraintsExtension(false)]))).toMatch(
      /basic constraints/,
    );
    const signsNothing = new KeyUsagesExtension(KeyUsageFlags.digitalSignature);
    expect(problemOf(await pemOf([CA, signsNothing]))).toMatch(/sign certificates/);
  });

  it("must be one certificate, and nothing else", async () => {
    const pem = await pemOf([CA]);
    expect(problemOf(pem + pem)).toMatch(/exactly one certificate, and has 2/);
    const key = pem.replaceAll("CERTIFICATE", "PRIVATE KEY");
    expect(problemOf(key)).toMatch(/type CERTIFICATE only/);
    expect(problemOf(pem + key)).toMatch(/type CERTIFICATE only/);
    expect(problemOf(pem.replaceAll("CERTIFICATE", "TRUSTED CERTIFICATE"))).toMatch(/only/);
    for (const none of ["a", "CERTIFICATE", " "]) expect(problemOf(none)).toMatch(/in PEM/);
    expect(problemOf("")).toBe("must not be empty");
    expect(problemOf(null)).toBe("must be a string");
  });

  it("must be readable", async () => {
    const pem = await pemOf([CA]);
    const lines = pem.split("\n");
    const broken = [
      lines.slice(0, 4).join("\n"),
      lines.toSpliced(2, 1).join("\n"),
      pem.replace("MII", "AII"),
      "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
      await pemOf([CA], { notAfter: new Date("2019-01-01T00:00:00Z") }),
    ];
    for (const each of broken) expect(problemOf(each)).toMatch(/that can be read/);
  });

  it("has at most 64 KiB, and takes no long look at more or at markers", async () => {
    const pem = await pemOf([CA]);
    expect(problemOf(`${"é".repeat(32_768)}\n${pem}`)).toMatch(/at most 65536 bytes/);
    expect(problemOf(`${"x".repeat(65_536 - pem.length - 1)}\n${pem}`)).toBeUndefined();
    expect(problemOf("-----BEGIN A".repeat(5000))).toBeDefined();
    expect(problemOf("-----BEGIN ".padEnd(65_000, "A "))).toBeDefined();
  });
});
