import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSshCertificateAuthority } from "../src/domain/ssh-certificate-authorities.js";
import {
  createSshUserCertificate,
  sshUserCertificateInputs,
} from "../src/domain/ssh-user-certificates.js";
import { PUBLIC_KEY, sshCertificateAuthority, sshUserCertificate } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, graphql, rest, transports } from "./harness/transports.js";
import {
  fingerprintsOf,
  listCertificates,
  sshKeygen,
  sshKeygenIsInstalled,
  withFile,
} from "./ssh/openssh.js";

const hasSshKeygen = sshKeygenIsInstalled("certificates of the API against ssh-keygen");

const DEFAULT_EXTENSIONS = { "permit-pty": "", "permit-user-rc": "" };
const DAY = 86_400;

let server: TestServer;
let sshCertificateAuthorityId: string;
beforeAll(async () => {
  server = await startServer({ maxCertificateLifetime: 30 * DAY });
  sshCertificateAuthorityId = await authority();
});
afterAll(() => server.stop());

async function authority(): Promise<string> {
  const input = { privateKeyType: "ed25519", ellipticCurve: null, keySize: null } as const;
  return (await createSshCertificateAuthority(server.context, input)).id;
}

/** A moment so many seconds from now, as the API shows it. */
function fromNow(seconds: number): string {
  return `${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)}Z`;
}

function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}

