import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createSshHostCertificate,
  sshHostCertificateInputs,
} from "../src/domain/ssh-host-certificates.js";
import {
  PUBLIC_KEY,
  sshCertificateAuthority,
  sshHostCertificate,
  sshUserCertificate,
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, graphql, rest, transports } from "./harness/transports.js";
import { listCertificates, sshKeygenIsInstalled } from "./ssh/openssh.js";

const hasSshKeygen = sshKeygenIsInstalled("host certificates of the API against ssh-keygen");

const DAY = 86_400;
const YEAR = 365 * DAY;

let server: TestServer;
let sshCertificateAuthorityId: string;
beforeAll(async () => {
  server = await startServer({ maxCertificateLifetime: 2 * YEAR });
  sshCertificateAuthorityId = (await rest(server, "POST", "/ssh_certificate_authorities")).body.id;
});
afterAll(() => server.stop());

/** A moment so many seconds from now, as the API shows it. */
function fromNow(seconds: number): string {
  return `${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)}Z`;
}

function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}

describe.each(transports)("SSH host certificates over $name", (transport) => {
  let certificates: Driver;
  let authorities: Driver;
  beforeAll(() => {
    certificates = transport.drive(server, sshHostCertificate);
    authorities = transport.drive(server, sshCertificateAuthority);
  });

  function create(input: Fields = {}): Promise<Fields> {
    return certificates.create({ sshCertificateAuthorityId, publicKey: PUBLIC_KEY, ...input });
  }

  it("signs a certificate of what is specified, and shows that", async () => {
    const [validAfter, validUntil] = [fromNow(-60), fromNow(DAY)];
    const principals = ["bastion.example.com", "192.0.2.7", "2001:db8::7", "*.example.com", "b"];
    const created = await create({ principals, validAfter, validUntil });
    expect(created).toMatchObject({
      ...{ publicKey: PUBLIC_KEY, keyType: "ed25519", principals, validAfter, validUntil },
    });
    expect(created.sshCertificateAuthority ?? created.sshCertificateAuthorityId).toBe(
      sshCertificateAuthorityId,
    );
    expect(created.certificate).toMatch(
      new RegExp(`^ssh-ed25519-cert-v01@openssh.com [A-Za-z0-9+/]+=* ${created.id}$`),
    );
  });

  it("is valid from its creation on and for 365 days when unspecified", async () => {
    const created = await create();
    expect(Math.abs(secondsBetween(created.createdAt, created.validAfter))).toBeLessThanOrEqual(1);
    expect(secondsBetween(created.validAfter, created.validUntil)).toBe(YEAR);
    expect(created.principals).toEqual([]);
  });

  it("counts the 365 days from its creation and not from its start", async () => {
    const created = await create({ validAfter: fromNow(100 * DAY) });
    const days = secondsBetween(created.validAfter, created.validUntil) / DAY;
    expect(days).toBeGreaterThan(264.9);
    expect(days).toBeLessThan(265.1);
  });

  it("takes times in any offset, cuts fractions, and answers in UTC", async () => {
    const day = fromNow(2 * DAY).slice(0, 10);
    const created = await create({ validUntil: `${day}T12:30:45.999+02:30` });
    expect(created.validUntil).toBe(`${day}T10:00:45Z`);
  });

  it.each([
    ["an end in the past", { validUntil: -1 }, "validUntil", "must be in the future"],
    ["an end before the start", { validAfter: 100, validUntil: 50 }, "validUntil", "must be after"],
    [
      "a start beyond the default end without an end",
      { validAfter: YEAR + 60 },
      "validUntil",
      "one year from now or later, since its default is one year from now",
    ],
    [
      "a long validity",
      { validUntil: 2 * YEAR + 60 },
      "validUntil",
      `at most ${2 * YEAR} are allowed`,
    ],
    [
      "an early start",
      { validAfter: -YEAR - DAY },
      "validAfter",
      `at most ${2 * YEAR} are allowed`,
    ],
  ])("refuses %s", async (_, offsets, path, message) => {
    const input = Object.fromEntries(
      Object.entries(offsets).map(([field, seconds]) => [field, fromNow(seconds)]),
    );
    const refused = await create(input).catch((refusal) => refusal);
    expect(refused.paths).toEqual([path]);
    expect(refused.issues[path]).toContain(message);
  });

  it("reports every problem at once, with its path", async () => {
    const missing = `sshca_${"0".repeat(27)}`;
    const refused = create({
      sshCertificateAuthorityId: missing,
      publicKey: "sk-ssh-ed25519@openssh.com AAAA",
      principals: ["fine.example.com", "a,b", "", "fine.example.com"],
      validAfter: "tomorrow",
      validUntil: fromNow(-DAY),
      description: "x".repeat(256),
    });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: {
        description: expect.stringContaining("at most 255 bytes"),
        publicKey: "is refused: Keys of hardware security keys (sk-*) are not supported",
        "principals.1": "is refused: A principal must not contain a comma",
        "principals.2": "is refused: A principal must not be empty",
        "principals.3": "is refused: This principal is already in the list",
        sshCertificateAuthorityId: `refers to "${missing}", which does not exist`,
        validAfter: expect.stringContaining("RFC 3339"),
      },
    });
  });

  it("has no options of user certificates", async () => {
    for (const name of ["criticalOptions", "extensions"]) {
      await expect(create({ [name]: { "permit-pty": "" } })).rejects.toThrow();
    }
  });

  it("changes texts only", async () => {
    const created = await create({ principals: ["a"] });
    const updated = await certificates.update(created.id, { description: "d" });
    const { certificate, validUntil } = created;
    expect(updated).toMatchObject({ description: "d", certificate, validUntil });
    await expect(certificates.update(created.id, { principals: ["b"] })).rejects.toThrow();
  });

  it("keeps its authority from being deleted, as what is on its revocation list does", async () => {
    const own = (await authorities.create()).id;
    const { id } = await create({ sshCertificateAuthorityId: own });
    await expect(authorities.remove(own)).rejects.toMatchObject({
      code: "IN_USE",
      issues: { "usedBy.0": `SSH host certificate ${id}` },
    });
    await certificates.remove(id);
    await expect(authorities.remove(own)).rejects.toMatchObject({
      code: "IN_USE",
      issues: { revocationList: expect.stringMatching(/^contains a certificate until /) },
    });
    await server.context.db.sshSerial.update({
      where: { id },
      data: { validUntil: new Date(Date.now() - 2_000) },
    });
    await authorities.remove(own);
    await expect(authorities.get(own)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("SSH host certificates", () => {
  const create = (input: Fields = {}, to = server) =>
    rest(to, "POST", "/ssh_host_certificates", {
      ssh_certificate_authority_id: sshCertificateAuthorityId,
      public_key: PUBLIC_KEY,
      ...input,
    });

  it("have all fields over REST, in the order of the wire", async () => {
    const { status, body } = await create({ description: "a", metadata: "m" });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual([
      ...["id", "uri", "created_at", "description", "metadata", "public_key", "key_type"],
      ...["ssh_certificate_authority_id", "principals", "valid_after", "valid_until"],
      "certificate",
    ]);
    expect(body.uri).toBe(`${server.url}/ssh_host_certificates/${body.id}`);
    expect((await rest(server, "GET", body.uri)).body).toEqual(body);
    const list = await rest(server, "GET", "/ssh_host_certificates?limit=1");
    expect(list.body).toMatchObject({
      ssh_host_certificates: [body],
      uri: `${server.url}/ssh_host_certificates`,
    });
  });

  it.each([
    [{ valid_after: "", valid_until: "" }],
    [{ valid_after: null, valid_until: null, principals: null }],
    [{}],
  ])("take %j as unspecified", async (times) => {
    const { body } = await create(times);
    expect(secondsBetween(body.valid_after, body.valid_until)).toBe(YEAR);
    expect(body.valid_until).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it("repeat the id in an update, and refuse to change what is signed", async () => {
    const { body } = await create();
    const unchanged = await rest(server, "PATCH", body.uri, { id: body.id, description: null });
    expect(unchanged).toMatchObject({ status: 200, body });
    const { body: refused } = await rest(server, "PATCH", body.uri, {
      principals: ["a"],
      valid_until: "",
    });
    expect(Object.keys(refused.details).sort()).toEqual([
      "operation_id",
      "principals",
      "valid_until",
    ]);
  });

  it.runIf(hasSshKeygen)(
    "are what ssh-keygen reads in them, for random names and times",
    async () => {
      const name = fc.oneof(
        fc.domain(),
        fc.ipV4(),
        fc.ipV6(),
        fc.constantFrom("*.example.com", "bücher.example", "a?", "A.example"),
      );
      const request = fc.record({
        principals: fc.uniqueArray(name, { maxLength: 5 }),
        valid_after: fc.integer({ min: -100 * DAY, max: 100 * DAY }).map(fromNow),
        valid_until: fc.integer({ min: 101 * DAY, max: YEAR }).map(fromNow),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(request, { minLength: 5, maxLength: 15 }), async (requests) => {
          const made = [];
          for (const each of requests) {
            const { status, body } = await create(each);
            expect(status).toBe(201);
            expect(body).toMatchObject(each);
            made.push(body);
          }
          const listed = await listCertificates(made.map(({ certificate }) => certificate));
          expect(listed).toMatchObject(
            made.map((body) => ({
              type: "ssh-ed25519-cert-v01@openssh.com host certificate",
              keyId: `"${body.id}"`,
              valid: `from ${body.valid_after} to ${body.valid_until}`.replaceAll("Z", ""),
              principals: body.principals,
              criticalOptions: [],
              extensions: [],
            })),
          );
        }),
        { numRuns: 5 },
      );
    },
    60_000,
  );

  it("have serials that no certificate of their authority has, of either kind, deleted ones too", async () => {
    const { db } = server.context;
    const made = await Promise.all([create(), create(), create()]);
    const user = await rest(server, "POST", "/ssh_user_certificates", {
      ssh_certificate_authority_id: sshCertificateAuthorityId,
      public_key: PUBLIC_KEY,
    });
    await rest(server, "DELETE", made[0].body.uri);
    const ids = [...made, user].map(({ body }) => body.id);
    const rows = await db.sshSerial.findMany({ where: { id: { in: ids } } });
    expect(new Set(rows.map(({ serial }) => serial)).size).toBe(4);
    expect(rows.filter(({ revokedAt }) => revokedAt !== null).map(({ id }) => id)).toEqual([
      ids[0],
    ]);
    // The database would refuse a second one.
    const [row] = rows;
    if (!row) throw new Error("There is no serial.");
    const again = { ...row, id: "shcrt_again" };
    await expect(db.sshSerial.create({ data: again })).rejects.toMatchObject({ code: "P2002" });
  });

  it("leave no serial behind when they expire before they are deleted", async () => {
    const { body } = await create();
    const { db } = server.context;
    const validUntil = new Date(Date.now() - 1000);
    await db.sshHostCertificate.update({ where: { id: body.id }, data: { validUntil } });
    await rest(server, "DELETE", body.uri);
    expect(await db.sshSerial.findUnique({ where: { id: body.id } })).toBeNull();
  });

  it("leave neither row nor serial when they could not be stored", async () => {
    const { db } = server.context;
    const counts = () => Promise.all([db.sshHostCertificate.count(), db.sshSerial.count()]);
    const before = await counts();
    const input = sshHostCertificateInputs.create.parse({
      sshCertificateAuthorityId,
      publicKey: PUBLIC_KEY,
    });
    const keyring = {
      ...server.context.keyring,
      open: () => {
        throw new Error("no key");
      },
    };
    const refused = createSshHostCertificate({ ...server.context, keyring }, input);
    await expect(refused).rejects.toThrow("no key");
    await graphql(
      server,
      `mutation($input: CreateSshHostCertificateInput!) {
        createSshHostCertificate(input: $input, dryRun: true) { changes { resourceId } } }`,
      { input: { sshCertificateAuthorityId, publicKey: PUBLIC_KEY } },
    );
    expect(await counts()).toEqual(before);
  });

  it("warn over GraphQL of principals that clients do not match", async () => {
    const warningsFor = async (principals: string[]) => {
      const { id } = (await create({ principals })).body;
      const data = await graphql(
        server,
        "query ($id: ID!) { sshHostCertificate(id: $id) { warnings } }",
        { id },
      );
      return data.sshHostCertificate.warnings;
    };
    expect(await warningsFor([])).toEqual([expect.stringContaining("no principals")]);
    expect(await warningsFor(["a.example.com", "192.0.2.1"])).toEqual([]);
    expect(await warningsFor(["*.example.com", "B.example.com"])).toEqual([
      expect.stringContaining("pattern"),
      expect.stringContaining("capital letters"),
    ]);
  });

  it("and user certificates are lists of their own of an authority, with one interface", async () => {
    const own = (await rest(server, "POST", "/ssh_certificate_authorities")).body.id;
    const input = { ssh_certificate_authority_id: own, public_key: PUBLIC_KEY };
    const host = (await create(input)).body;
    const user = (await rest(server, "POST", "/ssh_user_certificates", input)).body;
    const data = await graphql(
      server,
      `query ($id: ID!, $ids: [ID!]!) {
        sshCertificateAuthority(id: $id) {
          hostCertificates { totalCount nodes { id sshCertificateAuthority { id } } }
          userCertificates { totalCount nodes { id sshCertificateAuthority { id } } }
        }
        nodes(ids: $ids) { __typename
          ... on SshCertificate { certificate validUntil sshCertificateAuthority { id } } }
      }`,
      { id: own, ids: [host.id, user.id] },
    );
    const only = (id: string) => ({
      totalCount: 1,
      nodes: [{ id, sshCertificateAuthority: { id: own } }],
    });
    const shown = ({ certificate, valid_until }: Fields) => ({
      ...{ certificate, validUntil: valid_until, sshCertificateAuthority: { id: own } },
    });
    expect(data).toEqual({
      sshCertificateAuthority: {
        hostCertificates: only(host.id),
        userCertificates: only(user.id),
      },
      nodes: [
        { __typename: "SshHostCertificate", ...shown(host) },
        { __typename: "SshUserCertificate", ...shown(user) },
      ],
    });
  });
});

describe("a limit of the validity of certificates that is below a year", () => {
  let strict: TestServer;
  let authority: string;
  beforeAll(async () => {
    strict = await startServer({ maxCertificateLifetime: 30 * DAY });
    authority = (await rest(strict, "POST", "/ssh_certificate_authorities")).body.id;
  });
  afterAll(() => strict.stop());

  const create = (input: Fields) =>
    rest(strict, "POST", "/ssh_host_certificates", {
      ssh_certificate_authority_id: authority,
      public_key: PUBLIC_KEY,
      ...input,
    });

  it.each([
    ["at once", {}],
    ["a moment ago, by another clock", { valid_after: fromNow(-60) }],
    ["later", { valid_after: fromNow(100 * DAY) }],
  ])("shortens the default of one that begins %s", async (_, input) => {
    const { status, body } = await create(input);
    expect(status).toBe(201);
    expect(secondsBetween(body.valid_after, body.valid_until)).toBe(30 * DAY);
  });

  it("never lengthens it", async () => {
    const { body } = await create({ valid_after: fromNow(YEAR - DAY) });
    expect(secondsBetween(fromNow(0), body.valid_until)).toBeLessThanOrEqual(YEAR);
  });

  it.each([
    ["valid_until", { valid_until: fromNow(31 * DAY) }],
    ["valid_after", { valid_after: fromNow(-31 * DAY) }],
  ])("refuses a longer validity that %s asks for", async (field, input) => {
    const { status, body } = await create(input);
    expect(status).toBe(400);
    expect(body.details[field]).toContain(`at most ${30 * DAY} are allowed`);
  });

  it("leaves user certificates their 24 hours", async () => {
    const input = { sshCertificateAuthorityId: authority, publicKey: PUBLIC_KEY };
    for (const transport of transports) {
      const created = await transport.drive(strict, sshUserCertificate).create(input);
      expect(secondsBetween(created.validAfter, created.validUntil)).toBe(DAY);
    }
  });
});
