import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatPublicKey } from "../src/domain/ssh/public-keys.js";
import { PUBLIC_KEY, SECURITY_KEY, sshCredential } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, graphql, rest, transports } from "./harness/transports.js";
import { ed25519, keys, p256, securityKeyLine } from "./ssh/keys.js";
import { fingerprintsOf, sshKeygenIsInstalled } from "./ssh/openssh.js";

const hasSshKeygen = sshKeygenIsInstalled("keys of SSH credentials against ssh-keygen -l");

const ACL = ["bind:1.tcp.example.com:20000", "bind:example.com", "bind:*.example.com"];

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(transports)("SSH credentials over $name", (transport) => {
  let credentials: Driver;
  beforeAll(() => {
    credentials = transport.drive(server, sshCredential);
  });

  const create = (fields: Fields = {}) => credentials.create({ publicKey: PUBLIC_KEY, ...fields });

  it("keeps the key, the rules in their order and the owner as given", async () => {
    const publicKey = `${PUBLIC_KEY} und  mehr \n`;
    const created = await create({ publicKey, acl: ACL, ownerId: "ada" });
    expect(created).toMatchObject({ publicKey, acl: ACL, ownerId: "ada" });
    expect(await credentials.get(created.id)).toEqual(created);
  });

  it("has no rules and no owner when nothing is said", async () => {
    expect(await create()).toMatchObject({ acl: [], ownerId: "" });
    expect(await create({ acl: null, ownerId: null })).toMatchObject({ acl: [], ownerId: "" });
  });

  it("takes any text as a rule, also twice, up to 250 of 512 bytes", async () => {
    const acl = ["*", "bind:*=example", "bind:a=b=c", "bind:", " bind:x ", "bind:é", "*", "🔑"];
    expect((await create({ acl })).acl).toEqual(acl);
    const most = Array.from({ length: 250 }, () => `bind:${"é".repeat(253)}x`);
    expect((await create({ acl: most })).acl).toEqual(most);
  });

  it("refuses rules that cannot be shown, that say nothing and that are too long, all at once", async () => {
    const acl = [
      "bind:ok",
      "",
      "bind:a\nb",
      "bind:\u001b[2K",
      "bind:\u0085",
      `bind:${"x".repeat(508)}`,
    ];
    const refused = create({ acl, publicKey: "ssh-dss AAAA", ownerId: "x".repeat(256) });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: {
        "acl.1": "must not be empty",
        "acl.2": "must not contain control characters",
        "acl.3": "must not contain control characters",
        "acl.4": "must not contain control characters",
        "acl.5": "must have at most 512 bytes of UTF-8, and has 513",
        ownerId: "must have at most 255 bytes of UTF-8, and has 256",
        publicKey: expect.stringMatching(/^is refused: DSA keys are not supported/),
      },
    });
    await expect(create({ acl: Array(251).fill("") })).rejects.toMatchObject({
      issues: { acl: "must have at most 250 items, and has 251" },
    });
  });

  it("replaces the rules by a list that is given, also by an empty one", async () => {
    const { id } = await create({ acl: ACL, description: "d" });
    const update = async (fields: Fields) => (await credentials.update(id, fields)).acl;
    expect(await update({ description: "e" })).toEqual(ACL);
    expect(await update({ acl: [ACL[2], ACL[0]] })).toEqual([ACL[2], ACL[0]]);
    expect(await update({ acl: [] })).toEqual([]);
    expect(await credentials.get(id)).toMatchObject({ acl: [], description: "e" });
  });

  it("changes neither key nor owner", async () => {
    const { id } = await create({ ownerId: "ada" });
    for (const fields of [{ publicKey: PUBLIC_KEY }, { ownerId: "bob" }]) {
      await expect(credentials.update(id, fields)).rejects.toThrow();
    }
  });

  it("requires a key", async () => {
    await expect(credentials.create({ acl: ACL })).rejects.toThrow(/public_?key/i);
  });
});

describe("the key of an SSH credential", () => {
  const lines = [
    ...keys.map((key) => [key.keyType.toUpperCase(), formatPublicKey(key)] as const),
    ["ED25519_SK", securityKeyLine(ed25519)] as const,
    ["ECDSA_SK", securityKeyLine(p256, "ssh:work")] as const,
    ["ED25519_SK", SECURITY_KEY] as const,
  ];

  it.each(lines)("may be of the type %s, and is one for ssh-keygen", async (keyType, publicKey) => {
    const data = await graphql(
      server,
      `mutation($input: CreateSshCredentialInput!) {
        createSshCredential(input: $input) { sshCredential { keyType publicKey } } }`,
      { input: { publicKey } },
    );
    expect(data.createSshCredential.sshCredential).toEqual({ keyType, publicKey });
    if (hasSshKeygen) expect(await fingerprintsOf(publicKey)).toHaveLength(1);
  });
});

describe("SSH credentials over REST", () => {
  const path = "/ssh_credentials";
  const create = (fields: Fields = {}) =>
    rest(server, "POST", path, { public_key: PUBLIC_KEY, ...fields });

  it("have all fields, in the order of the wire, and not the kind of the key", async () => {
    const { status, body } = await create({ acl: ACL, owner_id: "ada" });
    expect(status).toBe(201);
    expect(Object.entries(body)).toEqual([
      ["id", expect.stringMatching(/^sshcr_[0-9A-Za-z]{27}$/)],
      ["uri", `${server.url}${path}/${body.id}`],
      ["created_at", expect.stringMatching(/Z$/)],
      ["description", ""],
      ["metadata", ""],
      ["public_key", PUBLIC_KEY],
      ["acl", ACL],
      ["owner_id", "ada"],
    ]);
    const list = await rest(server, "GET", `${path}?limit=1`);
    expect(list.body).toMatchObject({ ssh_credentials: [body], uri: `${server.url}${path}` });
  });

  it("takes what clients send for unset, and the owner's e-mail address of older ones", async () => {
    const unset = { acl: [], owner_id: "", description: "", metadata: "", owner_email: "a@b.c" };
    expect(await create(unset)).toMatchObject({ status: 201, body: { acl: [], owner_id: "" } });
    expect(await create({ acl: null, owner_id: null, owner_email: null })).toMatchObject({
      status: 201,
      body: { acl: [], owner_id: "" },
    });
    const { body } = await create({ acl: ACL });
    const update = { id: body.id, description: null, metadata: null, acl: null, owner_email: "x" };
    expect(await rest(server, "PATCH", body.uri, update)).toMatchObject({ status: 200, body });
    expect(await rest(server, "PATCH", body.uri, {})).toMatchObject({ status: 200, body });
  });

  it("refuses the owner's e-mail address over GraphQL", async () => {
    const input = { publicKey: PUBLIC_KEY, ownerEmail: "a@b.c" };
    const created = graphql(
      server,
      "mutation($input: CreateSshCredentialInput!) { createSshCredential(input: $input) { changes { resourceId } } }",
      { input },
    );
    await expect(created).rejects.toThrow(/ownerEmail/);
  });
});
