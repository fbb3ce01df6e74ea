import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newRow } from "../src/domain/storage/rows.js";
import { authorityPem, PERIOD } from "./harness/certificates.js";
import { certificateAuthority } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, rest, transports } from "./harness/transports.js";

const caPem = await authorityPem();

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const edge = () => ({ description: "", metadata: "", hostports: [], mutualTlsEnabled: true });

describe.each(transports)("Certificate authorities over $name", (transport) => {
  let authorities: Driver;
  beforeAll(() => {
    authorities = transport.drive(server, certificateAuthority);
  });

  it("creates an authority and says what its certificate says", async () => {
    const created = await authorities.create({ description: "d", caPem });
    expect(created).toMatchObject({
      description: "d",
      metadata: "",
      caPem,
      subjectCommonName: "Clients of Example",
      notBefore: PERIOD.notBefore,
      notAfter: PERIOD.notAfter,
      keyUsages: ["cert_sign", "crl_sign"],
      extendedKeyUsages: ["client_auth"],
    });
    expect(created.id).toMatch(/^ca_[0-9A-Za-z]{27}$/);
    expect(await authorities.get(created.id)).toEqual(created);
  });

  it("reports every problem at once", async () => {
    await expect(
      authorities.create({ metadata: "x".repeat(4097), caPem: "no certificate" }),
    ).rejects.toMatchObject({ code: "INVALID_REQUEST", paths: ["caPem", "metadata"] });
    await expect(authorities.create({ caPem: await authorityPem(false) })).rejects.toMatchObject({
      issues: {
        caPem: "must have a certificate whose basic constraints say that it is an authority",
      },
    });
  });

  it("refuses to delete one that the mutual TLS of an edge trusts", async () => {
    const { id } = await authorities.create({ caPem });
    const { db } = server.context;
    const certificateAuthorities = { create: { position: 0, certificateAuthorityId: id } };
    const https = await db.httpsEdge.create({
      data: { ...newRow("httpsEdge"), ...edge(), certificateAuthorities },
    });
    const tls = await db.tlsEdge.create({
      data: { ...newRow("tlsEdge"), ...edge(), certificateAuthorities },
    });
    await expect(authorities.remove(id)).rejects.toMatchObject({
      code: "IN_USE",
      issues: { "usedBy.0": `HTTPS edge ${https.id}`, "usedBy.1": `TLS edge ${tls.id}` },
    });
    await db.httpsEdge.delete({ where: { id: https.id } });
    await db.tlsEdge.delete({ where: { id: tls.id } });
    await authorities.remove(id);
    await expect(authorities.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("Certificate authorities over REST", () => {
  it("requires a certificate and never changes it", async () => {
    const missing = await rest(server, "POST", "/certificate_authorities");
    expect(missing).toMatchObject({ status: 400, body: { details: { ca_pem: "is required" } } });
    const { body } = await rest(server, "POST", "/certificate_authorities", { ca_pem: caPem });
    const path = `/certificate_authorities/${body.id}`;
    const changed = await rest(server, "PATCH", path, { ca_pem: caPem });
    expect(changed.body.details.ca_pem).toMatch(/^is not a supported field/);
  });
});
