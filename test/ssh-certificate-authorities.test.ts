import { createPrivateKey } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateKeyOfSshCertificateAuthority } from "../src/domain/ssh-certificate-authorities.js";
import { PUBLIC_KEY, sshCertificateAuthority, sshUserCertificate } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, rest, transports } from "./harness/transports.js";

const path = "/ssh_certificate_authorities";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("SSH certificate authorities over $name", (transport) => {
  let authorities: Driver;
  beforeAll(() => {
    authorities = transport.drive(server, sshCertificateAuthority);
  });

  it.each([
    [{}, "ed25519", "ssh-ed25519"],
    [{ privateKeyType: "ed25519" }, "ed25519", "ssh-ed25519"],
    [{ privateKeyType: "ecdsa" }, "ecdsa", "ecdsa-sha2-nistp256"],
    [{ privateKeyType: "ecdsa", ellipticCurve: "p384" }, "ecdsa", "ecdsa-sha2-nistp384"],
    [{ privateKeyType: "ecdsa", ellipticCurve: "p521" }, "ecdsa", "ecdsa-sha2-nistp521"],
    [{ privateKeyType: "rsa", keySize: 2048 }, "rsa", "ssh-rsa"],
  ])("makes the key that %j asks for", async (input, keyType, algorithm) => {
    const created = await authorities.create(input);
    expect(created.keyType).toBe(keyType);
    expect(created.publicKey).toMatch(new RegExp(`^${algorithm} [A-Za-z0-9+/]+=*$`));
    expect(await authorities.get(created.id)).toMatchObject({ publicKey: created.publicKey });
  });

  it.each([
    [{ ellipticCurve: "p256" }, { ellipticCurve: "ecdsa" }],
    [{ privateKeyType: "rsa", ellipticCurve: "p384" }, { ellipticCurve: "ecdsa" }],
    [{ privateKeyType: "ecdsa", keySize: 2048 }, { keySize: "rsa" }],
    [
      { keySize: 4096, ellipticCurve: "p256" },
      { keySize: "rsa", ellipticCurve: "ecdsa" },
    ],
  ])("refuses what does not go with the type of key in %j", async (input, types) => {
    const refused = await authorities.create(input).catch((refusal) => refusal);
    expect(refused.code).toBe("INVALID_REQUEST");
    expect(refused.paths).toEqual(Object.keys(types).sort());
    for (const [field, type] of Object.entries(types)) {
      expect(refused.issues[field]).toMatch(
        new RegExp(`^can only be given when .private_?key_?type. is ${type}$`, "i"),
      );
    }
  });

  it("refuses other sizes, together with all other problems", async () => {
    await expect(
      authorities.create({
        privateKeyType: "rsa",
        keySize: 1024,
        ellipticCurve: "p256",
        description: "x".repeat(256),
      }),
    ).rejects.toMatchObject({
      paths: ["description", "ellipticCurve", "keySize"],
      issues: { keySize: "must be one of 2048, 3072, 4096" },
    });
  });
});

describe.each(transports)(
  "an SSH certificate authority whose certificates were deleted, over $name",
  (transport) => {
    const WEEK = 7 * 86_400_000;

    /** An authority that had a certificate for each of these ends of validity. */
    async function authorityWithDeleted(
      ...ends: Date[]
    ): Promise<{ id: string; authorities: Driver }> {
      const authorities = transport.drive(server, sshCertificateAuthority);
      const certificates = transport.drive(server, sshUserCertificate);
      const { id } = await authorities.create();
      for (const validUntil of ends) {
        const certificate = await certificates.create({
          sshCertificateAuthorityId: id,
          publicKey: PUBLIC_KEY,
          validUntil: `${validUntil.toISOString().slice(0, 19)}Z`,
        });
        await certificates.remove(certificate.id);
      }
      return { id, authorities };
    }

    it("stays until the last of them has expired, and says when that is", async () => {
      const [first, last] = [new Date(Date.now() + WEEK / 2), new Date(Date.now() + WEEK)];
      const { id, authorities } = await authorityWithDeleted(first, last);
      const until = `${last.toISOString().slice(0, 19)}Z`;
      await expect(authorities.remove(id)).rejects.toMatchObject({
        code: "IN_USE",
        message: expect.stringContaining(`cannot be deleted before ${until}`),
        issues: { revocationList: `contains 2 certificates until ${until}` },
      });
      expect(await authorities.get(id)).toMatchObject({ id });
    });

    it("goes with the list of those that have expired", async () => {
      const { id, authorities } = await authorityWithDeleted(new Date(Date.now() + WEEK));
      const { db } = server.context;
      const where = { sshCertificateAuthorityId: id };
      await db.sshSerial.updateMany({
        where,
        data: { validUntil: new Date(Date.now() - 2_000) },
      });
      await authorities.remove(id);
      expect(await db.sshSerial.count({ where })).toBe(0);
    });
  },
);

describe("SSH certificate authorities", () => {
  it("makes an RSA key of 4096 bits when the size is unspecified", async () => {
    const { body } = await rest(server, "POST", path, {
      private_key_type: "rsa",
      elliptic_curve: "",
      key_size: 0,
    });
    const pem = await privateKeyOfSshCertificateAuthority(server.context, body.id);
    expect(createPrivateKey(pem).asymmetricKeyDetails?.modulusLength).toBe(4096);
  });

  it("refuses unknown types and curves over REST, and any change of the key", async () => {
    const refused = await rest(server, "POST", path, {
      private_key_type: "dsa",
      elliptic_curve: "p224",
    });
    expect(refused.body.details).toMatchObject({
      private_key_type: 'must be one of "rsa", "ecdsa", "ed25519"',
      elliptic_curve: expect.stringContaining('must be one of "p256", "p384", "p521"'),
    });
    const { body } = await rest(server, "POST", path);
    const changed = await rest(server, "PATCH", `${path}/${body.id}`, { key_size: 4096 });
    expect(changed.body.details.key_size).toMatch(/^is not a supported field/);
  });

  it("seals the private key for its authority alone", async () => {
    const { body } = await rest(server, "POST", path);
    const { db, keyring } = server.context;
    const row = await db.sshCertificateAuthority.findUniqueOrThrow({ where: { id: body.id } });
    expect(JSON.stringify([body, row])).not.toContain("PRIVATE KEY");
    expect(Object.keys(body).sort()).toEqual([
      "created_at",
      "description",
      "id",
      "key_type",
      "metadata",
      "public_key",
      "uri",
    ]);
    const other = (await rest(server, "POST", path)).body.id;
    expect(() => keyring.open(row.sealedPrivateKey, `${other}.privateKey`)).toThrow();
    expect(keyring.open(row.sealedPrivateKey, `${body.id}.privateKey`)).toContain("PRIVATE KEY");
  });

  it("serves an empty revocation list as a file", async () => {
    const { body } = await rest(server, "POST", path);
    const response = await fetch(`${server.url}${path}/${body.id}/revocation_list`, {
      headers: { Authorization: `Bearer ${server.readKey}`, "Service-Version": "2" },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(Buffer.from(await response.arrayBuffer()).toString("latin1")).toMatch(/^SSHKRL\n\0/);
    const unknown = await rest(server, "GET", `${path}/sshca_0/revocation_list`);
    expect(unknown).toMatchObject({ status: 404, body: { error_code: "ERR_NOT_FOUND" } });
  });
});
