import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, rest } from "../harness/transports.js";
import { findProgram, sshKeygen } from "./openssh.js";
import { logIn, type Sshd, startSshd } from "./sshd.js";

const sshdPath = findProgram("sshd") ?? "";
const canRun = sshdPath !== "" && findProgram("ssh") !== undefined;
if (!canRun) console.warn("NOT RUN: certificates of the API with sshd, which is not installed.");

describe.skipIf(!canRun)("a certificate of the API, with sshd", () => {
  let folder: string;
  let server: TestServer;
  let sshd: Sshd;
  let authority: Fields;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "edgeplane-sshd-"));
    server = await startServer();
    authority = (await rest(server, "POST", "/ssh_certificate_authorities")).body;
    sshd = await startSshd(sshdPath, folder, [authority.public_key]);
    await sshKeygen("-q", "-t", "ed25519", "-N", "", "-f", join(folder, "user"));
  });
  afterAll(async () => {
    await sshd?.stop();
    await server?.stop();
    if (folder) rmSync(folder, { recursive: true });
  });

  it("logs in under its own id until the revocation list names it", async () => {
    const { body } = await rest(server, "POST", "/ssh_user_certificates", {
      ssh_certificate_authority_id: authority.id,
      public_key: readFileSync(join(folder, "user.pub"), "utf8"),
      principals: [userInfo().username],
    });
    const path = join(folder, "user-cert.pub");
    writeFileSync(path, `${body.certificate}\n`);
    const login = () => logIn(sshd, join(folder, "user"), [path], "echo in");
    expect(await login()).toMatchObject({ code: 0, stdout: "in\n" });
    expect(sshd.log()).toContain(body.id);

    expect((await rest(server, "DELETE", `/ssh_user_certificates/${body.id}`)).status).toBe(204);
    expect((await login()).code).toBe(0);
    const list = await fetch(
      `${server.url}/ssh_certificate_authorities/${authority.id}/revocation_list`,
      { headers: { Authorization: `Bearer ${server.readKey}`, "Service-Version": "2" } },
    );
    writeFileSync(`${sshd.krlPath}.new`, Buffer.from(await list.arrayBuffer()));
    renameSync(`${sshd.krlPath}.new`, sshd.krlPath);
    expect((await login()).code).toBe(255);
  });
});
