import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CertificateRequest, signCertificate } from "../../src/domain/ssh/certificates.js";
import { parsePublicKey } from "../../src/domain/ssh/public-keys.js";
import { encodeRevocationList } from "../../src/domain/ssh/revocation-lists.js";
import {
  checkCriticalOptions,
  checkExtensions,
  checkPrincipals,
} from "../../src/domain/ssh/rules.js";
import {
  AUTHORITY_KINDS,
  findProgram,
  makeAuthorities,
  makeSubjects,
  nameOf,
} from "../ssh/openssh.js";
import { logIn, type Sshd, startSshd } from "../ssh/sshd.js";

const sshdPath = findProgram("sshd") ?? "";
const canRun = sshdPath !== "" && findProgram("ssh") !== undefined;
if (!canRun) {
  const missing = sshdPath === "" ? "openssh-server" : "openssh-client";
  console.warn(`NOT RUN: the sshd matrix, because ${missing} is not installed.`);
}

const HOUR = 3_600_000;
const user = userInfo().username;

describe.skipIf(!canRun)("sshd", () => {
  let folder: string;
  let sshd: Sshd;
  let authorities: Awaited<ReturnType<typeof makeAuthorities>>;
  let subjects: Awaited<ReturnType<typeof makeSubjects>>;
  let count = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "edgeplane-sshd-"));
    [authorities, subjects] = await Promise.all([makeAuthorities(), makeSubjects(folder)]);
    sshd = await startSshd(
      sshdPath,
      folder,
      authorities.map(({ publicKey }) => publicKey),
    );
  });
  afterAll(async () => {
    await sshd?.stop();
    if (folder) rmSync(folder, { recursive: true });
  });

  type Authority = (typeof authorities)[number];
  type Subject = (typeof subjects)[number];

  /** Writes a certificate that logs in unless `changes` say otherwise; returns the file's path. */
  function certify(authority: Authority, subject: Subject, changes: Partial<CertificateRequest>) {
    count += 1;
    const request = {
      type: "user" as const,
      authorityPrivateKeyPem: authority.privateKeyPem,
      subject: parsePublicKey(subject.publicKey),
      serial: BigInt(count),
      keyId: `sucrt_${count}`,
      principals: ["somebody", user],
      criticalOptions: { "source-address": "127.0.0.0/8" },
      extensions: { "permit-pty": "", "permit-user-rc": "" },
      validAfter: new Date(Date.now() - HOUR),
      validBefore: new Date(Date.now() + HOUR),
      ...changes,
    };
    expect(checkPrincipals(request.principals)).toEqual([]);
    expect(checkCriticalOptions(request.criticalOptions)).toEqual([]);
    expect(checkExtensions(request.extensions)).toEqual([]);
    const path = join(folder, `${request.keyId}-cert.pub`);
    writeFileSync(path, `${signCertificate(request)}\n`);
    return { path, keyId: request.keyId, serial: request.serial };
  }

  function revoke(authority: Authority, serials: bigint[]) {
    const authorityPublicKey = authority.publicKey;
    const list = encodeRevocationList({ authorityPublicKey, serials, generatedAt: new Date() });
    writeFileSync(`${sshd.krlPath}.new`, list);
    renameSync(`${sshd.krlPath}.new`, sshd.krlPath);
  }

  function first(): [Authority, Subject] {
    const [authority] = authorities;
    const [subject] = subjects;
    if (!authority || !subject) throw new Error("nothing to sign with");
    return [authority, subject];
  }

  /** What sshd has to have logged for each refused certificate. */
  const REFUSALS = [
    /Certificate invalid: name is not a listed principal/,
    /not from a permitted source address/,
    /Certificate invalid: expired/,
    /Certificate invalid: not yet valid/,
    /revoked/i,
  ];

  describe.each(AUTHORITY_KINDS.map((kind, index) => [nameOf(kind), index] as const))(
    "with certificates of an authority of %s",
    (_, index) => {
      it("lets every kind of subject in as the certificate says, and refuses what it does not say", async () => {
        const authority = authorities[index];
        if (!authority) throw new Error("no authority");
        const cases = subjects.map((subject) => ({
          subject,
          good: certify(authority, subject, {}),
          forced: certify(authority, subject, {
            criticalOptions: { "force-command": 'echo "forced, not: $SSH_ORIGINAL_COMMAND"' },
          }),
          revoked: certify(authority, subject, {}),
          refused: [
            certify(authority, subject, { principals: ["somebody-else"] }),
            certify(authority, subject, {
              criticalOptions: { "source-address": "192.0.2.0/24,2001:db8::/32" },
            }),
            certify(authority, subject, { validBefore: new Date(Date.now() - 1000) }),
            certify(authority, subject, { validAfter: new Date(Date.now() + HOUR / 2) }),
          ],
        }));
        revoke(
          authority,
          cases.map(({ revoked }) => revoked.serial),
        );

        for (const { subject, good, forced, revoked, refused } of cases) {
          const logged = sshd.log().length;
          const marker = join(folder, `outside-${good.keyId}`);
          const bad = [...refused, revoked].map(({ path }) => path);
          const [into, outside, ...out] = await Promise.all([
            logIn(sshd, subject.path, [good.path], 'echo "in as $(id -un)"'),
            logIn(sshd, subject.path, [forced.path], `touch ${marker}`),
            logIn(sshd, subject.path, bad, "echo in"),
          ]);
          expect(into).toMatchObject({ code: 0, stdout: `in as ${user}\n` });
          expect(outside).toMatchObject({ code: 0, stdout: `forced, not: touch ${marker}\n` });
          expect(existsSync(marker)).toBe(false);
          expect(out).toMatchObject([{ code: 255, stdout: "" }]);
          expect(out[0]?.stderr).toContain("Permission denied");

          await vi.waitFor(() => {
            const log = sshd.log().slice(logged);
            expect(log).toContain(`ID ${good.keyId} (serial ${good.serial})`);
            expect(log).toContain(`ID ${forced.keyId} (serial ${forced.serial})`);
            for (const reason of REFUSALS) expect(log).toMatch(reason);
          }, 5000);
        }
      });
    },
  );

  it("refuses each wrong certificate also when it is the only one", async () => {
    const [authority, subject] = first();
    const revoked = certify(authority, subject, {});
    revoke(authority, [revoked.serial]);
    const refused = [
      revoked,
      certify(authority, subject, { principals: ["somebody-else"] }),
      certify(authority, subject, { criticalOptions: { "source-address": "127.0.0.2" } }),
      certify(authority, subject, { validBefore: new Date(Date.now() - 1000) }),
      certify(authority, subject, { validAfter: new Date(Date.now() + HOUR / 2) }),
    ];
    const attempts = await Promise.all(
      refused.map(({ path }) => logIn(sshd, subject.path, [path], "echo in")),
    );
    for (const attempt of attempts) expect(attempt).toMatchObject({ code: 255, stdout: "" });
  });

  it("refuses another user than the certificate's, and the key without a certificate", async () => {
    const [authority, subject] = first();
    const good = certify(authority, subject, {});
    const asOther = { user: "nobody" };
    expect(await logIn(sshd, subject.path, [good.path], "echo in", asOther)).toMatchObject({
      code: 255,
    });
    expect(await logIn(sshd, subject.path, [], "echo in")).toMatchObject({ code: 255, stdout: "" });
  });

  it("refuses a certificate of an authority that it does not trust", async () => {
    const [, subject] = first();
    const [stranger] = await makeAuthorities([{ type: "ed25519" }]);
    if (!stranger) throw new Error("no authority");
    const { path } = certify(stranger, subject, {});
    expect(await logIn(sshd, subject.path, [path], "echo in")).toMatchObject({ code: 255 });
  });

  it("lets a certificate in until its very end and no longer", async () => {
    const [authority, subject] = first();
    const validBefore = new Date(Date.now() + 5000);
    const { path } = certify(authority, subject, { validBefore });
    expect(await logIn(sshd, subject.path, [path], "echo in")).toMatchObject({ stdout: "in\n" });
    const end = Math.floor(validBefore.getTime() / 1000) * 1000;
    await new Promise((resolve) => setTimeout(resolve, end - Date.now() + 20));
    expect(await logIn(sshd, subject.path, [path], "echo in")).toMatchObject({ code: 255 });
  });

  it("gives a terminal with permit-pty and none without it", async () => {
    const [authority, subject] = first();
    const attempts = await Promise.all(
      [{ "permit-pty": "" }, {}].map((extensions) => {
        const { path } = certify(authority, subject, { extensions });
        return logIn(sshd, subject.path, [path], "tty", { options: ["-tt"] });
      }),
    );
    expect(attempts[0]?.stdout).toContain("/dev/pts/");
    expect(attempts[1]?.stdout).not.toContain("/dev/pts/");
  });

  it("refuses a certificate without principals by TrustedUserCAKeys", async () => {
    const [authority, subject] = first();
    const { path } = certify(authority, subject, { principals: [] });
    expect(await logIn(sshd, subject.path, [path], "echo in")).toMatchObject({ code: 255 });
    await vi.waitFor(() => expect(sshd.log()).toContain("Certificate lacks principal list"), 5000);
  });

  it("takes one without principals by a cert-authority line before 10.3, and not since", async () => {
    const [, subject] = first();
    const [authority] = await makeAuthorities([{ type: "ed25519" }]);
    if (!authority) throw new Error("no authority");
    writeFileSync(sshd.authorizedKeysPath, `cert-authority ${authority.publicKey}\n`);
    const { path } = certify(authority, subject, { principals: [] });
    const { code } = await logIn(sshd, subject.path, [path], "true");
    expect(code).toBe(sshd.version >= 1003 ? 255 : 0);
  });

  it("lets in a certificate that fills every limit at once", async () => {
    const [, subject] = first();
    const authority = authorities.find(({ name }) => name === "rsa 4096");
    const rsa = subjects.find(({ name }) => name === "rsa") ?? subject;
    if (!authority) throw new Error("no authority");
    const principals = Array.from({ length: 255 }, (_, index) => `${index}`.padStart(255, "p"));
    const sources = [
      "127.0.0.0/8",
      ...Array.from({ length: 204 }, (_, i) => `2001:db8:${i + 4096}::/48`),
    ];
    const { path } = certify(authority, rsa, {
      principals: [...principals, user],
      criticalOptions: {
        "force-command": "echo all #".padEnd(4096, "x"),
        "source-address": sources
          .join(",")
          .slice(0, 4096)
          .replace(/,[^,]*$/, ""),
      },
      extensions: { "permit-pty": "", "a@b": "x".repeat(16_384 - 18 - 15) },
    });
    const attempt = await logIn(sshd, rsa.path, [path], "true");
    expect(attempt).toMatchObject({ code: 0, stdout: "all\n" });
  });
});
