import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signCertificate } from "../../src/domain/ssh/certificates.js";
import { parsePublicKey } from "../../src/domain/ssh/public-keys.js";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, rest } from "../harness/transports.js";
import {
  AUTHORITY_KINDS,
  findProgram,
  makeAuthorities,
  nameOf,
  sshKeygen,
  withFile,
} from "../ssh/openssh.js";
import { type HostIdentity, type Login, logIn, type Sshd, startSshd } from "../ssh/sshd.js";

// Hosts that are known by their certificates: a real sshd shows them, and a real ssh takes or refuses them.

const sshdPath = findProgram("sshd") ?? "";
const canRun = sshdPath !== "" && findProgram("ssh") !== undefined;
if (!canRun) console.warn("NOT RUN: host certificates with sshd, which is not installed.");

const HOST = "bastion.example.com";

/** A host, and how a client gets to it. */
interface Host {
  readonly sshd: Sshd;
  /** Runs a command there as who trusts `authorities`, and nothing else, to say who a host is. */
  connect(name: string, authorities: string[], settings?: string[]): Promise<Login>;
  stop(): Promise<void>;
}

async function startHost(identity: HostIdentity, trusted: string[] = []): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), "edgeplane-host-"));
  await sshKeygen("-q", "-t", "ed25519", "-N", "", "-f", join(folder, "user"));
  const sshd = await startSshd(sshdPath, folder, trusted, identity);
  writeFileSync(sshd.authorizedKeysPath, readFileSync(join(folder, "user.pub"), "utf8"));
  return {
    sshd,
    connect(name, authorities, settings = []) {
      const knownHosts = join(folder, "known_hosts");
      const lines = authorities.map((publicKey) => `@cert-authority * ${publicKey}\n`);
      writeFileSync(knownHosts, lines.join(""));
      const known = [
        "StrictHostKeyChecking=yes",
        `UserKnownHostsFile=${knownHosts}`,
        ...(name === "127.0.0.1" ? [] : [`HostKeyAlias=${name}`]),
        ...settings,
      ];
      return logIn(sshd, join(folder, "user"), [], "echo in", { known });
    },
    async stop() {
      await sshd.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

const LET_IN = { code: 0, stdout: "in\n" };
const refusedFor = (reason: RegExp) => ({
  code: 255,
  stdout: "",
  stderr: expect.stringMatching(reason),
});
const NOT_LISTED = /name is not a listed principal/;

describe.skipIf(!canRun)("a host with a certificate of the API", () => {
  let server: TestServer;
  let authority: Fields;
  const hosts: Host[] = [];

  beforeAll(async () => {
    server = await startServer();
    authority = (await rest(server, "POST", "/ssh_certificate_authorities")).body;
  });
  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.stop()));
    await server?.stop();
  });

  /** A host with a certificate of these fields, which is returned too. */
  async function certified(fields: Fields): Promise<{ host: Host; certificate: Fields }> {
    let certificate: Fields = {};
    const host = await startHost({
      keyType: "ed25519",
      certify: async (public_key) => {
        const { status, body } = await rest(server, "POST", "/ssh_host_certificates", {
          ssh_certificate_authority_id: authority.id,
          public_key,
          ...fields,
        });
        expect(status).toBe(201);
        certificate = body;
        return body.certificate;
      },
    });
    hosts.push(host);
    return { host, certificate };
  }

  async function revocationList(): Promise<Buffer> {
    const response = await fetch(
      `${server.url}/ssh_certificate_authorities/${authority.id}/revocation_list`,
      { headers: { Authorization: `Bearer ${server.readKey}`, "Service-Version": "2" } },
    );
    return Buffer.from(await response.arrayBuffer());
  }

  it("is known by each of its names and by its address, however the name is written, and by no other name", async () => {
    const { host } = await certified({ principals: ["127.0.0.1", HOST, "bastion"] });
    const known = [authority.public_key];
    for (const name of [HOST, "bastion", "BASTION.Example.com", "127.0.0.1"]) {
      expect(await host.connect(name, known)).toMatchObject(LET_IN);
    }
    for (const name of ["other.example.com", "a.bastion.example.com", "bastion.example.co"]) {
      expect(await host.connect(name, known)).toMatchObject(refusedFor(NOT_LISTED));
    }
  });

  it("is not known to who trusts another authority, or none", async () => {
    const { host } = await certified({ principals: [HOST] });
    const other = (await rest(server, "POST", "/ssh_certificate_authorities")).body;
    for (const known of [[other.public_key], []]) {
      const reason = /Host key verification failed/;
      expect(await host.connect(HOST, known)).toMatchObject(refusedFor(reason));
    }
  });

  it("is known until the very end of its validity and no longer", async () => {
    const end = Math.ceil(Date.now() / 1000) * 1000 + 4000;
    const valid_until = new Date(end).toISOString();
    const { host } = await certified({ principals: [HOST], valid_until });
    expect(await host.connect(HOST, [authority.public_key])).toMatchObject(LET_IN);
    await new Promise((resolve) => setTimeout(resolve, end - Date.now() + 20));
    const refused = await host.connect(HOST, [authority.public_key]);
    expect(refused).toMatchObject(refusedFor(/Certificate invalid: expired/));
  });

  it("is not known before its validity", async () => {
    const valid_after = new Date(Date.now() + 3_600_000).toISOString();
    const { host } = await certified({ principals: [HOST], valid_after });
    const refused = await host.connect(HOST, [authority.public_key]);
    expect(refused).toMatchObject(refusedFor(/Certificate invalid: not yet valid/));
  });

  it("is known until the client's list of revoked host keys names the deleted certificate", async () => {
    const { host, certificate } = await certified({ principals: [HOST] });
    const { host: kept } = await certified({ principals: [HOST] });
    const connect = (to: Host, list: Buffer) =>
      withFile(list, (path) =>
        to.connect(HOST, [authority.public_key], [`RevokedHostKeys=${path}`]),
      );
    const isRevoked = (list: Buffer) =>
      withFile(list, (path) =>
        withFile(`${certificate.certificate}\n`, async (file) => {
          const { stdout } = await sshKeygen("-Q", "-f", path, file);
          return stdout.trimEnd().endsWith("REVOKED");
        }),
      );
    const before = await revocationList();
    expect(await connect(host, before)).toMatchObject(LET_IN);
    expect(await isRevoked(before)).toBe(false);
    expect((await rest(server, "DELETE", certificate.uri)).status).toBe(204);
    const after = await revocationList();
    expect(await connect(host, after)).toMatchObject(refusedFor(/revoked/i));
    expect(await isRevoked(after)).toBe(true);
    expect(await connect(kept, after)).toMatchObject(LET_IN);
  });

  it("matches patterns from 10.3 on, and is known by any name without principals before", async () => {
    const pattern = (await certified({ principals: ["*.example.com"] })).host;
    const any = (await certified({})).host;
    const isNew = pattern.sshd.version >= 1003;
    const [byPattern, byNone] = [
      await pattern.connect(HOST, [authority.public_key]),
      await any.connect(HOST, [authority.public_key]),
    ];
    expect([byPattern.code, byNone.code]).toEqual(isNew ? [0, 255] : [255, 0]);
    const elsewhere = await pattern.connect("bastion.example.org", [authority.public_key]);
    expect(elsewhere).toMatchObject(refusedFor(NOT_LISTED));
  });

  it("is known by no principal with capital letters, as its warning says", async () => {
    const { host } = await certified({ principals: ["Bastion.example.com"] });
    for (const name of ["Bastion.example.com", HOST]) {
      const refused = await host.connect(name, [authority.public_key]);
      expect(refused).toMatchObject(refusedFor(NOT_LISTED));
    }
  });

  it("cannot log in with it, though the server trusts the authority for users too", async () => {
    const folder = mkdtempSync(join(tmpdir(), "edgeplane-host-"));
    const host = await startHost({ keyType: "ed25519" }, [authority.public_key]);
    hosts.push(host);
    await sshKeygen("-q", "-t", "ed25519", "-N", "", "-f", join(folder, "key"));
    const logInWith = async (path: string) => {
      const { body } = await rest(server, "POST", path, {
        ssh_certificate_authority_id: authority.id,
        public_key: readFileSync(join(folder, "key.pub"), "utf8"),
        principals: [userInfo().username],
      });
      const file = join(folder, "certificate");
      writeFileSync(file, `${body.certificate}\n`);
      return logIn(host.sshd, join(folder, "key"), [file], "echo in");
    };
    expect((await logInWith("/ssh_user_certificates")).stdout).toBe("in\n");
    expect(await logInWith("/ssh_host_certificates")).toMatchObject({ code: 255, stdout: "" });
    rmSync(folder, { recursive: true });
  });
});

describe.skipIf(!canRun).each(AUTHORITY_KINDS.map((kind) => [nameOf(kind), kind] as const))(
  "hosts with certificates of an authority of %s",
  (_, kind) => {
    it.each(["ed25519", "rsa", "ecdsa"] as const)(
      "are known by a key of %s under their name alone",
      async (keyType) => {
        const [authority] = await makeAuthorities([kind]);
        if (!authority) throw new Error("no authority");
        const host = await startHost({
          keyType,
          certify: async (publicKey) =>
            signCertificate({
              type: "host",
              authorityPrivateKeyPem: authority.privateKeyPem,
              subject: parsePublicKey(publicKey),
              serial: 1n,
              keyId: "shcrt_1",
              principals: [HOST],
              criticalOptions: {},
              extensions: {},
              validAfter: new Date(Date.now() - 60_000),
              validBefore: new Date(Date.now() + 60_000),
            }),
        });
        try {
          const known = [authority.publicKey];
          expect(await host.connect(HOST, known)).toMatchObject(LET_IN);
          expect(await host.connect("b.example", known)).toMatchObject(refusedFor(NOT_LISTED));
        } finally {
          await host.stop();
        }
      },
    );
  },
);
