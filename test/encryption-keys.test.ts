import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Context } from "../src/domain/core/context.js";
import { createKeyring } from "../src/domain/core/keyring.js";
import { httpsEdgeRouteInputs } from "../src/domain/https-edge-route-inputs.js";
import { createHttpsEdgeRoute } from "../src/domain/https-edge-routes.js";
import { createHttpsEdge } from "../src/domain/https-edges.js";
import {
  createSshCertificateAuthority,
  sshCertificateAuthorityInputs,
} from "../src/domain/ssh-certificate-authorities.js";
import {
  checkEncryptionKeys,
  requireNeededKeys,
  requireSealingKey,
} from "../src/domain/storage/encryption-keys.js";
import { resealAll } from "../src/domain/storage/reseal.js";
import { createTlsCertificate } from "../src/domain/tls-certificates.js";
import { serverPair } from "./harness/certificates.js";
import { SAML_METADATA } from "./harness/modules.js";
import { runServer, type ServerProcess, urlOf } from "./harness/processes.js";
import { freshDatabase, startServer, type TestServer } from "./harness/server.js";
import { comparable, exportLines } from "./harness/transfer.js";

// A process starts only with the keys that the secrets of its database are sealed with.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const [one, other, third] = Array.from({ length: 3 }, () => randomBytes(32)) as [
  Buffer,
  Buffer,
  Buffer,
];

const contextOf = (...keys: Buffer[]): Context => ({
  ...server.context,
  keyring: createKeyring(keys),
});
const start = (...keys: Buffer[]) => checkEncryptionKeys(contextOf(...keys));
const nameOf = (key: Buffer) => createKeyring([key]).fingerprints[0] ?? "";
const names = (...keys: Buffer[]) => keys.map(nameOf).sort();
const known = async () =>
  (await server.context.db.encryptionKey.findMany()).map(({ fingerprint }) => fingerprint).sort();
const missing = (key: Buffer) =>
  new RegExp(`need the encryption key ${nameOf(key)}, .* Restore the file encryption.key`);

const authority = (key: Buffer) =>
  createSshCertificateAuthority(
    contextOf(key),
    sshCertificateAuthorityInputs.create.parse({ privateKeyType: "ed25519" }),
  );

async function route(key: Buffer, module: object): Promise<void> {
  const context = contextOf(key);
  const { id } = await createHttpsEdge(context, {});
  const input = { edgeId: id, matchType: "path_prefix", match: "/", ...module };
  await createHttpsEdgeRoute(context, httpsEdgeRouteInputs.create.parse(input));
}

const client = { clientId: "id", clientSecret: "secret" };
const secrets: [string, (key: Buffer) => Promise<unknown>][] = [
  ["an SSH authority", authority],
  ["a TLS certificate", async (key) => createTlsCertificate(contextOf(key), await serverPair())],
  [
    "webhook verification",
    (key) => route(key, { webhookVerification: { provider: "zoom", secret: "a" } }),
  ],
  ["OAuth", (key) => route(key, { oauth: { provider: { google: client } } })],
  ["OAuth of GitHub", (key) => route(key, { oauth: { provider: { github: client } } })],
  ["OpenID Connect", (key) => route(key, { oidc: { issuer: "https://a.test", ...client } })],
  ["SAML", (key) => route(key, { saml: { idpMetadata: SAML_METADATA } })],
];

/** All rows, with the secrets that the ring opens. */
async function stateOf({ keyring }: Context): Promise<string[]> {
  const { db } = server.context;
  if (!("$transaction" in db)) throw new Error("A test has its own database.");
  return comparable(await exportLines({ db, keyring }, true));
}

beforeEach(async () => {
  const { db } = server.context;
  await db.httpsEdge.deleteMany();
  await db.sshCertificateAuthority.deleteMany();
  await db.tlsCertificate.deleteMany();
  await db.encryptionKey.deleteMany();
});

