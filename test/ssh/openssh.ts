import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type AuthorityKeyKind, createAuthorityKey } from "../../src/domain/ssh/authorities.js";
import type { CertificateRequest } from "../../src/domain/ssh/certificates.js";
import { parsePublicKey } from "../../src/domain/ssh/public-keys.js";

const run = promisify(execFile);

/** Where a program of OpenSSH is; undefined when it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Whether the tests against ssh-keygen can run; says so once in the file's output when not. */
export function sshKeygenIsInstalled(what: string): boolean {
  if (findProgram("ssh-keygen")) return true;
  console.warn(`NOT RUN: ${what}, because ssh-keygen (openssh-client) is not installed.`);
  return false;
}

/** Runs ssh-keygen in UTC; resolves with its exit code and what it printed. */
export async function sshKeygen(...args: string[]): Promise<{ code: number; stdout: string }> {
  const options = { env: { ...process.env, TZ: "UTC" }, maxBuffer: 64 * 1024 * 1024 };
  try {
    const { stdout } = await run("ssh-keygen", args, options);
    return { code: 0, stdout };
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "number")
      throw error;
    const stdout = "stdout" in error && typeof error.stdout === "string" ? error.stdout : "";
    return { code: error.code, stdout };
  }
}

/** Calls `use` with the path of a file of that content, in a private folder that is removed after. */
export async function withFile<T>(
  content: string | Buffer,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "edgeplane-ssh-"));
  try {
    const path = join(folder, "file");
    writeFileSync(path, content, { mode: 0o600 });
    return await use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The fingerprint of the public key in a file of this one line; none when ssh-keygen reads none.
 * One line at a time: for a key without a comment, ssh-keygen 9.2 prints what is left in memory of
 * an earlier line's comment, and leaves the key out when that is no text.
 */
export async function fingerprintsOf(line: string): Promise<string[]> {
  const { stdout } = await withFile(`${line}\n`, (path) => sshKeygen("-l", "-f", path));
  return stdout.split("\n").flatMap((found) => found.match(/^\d+ (SHA256:\S+) /)?.[1] ?? []);
}

export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash("sha256").update(blob).digest("base64").replace(/=+$/, "")}`;
}

/** Everything that `ssh-keygen -L` prints about one certificate. */
export type ListedCertificate = {
  type: string;
  publicKey: string;
  signingCa: string;
  keyId: string;
  serial: string;
  valid: string;
  principals: string[];
  criticalOptions: string[];
  extensions: string[];
};

/** What `ssh-keygen -L` prints of each line, read with one run of ssh-keygen. */
export async function listCertificates(lines: string[]): Promise<ListedCertificate[]> {
  const { stdout } = await withFile(`${lines.join("\n")}\n`, (path) => sshKeygen("-L", "-f", path));
  const listings = stdout.split(/^(?=\S)/m);
  return listings.filter((listing) => listing.includes("\n        Type: ")).map(readListing);
}

function readListing(listing: string): ListedCertificate {
  const lines = listing.split("\n");
  const field = (name: string) => {
    const start = `        ${name}: `;
    return lines.find((line) => line.startsWith(start))?.slice(start.length) ?? `no ${name}`;
  };
  const list = (name: string) => {
    const start = lines.findIndex((line) => line.startsWith(`        ${name}: `));
    const end = lines.findIndex((line, index) => index > start && !line.startsWith(" ".repeat(16)));
    return lines.slice(start + 1, end).map((line) => line.slice(16));
  };
  return {
    type: field("Type"),
    publicKey: field("Public key"),
    signingCa: field("Signing CA"),
    keyId: field("Key ID"),
    serial: field("Serial"),
    valid: field("Valid"),
    principals: list("Principals"),
    criticalOptions: list("Critical Options"),
    extensions: list("Extensions"),
  };
}

/** Every kind of authority that the API offers. */
export const AUTHORITY_KINDS: readonly AuthorityKeyKind[] = [
  { type: "ed25519" },
  { type: "rsa", bits: 2048 },
  { type: "rsa", bits: 3072 },
  { type: "rsa", bits: 4096 },
  { type: "ecdsa", curve: "p256" },
  { type: "ecdsa", curve: "p384" },
  { type: "ecdsa", curve: "p521" },
];

export function nameOf(kind: AuthorityKeyKind): string {
  if (kind.type === "rsa") return `rsa ${kind.bits}`;
  return kind.type === "ecdsa" ? `ecdsa ${kind.curve}` : kind.type;
}

/** One key of every kind in `kinds`, made at the same time. */
export function makeAuthorities(kinds: readonly AuthorityKeyKind[] = AUTHORITY_KINDS) {
  return Promise.all(
    kinds.map(async (kind) => ({ name: nameOf(kind), kind, ...(await createAuthorityKey(kind)) })),
  );
}

export type Authority = Awaited<ReturnType<typeof makeAuthorities>>[number];

/** A request of a certificate for the authority's own key, valid on the first day of 2024. */
export function requestOf(authority: Authority, changes: Partial<CertificateRequest> = {}) {
  return {
    type: "user" as const,
    authorityPrivateKeyPem: authority.privateKeyPem,
    subject: parsePublicKey(authority.publicKey),
    serial: 7n,
    keyId: "sucrt_1",
    principals: ["root"],
    criticalOptions: {},
    extensions: { "permit-pty": "" },
    validAfter: new Date("2024-01-01T00:00:00.999Z"),
    validBefore: new Date("2024-01-02T00:00:00.001Z"),
    ...changes,
  };
}

/** Every kind of key that is certified, as arguments of ssh-keygen. */
const SUBJECT_KINDS = [
  { name: "ed25519", args: ["-t", "ed25519"] },
  { name: "rsa", args: ["-t", "rsa", "-b", "2048"] },
  { name: "ecdsa p256", args: ["-t", "ecdsa", "-b", "256"] },
  { name: "ecdsa p384", args: ["-t", "ecdsa", "-b", "384"] },
  { name: "ecdsa p521", args: ["-t", "ecdsa", "-b", "521"] },
] as const;

/** A key pair of every kind in `folder`, made by ssh-keygen. */
export async function makeSubjects(folder: string) {
  return Promise.all(
    SUBJECT_KINDS.map(async ({ name, args }) => {
      const path = join(folder, name.replace(" ", "-"));
      await sshKeygen("-q", "-N", "", "-C", `${name} subject`, "-f", path, ...args);
      return { name, path, publicKey: readFileSync(`${path}.pub`, "utf8") };
    }),
  );
}

/** OpenSSH's version as major * 100 + minor: 902 is 9.2, 1003 is 10.3. */
export function opensshVersion(sshd: string): number {
  const probe = `"${sshd}" -V 2>&1 || ssh -V 2>&1`;
  const text = execFileSync("/bin/sh", ["-c", probe], { encoding: "utf8" });
  const [, major, minor] = text.match(/OpenSSH_(\d+)\.(\d+)/) ?? [];
  return Number(major ?? 0) * 100 + Number(minor ?? 0);
}