describe.each(transports)("SSH user certificates over $name", (transport) => {
  let certificates: Driver;
  beforeAll(() => {
    certificates = transport.drive(server, sshUserCertificate);
  });

  function create(input: Fields = {}): Promise<Fields> {
    return certificates.create({ sshCertificateAuthorityId, publicKey: PUBLIC_KEY, ...input });
  }

  it("signs a certificate of what is specified, and shows that", async () => {
    const validAfter = fromNow(-60);
    const validUntil = fromNow(DAY);
    const created = await create({
      principals: ["root", "alice"],
      criticalOptions: { "source-address": "192.0.2.0/24", "force-command": "uptime" },
      extensions: { "permit-pty": "", "login@example.com": "x", "permit-X11-forwarding": "" },
      validAfter,
      validUntil,
    });
    expect(created).toMatchObject({
      publicKey: PUBLIC_KEY,
      keyType: "ed25519",
      principals: ["root", "alice"],
      validAfter,
      validUntil,
    });
    // In the order given.
    expect(Object.entries(created.criticalOptions)).toEqual([
      ["source-address", "192.0.2.0/24"],
      ["force-command", "uptime"],
    ]);
    expect(Object.entries(created.extensions)).toEqual([
      ["permit-pty", ""],
      ["login@example.com", "x"],
      ["permit-X11-forwarding", ""],
    ]);
    expect(created.sshCertificateAuthority ?? created.sshCertificateAuthorityId).toBe(
      sshCertificateAuthorityId,
    );
    expect(created.certificate).toMatch(
      new RegExp(`^ssh-ed25519-cert-v01@openssh.com [A-Za-z0-9+/]+=* ${created.id}$`),
    );
  });

  it.runIf(hasSshKeygen)("shows what ssh-keygen reads in the certificate", async () => {
    const created = await create({ principals: ["alice", "bob"], validAfter: fromNow(-5) });
    const [listed] = await listCertificates([created.certificate]);
    const { publicKey } = await transport
      .drive(server, sshCertificateAuthority)
      .get(sshCertificateAuthorityId);
    const [signingCa] = await fingerprintsOf(publicKey);
    expect(listed?.signingCa).toContain(signingCa);
    expect(listed).toMatchObject({
      keyId: `"${created.id}"`,
      valid: `from ${created.validAfter} to ${created.validUntil}`.replaceAll("Z", ""),
      principals: ["alice", "bob"],
      criticalOptions: [],
      extensions: ["permit-pty", "permit-user-rc"],
    });
  });

  it("is valid from its creation on and for 24 hours when unspecified", async () => {
    const created = await create();
    expect(Math.abs(secondsBetween(created.createdAt, created.validAfter))).toBeLessThanOrEqual(1);
    expect(secondsBetween(created.validAfter, created.validUntil)).toBe(DAY);
    expect(created).toMatchObject({ principals: [], criticalOptions: {} });
  });

  it.each([[undefined], [null], [{}]])(
    "permits a terminal with the extensions %j",
    async (given) => {
      expect((await create({ extensions: given })).extensions).toEqual(DEFAULT_EXTENSIONS);
    },
  );

  it("takes times in any offset, cuts fractions, and answers in UTC", async () => {
    const day = fromNow(2 * DAY).slice(0, 10);
    const created = await create({ validUntil: `${day}T12:30:45.999+02:30` });
    expect(created.validUntil).toBe(`${day}T10:00:45Z`);
  });

  it("reports every problem at once, with its path", async () => {
    const missing = `sshca_${"0".repeat(27)}`;
    const refused: { code: string; paths: string[]; issues: Record<string, string> } = await create(
      {
        sshCertificateAuthorityId: missing,
        publicKey: "ssh-dss AAAA",
        principals: ["fine", "a,b", "fine"],
        criticalOptions: { "force-command": "", "source-address": "10.0.0.1/8" },
        extensions: { "permit-everything": "" },
        validUntil: fromNow(-DAY),
        description: "x".repeat(256),
      },
    ).catch((refusal) => refusal);
    expect(refused.code).toBe("INVALID_REQUEST");
    // GraphQL has lists of names and values, and so positions.
    const [command, address, extension] =
      transport.name === "REST"
        ? ["force-command", "source-address", "permit-everything"]
        : ["0", "1", "0"];
    expect(refused.paths).toEqual(
      [
        "description",
        `criticalOptions.${command}`,
        `criticalOptions.${address}`,
        `extensions.${extension}`,
        "principals.1",
        "principals.2",
        "publicKey",
        "sshCertificateAuthorityId",
        "validUntil",
      ].sort(),
    );
    expect(refused.issues).toMatchObject({
      sshCertificateAuthorityId: `refers to "${missing}", which does not exist`,
      "principals.1": "is refused: A principal must not contain a comma",
      validUntil: "must be in the future",
    });
  });

  it("refuses control characters in principals, which could forge lines in a log", async () => {
    const principals = ["root", "a\tb", "a\nb", "a\u001b[2Kb", "a\u007fb", "a\u0085b"];
    const message = "is refused: A principal must not contain control characters";
    await expect(create({ principals })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: Object.fromEntries([1, 2, 3, 4, 5].map((index) => [`principals.${index}`, message])),
    });
  });

  it("refuses too many principals before it looks at them", async () => {
    const principals = Array.from({ length: 257 }, () => ",");
    await expect(create({ principals })).rejects.toMatchObject({
      issues: { principals: "must have at most 256 items, and has 257" },
    });
  });

  it.each([
    ["an end in the past", { validUntil: -1 }, ["validUntil"], "must be in the future"],
    [
      "an end before the start",
      { validAfter: 100, validUntil: 50 },
      ["validUntil"],
      "must be after",
    ],
    ["an end at the start", { validAfter: 100, validUntil: 100 }, ["validUntil"], "must be after"],
    ["a late start without an end", { validAfter: 2 * DAY }, ["validUntil"], "is required when"],
    [
      "a long validity",
      { validUntil: 31 * DAY },
      ["validUntil"],
      `at most ${30 * DAY} are allowed`,
    ],
    [
      "an early start",
      { validAfter: -31 * DAY },
      ["validAfter"],
      `at most ${30 * DAY} are allowed`,
    ],
  ])("refuses %s", async (_, offsets, paths, message) => {
    const input = Object.fromEntries(
      Object.entries(offsets).map(([field, seconds]) => [field, fromNow(seconds)]),
    );
    const refused = await create(input).catch((refusal) => refusal);
    expect(refused.paths).toEqual(paths);
    expect(refused.issues[paths[0] ?? ""]).toContain(message);
  });

  it.each(["tomorrow", "2030-01-31", "2030-01-31T09:30:00", "0001-01-01T00:00:00Z"])(
    "refuses %s as a time",
    async (validAfter) => {
      await expect(create({ validAfter })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        paths: ["validAfter"],
      });
    },
  );

  it("changes texts only", async () => {
    const created = await create({ principals: ["root"] });
    const updated = await certificates.update(created.id, { description: "d" });
    const { certificate, validUntil } = created;
    expect(updated).toMatchObject({ description: "d", certificate, validUntil });
  });

  it("keeps its authority from being deleted, until it has expired and is deleted", async () => {
    const own = await authority();
    const { id } = await create({ sshCertificateAuthorityId: own });
    const expired = { validAfter: new Date(0), validUntil: new Date(Date.now() - 2_000) };
    await server.context.db.sshUserCertificate.update({ where: { id }, data: expired });
    const authorities = transport.drive(server, sshCertificateAuthority);
    await expect(authorities.remove(own)).rejects.toMatchObject({
      code: "IN_USE",
      issues: { "usedBy.0": `SSH user certificate ${id}` },
    });
    await certificates.remove(id);
    await authorities.remove(own);
    await expect(authorities.get(own)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("SSH user certificates", () => {
  const create = (input: Fields = {}) =>
    rest(server, "POST", "/ssh_user_certificates", {
      ssh_certificate_authority_id: sshCertificateAuthorityId,
      public_key: PUBLIC_KEY,
      ...input,
    });

  it("takes empty times over REST as unspecified", async () => {
    const { body } = await create({ valid_after: "", valid_until: null, critical_options: null });
    expect(secondsBetween(body.valid_after, body.valid_until)).toBe(DAY);
    expect(body).toMatchObject({ critical_options: {}, principals: [] });
  });

  it("names the fields of a refusal as the caller does", async () => {
    const { body } = await create({
      critical_options: { "force-command": "", "verify-required": "" },
      valid_after: fromNow(2 * DAY),
    });
    expect(Object.keys(body.details).sort()).toEqual([
      "critical_options.force-command",
      "critical_options.verify-required",
      "operation_id",
      "valid_until",
    ]);
    expect(body.details.valid_until).toContain("`valid_after`");
  });

  it("refuses to change what is signed", async () => {
    const { body } = await create();
    const path = `/ssh_user_certificates/${body.id}`;
    const changed = await rest(server, "PATCH", path, { principals: ["root"], valid_until: "" });
    expect(Object.keys(changed.body.details).sort()).toEqual([
      "operation_id",
      "principals",
      "valid_until",
    ]);
  });

  it("refuses a name that is given twice over GraphQL, with all other problems", async () => {
    const twice = [
      { name: "permit-pty", value: "" },
      { name: "permit-pty", value: "" },
    ];
    await expect(
      graphql(
        server,
        "mutation ($input: CreateSshUserCertificateInput!) { createSshUserCertificate(input: $input) { sshUserCertificate { id } } }",
        { input: { sshCertificateAuthorityId, publicKey: "x", extensions: twice } },
      ),
    ).rejects.toMatchObject({
      paths: ["extensions", "publicKey"],
      issues: { extensions: "must be a map of names to values, each name once" },
    });
  });

  it("warns over GraphQL of a certificate without principals", async () => {
    const [any, one] = [(await create()).body, (await create({ principals: ["root"] })).body];
    const data = await graphql(
      server,
      `query ($any: ID!, $one: ID!) {
        any: sshUserCertificate(id: $any) { warnings }
        one: sshUserCertificate(id: $one) { warnings }
      }`,
      { any: any.id, one: one.id },
    );
    expect(data.any.warnings).toEqual([expect.stringContaining("before 10.3")]);
    expect(data.one.warnings).toEqual([]);
  });

  it("names deleted certificates that are valid in the authority's revocation list", async () => {
    const kept = (await create()).body;
    const deleted = (await create()).body;
    await rest(server, "DELETE", `/ssh_user_certificates/${deleted.id}`);
    const url = `${server.url}/ssh_certificate_authorities/${sshCertificateAuthorityId}/revocation_list`;
    const response = await fetch(url, {
      headers: { Authorization: `Bearer ${server.readKey}`, "Service-Version": "2" },
    });
    const list = Buffer.from(await response.arrayBuffer());
    const { sshCertificateAuthority: authority } = await graphql(
      server,
      "query ($id: ID!) { sshCertificateAuthority(id: $id) { revocationList } }",
      { id: sshCertificateAuthorityId },
    );
    const { serial } = await server.context.db.sshSerial.findUniqueOrThrow({
      where: { id: deleted.id },
    });
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(serial);
    expect(list.includes(bytes)).toBe(true);
    expect(Buffer.from(authority.revocationList, "base64").includes(bytes)).toBe(true);
    if (!hasSshKeygen) return;
    const isRevoked = ({ certificate }: Fields) =>
      withFile(list, (krl) =>
        withFile(certificate, async (file) => {
          const { code } = await sshKeygen("-Q", "-f", krl, file);
          return code !== 0;
        }),
      );
    expect([await isRevoked(kept), await isRevoked(deleted)]).toEqual([false, true]);
  });

  it("does not record a deleted certificate that has expired", async () => {
    const { body } = await create();
    const { db } = server.context;
    const validUntil = new Date(Date.now() - 1000);
    await db.sshUserCertificate.update({ where: { id: body.id }, data: { validUntil } });
    await rest(server, "DELETE", `/ssh_user_certificates/${body.id}`);
    expect(await db.sshSerial.findUnique({ where: { id: body.id } })).toBeNull();
  });

  it("gives every certificate of an authority another serial", async () => {
    await Promise.all(Array.from({ length: 8 }, () => create()));
    const rows = await server.context.db.sshSerial.findMany({ select: { serial: true } });
    expect(new Set(rows.map(({ serial }) => serial)).size).toBe(rows.length);
    expect(rows.every(({ serial }) => serial > 0n)).toBe(true);
  });

  it("leaves no row of a certificate that could not be signed", async () => {
    const count = await server.context.db.sshUserCertificate.count();
    const input = sshUserCertificateInputs.create.parse({
      sshCertificateAuthorityId,
      publicKey: PUBLIC_KEY,
    });
    const keyring = {
      ...server.context.keyring,
      open: () => {
        throw new Error("no key");
      },
    };
    await expect(createSshUserCertificate({ ...server.context, keyring }, input)).rejects.toThrow(
      "no key",
    );
    expect(await server.context.db.sshUserCertificate.count()).toBe(count);
  });

  it("reads the certificates of many authorities in as many statements as those of one", async () => {
    const owners = [await authority(), await authority()];
    for (const owner of owners) {
      for (let i = 0; i < 3; i++) {
        await create({
          ssh_certificate_authority_id: owner,
          extensions: { "permit-user-rc": "", "permit-pty": "" },
        });
      }
    }
    const query = `query ($first: Int!) { sshCertificateAuthorities(first: $first) { nodes {
      id revocationList userCertificates(first: 2) {
        totalCount pageInfo { hasNextPage }
        nodes { extensions { name } sshCertificateAuthority { id } }
      }
    } } }`;
    let data: Fields = {};
    const sent = await server.statements(async () => {
      data = await graphql(server, query, { first: 2 });
    });
    expect(await server.statements(() => graphql(server, query, { first: 1 }))).toHaveLength(
      sent.length,
    );
    const [newest] = data.sshCertificateAuthorities.nodes;
    expect(newest).toMatchObject({
      id: owners[1],
      userCertificates: { totalCount: 3, pageInfo: { hasNextPage: true } },
    });
    expect(newest.userCertificates.nodes).toHaveLength(2);
    expect(newest.userCertificates.nodes[0]).toEqual({
      extensions: [{ name: "permit-user-rc" }, { name: "permit-pty" }],
      sshCertificateAuthority: { id: owners[1] },
    });
  });
});