describe("sealing anew", () => {
  it.each(secrets)("takes %s to the first key of the ring, once", async (_, seal) => {
    await seal(one);
    const ring = contextOf(other, one);
    await checkEncryptionKeys(ring);
    const before = await stateOf(ring);
    expect(await resealAll(ring)).toBe(1);
    expect(await resealAll(ring)).toBe(0);
    // All is as it was, and opens with the new key alone.
    expect(await stateOf(contextOf(other))).toEqual(before);
    await start(other);
    expect(await known()).toEqual(names(other));
  });

  it("is refused with a key that no process seals with yet", async () => {
    await start(one);
    const { db } = server.context;
    await expect(requireSealingKey(db, contextOf(other, one).keyring)).rejects.toThrow(
      `No server has sealed with the key ${nameOf(other)} yet`,
    );
    await start(other, one);
    await requireSealingKey(db, contextOf(other, one).keyring);
  });

  it("leaves a secret alone that is set meanwhile", async () => {
    await route(one, { oidc: { issuer: "https://a.test", ...client } });
    const ring = contextOf(other, one);
    const { db } = ring;
    // Whatever it reads has changed when it writes.
    const racing = new Proxy(db, {
      get: (target, name) =>
        name === "$queryRaw"
          ? async (...query: Parameters<typeof db.$queryRaw>) => {
              const rows = await db.$queryRaw(...query);
              await db.$executeRaw`UPDATE https_edge_routes SET oidc = '{"clientSecret": ""}'`;
              return rows;
            }
          : Reflect.get(target, name),
    });
    expect(await resealAll({ ...ring, db: racing })).toBe(0);
    expect(await db.httpsEdgeRoute.findMany()).toMatchObject([{ oidc: { clientSecret: "" } }]);
  });
});

describe("a database", () => {
  it("takes the first key that comes, and from then on no other", async () => {
    await start(one);
    await start(one);
    await expect(start(other)).rejects.toThrow(missing(one));
    await expect(start(other)).rejects.toThrow(/No secret is encrypted with it yet/);
    expect(await known()).toEqual(names(one));
  });

  it("takes one key of those that come at the same time", async () => {
    const keys = [one, other, third, one, other, third];
    const outcomes = await Promise.allSettled(keys.map((key) => start(key)));
    const [first] = await known();
    expect(await known()).toHaveLength(1);
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual(
      keys.map((key) => nameOf(key) === first),
    );
  });

  it("keeps a sample that tells another key from the same fingerprint", async () => {
    await start(one);
    const sample = createKeyring([other]).seal("edgeplane", `encryptionKey.${nameOf(one)}`);
    await server.context.db.encryptionKey.updateMany({
      data: { sample: sample.replace(nameOf(other), nameOf(one)) },
    });
    await expect(start(one)).rejects.toThrow(
      `The encryption key ${nameOf(one)} cannot decrypt the data that was encrypted with it`,
    );
  });
});

describe("a look at the keys", () => {
  const look = (...keys: Buffer[]) =>
    requireNeededKeys(server.context.db, contextOf(...keys).keyring);

  it("refuses what a start refuses, and changes nothing", async () => {
    await start(one);
    await expect(look(other)).rejects.toThrow(missing(one));
    await start(other, one);
    await look(other);
    await look(third, other);
    await expect(look(one)).rejects.toThrow(missing(other));
    expect(await known()).toEqual(names(one, other));
  });

  it("finds a secret whose key has no sample", async () => {
    await start(one);
    await authority(other);
    await expect(look(one)).rejects.toThrow(missing(other));
  });
});

