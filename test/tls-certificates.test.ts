import { once } from "node:events";
import { connect, createServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTlsCertificate } from "../src/domain/tls-certificates.js";
import { PERIOD, serverPair } from "./harness/certificates.js";
import { tlsCertificate } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const { certificatePem, privateKeyPem } = await serverPair({
  name: "C=NO, ST=Oslo, O=Example, CN=www.example.com",
  dnsNames: ["www.example.com", "*.api.example.com"],
  ips: ["192.0.2.1"],
  serialNumber: "0f00",
});
const SHOWN = {
  certificatePem,
  subjectCommonName: "www.example.com",
  subjectAlternativeNames: {
    dnsNames: ["www.example.com", "*.api.example.com"],
    ips: ["192.0.2.1"],
  },
  issuedAt: null,
  ...PERIOD,
  keyUsages: ["digital_signature", "key_encipherment"],
  extendedKeyUsages: ["server_auth"],
  privateKeyType: "ecdsa",
  issuerCommonName: "www.example.com",
  serialNumber: "0f00",
  subjectOrganization: "Example",
  subjectOrganizationalUnit: "",
  subjectLocality: "",
  subjectProvince: "Oslo",
  subjectCountry: "NO",
};

describe.each(transports)("TLS certificates over $name", (transport) => {
  let certificates: Driver;
  beforeAll(() => {
    certificates = transport.drive(server, tlsCertificate);
  });

  it("creates one and says what its certificate says, and nothing of its key", async () => {
    const created = await certificates.create({ description: "d", certificatePem, privateKeyPem });
    expect(created).toMatchObject({ description: "d", metadata: "", ...SHOWN });
    expect(created.id).toMatch(/^cert_[0-9A-Za-z]{27}$/);
    const ofKeys = Object.keys(created).filter((name) => /key|sealed/i.test(name));
    expect(ofKeys.sort()).toEqual(["extendedKeyUsages", "keyUsages", "privateKeyType"]);
    expect(await certificates.get(created.id)).toEqual(created);
  });

  it("changes the description and metadata", async () => {
    const { id } = await certificates.create({ certificatePem, privateKeyPem });
    const changed = await certificates.update(id, { description: "d", metadata: "m" });
    expect(changed).toMatchObject({ description: "d", metadata: "m", ...SHOWN });
    await certificates.remove(id);
    await expect(certificates.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("reports every problem at once", async () => {
    await expect(
      certificates.create({ metadata: "x".repeat(4097), certificatePem, privateKeyPem: "b" }),
    ).rejects.toMatchObject({ code: "INVALID_REQUEST", paths: ["metadata", "privateKeyPem"] });
    const { privateKeyPem: another } = await serverPair();
    await expect(
      certificates.create({ certificatePem, privateKeyPem: another }),
    ).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: {
        privateKeyPem: expect.stringMatching(/^must be the key of the first certificate in `cert/),
      },
    });
  });
});

describe("TLS certificates over REST", () => {
  it("shows exactly these fields, in this order", async () => {
    const { body } = await rest(server, "POST", "/tls_certificates", {
      certificate_pem: certificatePem,
      private_key_pem: privateKeyPem,
    });
    expect(Object.keys(body)).toEqual([
      "id",
      "uri",
      "created_at",
      "description",
      "metadata",
      "certificate_pem",
      "subject_common_name",
      "subject_alternative_names",
      "issued_at",
      "not_before",
      "not_after",
      "key_usages",
      "extended_key_usages",
      "private_key_type",
      "issuer_common_name",
      "serial_number",
      "subject_organization",
      "subject_organizational_unit",
      "subject_locality",
      "subject_province",
      "subject_country",
    ]);
    expect(Object.keys(body.subject_alternative_names)).toEqual(["dns_names", "ips"]);
  });

  it("requires both, and never changes them", async () => {
    const missing = await rest(server, "POST", "/tls_certificates");
    expect(missing).toMatchObject({
      status: 400,
      body: { details: { certificate_pem: "is required", private_key_pem: "is required" } },
    });
    const given = { certificate_pem: certificatePem, private_key_pem: privateKeyPem };
    const { body } = await rest(server, "POST", "/tls_certificates", given);
    const changed = await rest(server, "PATCH", `/tls_certificates/${body.id}`, given);
    expect(changed.status).toBe(400);
    expect(changed.body.details.certificate_pem).toMatch(/^is not a supported field/);
    expect(changed.body.details.private_key_pem).toMatch(/^is not a supported field/);
  });
});

describe("a stored TLS certificate", () => {
  it.each(["rsa2048", "p256", "p521", "ed25519"] as const)(
    "has all that a server needs for its connections: %s",
    async (algorithm) => {
      const given = await serverPair({ algorithm });
      const { id } = await createTlsCertificate(server.context, given);
      const stored = await server.context.db.tlsCertificate.findUniqueOrThrow({ where: { id } });
      const key = server.context.keyring.open(stored.sealedPrivateKey, `${id}.privateKey`);
      expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
      const listener = createServer({ cert: stored.certificatePem, key }, (socket) =>
        socket.end("served"),
      ).listen(0, "127.0.0.1");
      await once(listener, "listening");
      const address = listener.address();
      const port = typeof address === "object" ? (address?.port ?? 0) : 0;
      const client = connect({
        ...{ host: "127.0.0.1", port, servername: "www.example.com" },
        ca: given.certificatePem,
      });
      const [received] = await once(client, "data");
      expect(String(received)).toBe("served");
      expect(client.authorized).toBe(true);
      client.destroy();
      listener.close();
    },
  );

  it("takes a DNS name that is too long to be one, and does not find it", async () => {
    const long = `${"a".repeat(5000)}.example.com`;
    const given = await serverPair({ dnsNames: [long, "short.example.com"] });
    const { subjectAlternativeNames } = await createTlsCertificate(server.context, given);
    expect(subjectAlternativeNames.dnsNames).toEqual([long, "short.example.com"]);
  });

  it("is not made by a key that may only read", async () => {
    const readOnly = { ...server.context, actor: { keyId: null, scope: "read" as const } };
    await expect(
      createTlsCertificate(readOnly, { certificatePem, privateKeyPem }),
    ).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});
