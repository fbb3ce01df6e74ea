import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CertificateRequest, signCertificate } from "../../src/domain/ssh/certificates.js";
import { parsePublicKey } from "../../src/domain/ssh/public-keys.js";
import {
  checkCriticalOptions,
  checkExtensions,
  checkPrincipals,
  EXTENSION_NAMES,
} from "../../src/domain/ssh/rules.js";
import { encodeMpint, encodeString } from "../../src/domain/ssh/wire.js";
import {
  type Authority,
  fingerprintOf,
  type ListedCertificate,
  listCertificates,
  makeAuthorities,
  makeSubjects,
  requestOf,
  sshKeygenIsInstalled,
} from "./openssh.js";

const hasSshKeygen = sshKeygenIsInstalled("certificates against ssh-keygen -L");

let folder: string | undefined;
let authorities: Authority[] = [];
let subjects: string[] = [];
beforeAll(async () => {
  if (!hasSshKeygen) return;
  folder = mkdtempSync(join(tmpdir(), "edgeplane-ssh-"));
  authorities = await makeAuthorities();
  subjects = (await makeSubjects(folder)).map(({ publicKey }) => publicKey);
});
afterAll(() => {
  if (folder) rmSync(folder, { recursive: true });
});

function firstAuthority(): Authority {
  const [authority] = authorities;
  if (!authority) throw new Error("no authority");
  return authority;
}

const LABELS = new Map([
  ["ssh-ed25519", "ED25519"],
  ["ssh-rsa", "RSA"],
]);

/** What `ssh-keygen -L` has to print of a request. */
function expectedListing(request: CertificateRequest, authorityKey: string): ListedCertificate {
  const { subject, criticalOptions, extensions } = request;
  const authority = parsePublicKey(authorityKey);
  const signature = authority.algorithm === "ssh-rsa" ? "rsa-sha2-512" : authority.algorithm;
  const label = (algorithm: string) => LABELS.get(algorithm) ?? "ECDSA";
  const seconds = (time: Date) => new Date(time.getTime()).toISOString().slice(0, 19);
  const byName = ([a]: [string, string], [b]: [string, string]) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b));
  return {
    type: `${subject.algorithm}-cert-v01@openssh.com ${request.type} certificate`,
    publicKey: `${label(subject.algorithm)}-CERT ${fingerprintOf(subject.blob)}`,
    signingCa: `${label(authority.algorithm)} ${fingerprintOf(authority.blob)} (using ${signature})`,
    keyId: `"${request.keyId}"`,
    serial: String(request.serial),
    valid: `from ${seconds(request.validAfter)} to ${seconds(request.validBefore)}`,
    principals: [...request.principals],
    criticalOptions: Object.entries(criticalOptions)
      .sort(byName)
      .map(([name, value]) => `${name} ${value}`),
    extensions: Object.entries(extensions)
      .sort(byName)
      .map(([name, value]) => listedExtension(name, value)),
  };
}

function listedExtension(name: string, value: string): string {
  if (EXTENSION_NAMES.includes(name)) return name;
  if (value === "") return `${name} UNKNOWN FLAG OPTION`;
  const data = encodeString(value);
  return `${name} UNKNOWN OPTION: ${data.toString("hex")} (len ${data.length})`;
}

const word = fc.string({
  unit: fc.constantFrom(..."abcXYZ019._-@$+/\\\"'%#;|é日🔑 "),
  minLength: 1,
  maxLength: 20,
});
const address = fc.oneof(
  fc.ipV4(),
  fc.nat(255).map((octet) => `${octet}.0.0.0/8`),
  fc.nat(0xffff).map((group) => `2001:db8:${group.toString(16)}::/48`),
);
const options = fc.record(
  {
    "force-command": word,
    "source-address": fc.array(address, { minLength: 1, maxLength: 5 }).map((all) => all.join(",")),
  },
  { requiredKeys: [] },
);
const extensions = fc
  .tuple(
    fc.subarray([...EXTENSION_NAMES]),
    fc.dictionary(
      fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}@[a-z]{1,8}\.example$/),
      fc.oneof(fc.constant(""), word),
      { noNullPrototype: true },
    ),
  )
  .map(([known, custom]) => ({
    ...Object.fromEntries(known.map((name) => [name, ""])),
    ...custom,
  }));
const seconds = fc.integer({ min: 1, max: 253_402_299_000 });
const randomRequest = fc.record({
  type: fc.constantFrom("user", "host"),
  authority: fc.nat(6),
  subject: fc.nat(4),
  serial: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
  keyId: fc.stringMatching(/^sucrt_[0-9A-Za-z]{27}$/),
  principals: fc
    .uniqueArray(word, { maxLength: 6 })
    .filter((principals) => checkPrincipals(principals).length === 0),
  criticalOptions: options,
  extensions,
  validAfter: seconds,
  lifetime: fc.integer({ min: 1, max: 999 }),
  milliseconds: fc.nat(999),
});

describe.skipIf(!hasSshKeygen)("ssh-keygen -L prints what was signed", () => {
  it("for random requests of every kind of authority and subject, field by field", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(randomRequest, { minLength: 20, maxLength: 40 }), async (all) => {
        const signed = all.map((random) => {
          const authority = authorities[random.authority] ?? firstAuthority();
          const request = requestOf(authority, {
            ...random,
            subject: parsePublicKey(subjects[random.subject] ?? ""),
            validAfter: new Date(random.validAfter * 1000 + random.milliseconds),
            validBefore: new Date(
              (random.validAfter + random.lifetime) * 1000 + random.milliseconds,
            ),
          });
          expect(checkCriticalOptions(request.criticalOptions)).toEqual([]);
          expect(checkExtensions(request.extensions)).toEqual([]);
          const expected = expectedListing(request, authority.publicKey);
          return { certificate: signCertificate(request), expected };
        });
        const listed = await listCertificates(signed.map(({ certificate }) => certificate));
        expect(listed).toEqual(signed.map(({ expected }) => expected));
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it.each(["user", "host"] as const)("for every authority with every subject: %s", async (type) => {
    const requests = authorities.flatMap((authority) =>
      subjects.map((subject) => ({
        request: requestOf(authority, { type, subject: parsePublicKey(subject) }),
        authority,
      })),
    );
    const listed = await listCertificates(requests.map(({ request }) => signCertificate(request)));
    expect(requests).toHaveLength(35);
    expect(listed).toEqual(
      requests.map(({ request, authority }) => expectedListing(request, authority.publicKey)),
    );
  });

  it("for the largest subject, RSA of 16384 bits", async () => {
    const numbers = [encodeMpint(65537n), encodeMpint(2n ** 16384n - 1n)];
    const blob = Buffer.concat([encodeString("ssh-rsa"), ...numbers]);
    const subject = parsePublicKey(`ssh-rsa ${blob.toString("base64")}`);
    const request = requestOf(firstAuthority(), { subject });
    const listed = await listCertificates([signCertificate(request)]);
    expect(listed).toEqual([expectedListing(request, firstAuthority().publicKey)]);
  });
});