describe("a rotation", () => {
  it("follows another one whose old key is still noted", async () => {
    await start(one);
    await start(other, one);
    // What a process does that never saw the second key alone.
    await start(third, other);
    expect(await known()).toEqual(names(other, third));
    await expect(start(other)).rejects.toThrow(missing(third));
  });

  it("does not follow one whose old key still has a secret", async () => {
    await start(one);
    await authority(one);
    await start(other, one);
    await expect(start(third, other)).rejects.toThrow(missing(one));
    expect(await known()).toEqual(names(one, other));
  });

  it("keeps the old key as long as a secret is sealed with it", async () => {
    await start(one);
    const { id } = await authority(one);
    await start(other, one);
    expect(await known()).toEqual(names(one, other));
    await expect(start(other)).rejects.toThrow(missing(one));
    await expect(start(other)).rejects.not.toThrow(/No secret/);
    await server.context.db.sshCertificateAuthority.delete({ where: { id } });
    await start(other);
    expect(await known()).toEqual(names(other));
    await expect(start(one)).rejects.toThrow(missing(other));
  });

  it("keeps the new key as long as processes may seal with it", async () => {
    await start(one);
    await start(other, one);
    await expect(start(one)).rejects.toThrow(missing(other));
    await start(one, other);
    await start(one);
    expect(await known()).toEqual(names(one));
  });

  it("names all keys that are missing", async () => {
    for (const keys of [[one], [other, one], [third, other, one]]) await start(...keys);
    await expect(start(randomBytes(32))).rejects.toThrow(
      `the encryption keys ${names(one, other, third).join(", ")}, which`,
    );
  });
});

describe("a database of an earlier version, with secrets and without samples", () => {
  it.each(secrets)("is opened with the key of its secrets alone: %s", async (_, make) => {
    await make(one);
    await expect(start(other)).rejects.toThrow(missing(one));
    expect(await known()).toEqual([]);
    await start(other, one);
    expect(await known()).toEqual(names(one, other));
    await start(one, other);
    await expect(start(other)).rejects.toThrow(missing(one));
  });

  it("needs every key that a secret is sealed with", async () => {
    for (const [index, [, make]] of secrets.entries()) await make(index % 2 ? one : other);
    await expect(start(one)).rejects.toThrow(missing(other));
    await expect(start(third, one)).rejects.toThrow(missing(other));
    await start(third, one, other);
    expect(await known()).toEqual(names(one, other, third));
  });

  it("is refused when its key does not open its secrets", async () => {
    await authority(one);
    const sealedPrivateKey = createKeyring([one]).seal("a", "elsewhere");
    await server.context.db.sshCertificateAuthority.updateMany({ data: { sealedPrivateKey } });
    await expect(start(one)).rejects.toThrow(/cannot decrypt the data that was encrypted with it/);
  });
});

describe("processes on one database", { timeout: 90_000 }, () => {
  let storage: Awaited<ReturnType<typeof freshDatabase>>;
  let processes: ServerProcess[];
  beforeEach(async () => {
    storage = await freshDatabase();
    processes = [];
  });
  afterEach(async () => {
    for (const { child } of processes) child.kill("SIGKILL");
    await Promise.all(processes.map(({ exited }) => exited));
    await storage.stop();
  });

  const run = (...keys: Buffer[]): ServerProcess => {
    const running = runServer({
      DATABASE_URL: storage.url,
      ENCRYPTION_KEY: keys.map((key) => key.toString("base64")).join(","),
      API_KEY: "bootstrap-key-of-the-operator",
    });
    processes.push(running);
    return running;
  };

  it("listen with the same key, and not with another, started at once", async () => {
    const started = [one, other].map((key) => run(key));
    const outcomes = await Promise.allSettled(started.map(urlOf));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refused = started[outcomes.findIndex(({ status }) => status === "rejected")];
    expect(await refused?.exited).toBe(1);
    expect(refused?.output()).toMatch(
      /^The database has secrets that need the encryption key \w{8}, /,
    );
  });

  it("listen with a new key when the old one comes after it", async () => {
    await urlOf(run(one));
    await urlOf(run(other, one));
    const late = run(one);
    expect(await late.exited).toBe(1);
    expect(late.output()).toMatch(missing(other));
  });
});
