import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { opensshVersion, sshKeygen } from "./openssh.js";

/** A running sshd that trusts the authorities in `trusted` and honours the list at `krlPath`. */
export type Sshd = {
  port: number;
  krlPath: string;
  /** A file of authorized keys, for every user; it is not there at first. */
  authorizedKeysPath: string;
  /** OpenSSH's version as major * 100 + minor. */
  version: number;
  /** What sshd has written to its log so far. */
  log(): string;
  stop(): Promise<void>;
};

/** How sshd is known as a host: by a key of this type, and a certificate of it if there is one. */
export interface HostIdentity {
  readonly keyType: "ed25519" | "rsa" | "ecdsa";
  /** The certificate, of the public key as its file has it. */
  certify?(publicKey: string): Promise<string>;
}

/** Starts sshd on a free loopback port, for logins by certificate only, with its files in `folder`. */
export async function startSshd(
  sshd: string,
  folder: string,
  trusted: string[],
  { keyType, certify }: HostIdentity = { keyType: "ed25519" },
): Promise<Sshd> {
  const version = opensshVersion(sshd);
  const port = await freePort();
  const path = (name: string) => join(folder, name);
  if (userInfo().uid === 0 && !existsSync("/run/sshd")) mkdirSync("/run/sshd", { mode: 0o755 });
  await sshKeygen("-q", "-t", keyType, "-N", "", "-f", path("host"));
  const certificate = await certify?.(readFileSync(path("host.pub"), "utf8"));
  if (certificate) writeFileSync(path("host-cert.pub"), `${certificate}\n`);
  writeFileSync(path("authorities"), `${trusted.join("\n")}\n`);
  writeFileSync(path("krl"), "");
  const config = [
    "ListenAddress 127.0.0.1",
    `Port ${port}`,
    `HostKey ${path("host")}`,
    ...(certificate ? [`HostCertificate ${path("host-cert.pub")}`] : []),
    `TrustedUserCAKeys ${path("authorities")}`,
    `RevokedKeys ${path("krl")}`,
    `AuthorizedKeysFile ${path("authorized_keys")}`,
    "AuthenticationMethods publickey",
    "PermitRootLogin yes",
    "PidFile none",
    "StrictModes no",
    "UsePAM no",
    "UseDNS no",
    "PrintMotd no",
    "PrintLastLog no",
    "LogLevel VERBOSE",
    "MaxAuthTries 20",
    "MaxStartups 100",
    // Since 9.8 sshd shuts out an address after some refusals, and here all come from one.
    ...(version >= 908 ? ["PerSourcePenalties no"] : []),
  ];
  writeFileSync(path("sshd_config"), `${config.join("\n")}\n`);
  const child = spawn(sshd, ["-D", "-e", "-f", path("sshd_config")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  await untilListening(child, () => log);
  return {
    port,
    krlPath: path("krl"),
    authorizedKeysPath: path("authorized_keys"),
    version,
    log: () => log,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}

async function untilListening(child: ChildProcess, log: () => string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (log().includes("Server listening")) return;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  child.kill();
  throw new Error(`sshd did not start: ${log()}`);
}

/** What a login attempt came to; code 255 is ssh's own, for a login that was refused. */
export type Login = { code: number | null; stdout: string; stderr: string };

/** Any host is let pass. */
const ANY_HOST = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null"];

interface LoginOptions {
  readonly user?: string;
  readonly options?: string[];
  /** Settings of ssh that say which host is known; by default any is. */
  readonly known?: readonly string[];
}

/** Runs `command` over ssh with a private key and its certificates, tried one after the other. */
export function logIn(
  sshd: Sshd,
  keyPath: string,
  certificatePaths: string[],
  command: string,
  { user = userInfo().username, options = [], known = ANY_HOST }: LoginOptions = {},
): Promise<Login> {
  const settings = [
    "BatchMode=yes",
    "ConnectTimeout=20",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "LogLevel=ERROR",
    "PreferredAuthentications=publickey",
    ...known,
    ...certificatePaths.map((path) => `CertificateFile=${path}`),
  ].flatMap((setting) => ["-o", setting]);
  const target = ["-p", String(sshd.port), "-i", keyPath, ...options, `${user}@127.0.0.1`, command];
  return new Promise((resolve) => {
    const child = execFile(
      "ssh",
      ["-F", "/dev/null", ...settings, ...target],
      (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end();
  });
}
