import { randomBytes, randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forgetOutcomes } from "../src/domain/changes/repeatable-requests.js";
import { everyConfigurationModule, everyRouteModule, SAML_METADATA } from "./harness/modules.js";
import {
  endpointConfiguration,
  httpsEdge,
  ipPolicy,
  resources,
  routesOf,
  staticBackend,
  type TestResource,
} from "./harness/resources.js";
import { freshDatabase, startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphqlInput, rest, restBody, transports } from "./harness/transports.js";

// `Idempotency-Key`: a request that is sent again has the answer that it had, and nothing happens again.

const KEYRING = [randomBytes(32)];

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer({ encryptionKeys: KEYRING });
  client = new Client({ connectionString: server.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await server.stop();
});

async function create(of: TestResource, fields: Fields = {}): Promise<string> {
  const required = await of.required?.(async (other) => ({ id: await create(other) }));
  const [overRest] = transports;
  if (!overRest) throw new Error("There is no transport.");
  return (await overRest.drive(server, of).create({ ...required, ...fields })).id;
}

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  /** As it came. */
  readonly text: string;
  readonly body: Fields;
}

async function post(
  path: string,
  body: unknown,
  key: string | null,
  { to = server, token = to.writeKey }: { to?: TestServer; token?: string } = {},
): Promise<Sent> {
  const response = await fetch(to.url + path, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Service-Version": "2",
      "Content-Type": "application/json",
      ...(key !== null && { "Idempotency-Key": key }),
    },
    body: JSON.stringify(body),
  });
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, text, body: JSON.parse(text) };
}

/** Who holds the lock of a key in this database. */
const HELD = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const replayed = ({ headers }: Sent) => headers.get("idempotency-replayed");

/** The number of rows with a description. */
async function count(table: string, description: string): Promise<number> {
  const sql = `SELECT count(*)::integer AS count FROM ${table} WHERE description = $1`;
  const { rows } = await client.query<{ count: number }>(sql, [description]);
  return rows[0]?.count ?? 0;
}

describe("over REST", () => {
  it.each(resources)("makes one of $title, however often it is asked", async (resource) => {
    const required = await resource.required?.(async (other) => ({ id: await create(other) }));
    const body = (description: string) => restBody({ ...required, description }, resource);
    const key = randomUUID();
    const first = await post(resource.path, body("once"), key);
    expect(first.status).toBe(201);
    expect(replayed(first)).toBeNull();
    for (let times = 0; times < 2; times++) {
      const again = await post(resource.path, body("once"), key);
      expect(again).toMatchObject({ status: 201, text: first.text });
      expect(replayed(again)).toBe("true");
      expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
      expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    }
    const other = await post(resource.path, body("other"), key);
    expect(other).toMatchObject({
      status: 422,
      body: {
        error_code: "ERR_IDEMPOTENCY_KEY_REUSED",
        msg: expect.stringContaining("was used for another request"),
      },
    });
    const { body: list } = await rest(server, "GET", resource.path);
    const made = list[resource.listKey].filter(({ description }: Fields) => description === "once");
    expect(made.map(({ id }: Fields) => id)).toEqual([first.body.id]);
  });

  it("makes one that takes a key to make, whose id stands in a certificate", async () => {
    const edge = await create(httpsEdge);
    const modules = everyRouteModule(await create(staticBackend), await create(ipPolicy));
    const route = restBody({ matchType: "path_prefix", match: "/once", ...modules });
    const path = `/edges/https/${edge}/routes`;
    const key = randomUUID();
    const first = await post(path, route, key);
    expect(first.body.saml.entity_id).toContain(first.body.id);
    expect((await post(path, route, key)).text).toBe(first.text);
    const configuration = restBody(
      { type: "https", ...everyConfigurationModule(await create(ipPolicy)) },
      endpointConfiguration,
    );
    const made = await post(endpointConfiguration.path, configuration, key);
    expect(made.status).toBe(422);
    const own = await post(endpointConfiguration.path, configuration, randomUUID());
    expect(own).toMatchObject({ status: 201, body: { saml: { entity_id: expect.any(String) } } });
  });

  it("makes the key of an authority between two runs, so that no transaction waits for it", async () => {
    const path = "/ssh_certificate_authorities";
    const authority = { private_key_type: "rsa", key_size: 2048 };
    const key = randomUUID();
    const answers: Sent[] = [];
    const statements = await server.statements(async () => {
      answers.push(await post(path, authority, key));
    });
    expect(statements.filter((text) => text.includes("pg_try_advisory_xact_lock"))).toHaveLength(2);
    expect(answers).toMatchObject([{ status: 201, body: { key_type: "rsa" } }]);
    expect((await post(path, authority, key)).text).toBe(answers[0]?.text);
    const many = Array.from({ length: 20 }, () => post(path, authority, randomUUID()));
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(many.map(() => 201));
  });

  it("keeps no refusal: the same key makes what is asked right", async () => {
    const key = randomUUID();
    const refused = await post("/ip_policies", { description: 7 }, key);
    expect(refused.status).toBe(400);
    const made = await post("/ip_policies", { description: "right" }, key);
    expect(made.status).toBe(201);
    const domain = `${randomUUID()}.example.com`;
    await post("/reserved_domains", { domain }, null);
    const taken = await post("/reserved_domains", { domain }, randomUUID());
    expect(taken).toMatchObject({ status: 409, body: { error_code: "ERR_CONFLICT" } });
  });

  it("has keys of its own for each API key and for no other method", async () => {
    const key = randomUUID();
    const body = { description: "of each" };
    const { token } = (await post("/api_keys", {}, null)).body;
    const [mine, theirs] = [
      await post("/ip_policies", body, key),
      await post("/ip_policies", body, key, { token }),
    ];
    expect(theirs.body.id).not.toBe(mine.body.id);
    const path = `/ip_policies/${mine.body.id}`;
    for (const metadata of ["a", "b"]) {
      const changed = await rest(server, "PATCH", path, { metadata }, { "Idempotency-Key": key });
      expect(changed.body.metadata).toBe(metadata);
    }
    const reader = await post("/ip_policies", body, key, { token: server.readKey });
    expect(reader.status).toBe(403);
  });

  it("has answers for a day", async () => {
    const key = randomUUID();
    const body = { description: "of the day" };
    const first = await post("/ip_policies", body, key);
    const turnBack = (hours: number) =>
      client.query("UPDATE outcomes SET created_at = created_at - make_interval(hours => $1)", [
        hours,
      ]);
    await turnBack(23);
    expect((await post("/ip_policies", body, key)).text).toBe(first.text);
    await turnBack(2);
    const second = await post("/ip_policies", body, key);
    expect(second.body.id).not.toBe(first.body.id);
    expect((await post("/ip_policies", body, key)).text).toBe(second.text);
    const { rows } = await client.query("SELECT 1 FROM outcomes");
    expect(await forgetOutcomes(server.context)).toBe(rows.length - 1);
    expect((await post("/ip_policies", body, key)).text).toBe(second.text);
  });

  it("is sealed in the database, and written by the transaction of its effect", async () => {
    const key = `key-${randomUUID()}`;
    const made = await post("/api_keys", { description: "hidden words" }, key);
    const { rows } = await client.query(
      `SELECT outcomes.*, outcomes.xmin = api_keys.xmin AS together
         FROM api_keys JOIN outcomes ON outcomes.xmin = api_keys.xmin WHERE api_keys.id = $1`,
      [made.body.id],
    );
    expect(rows).toMatchObject([{ together: true }]);
    const text = JSON.stringify(rows);
    for (const secret of [made.body.token, "hidden words", key, made.body.id]) {
      expect(text).not.toContain(secret);
    }
  });

  it("tells who asks again meanwhile to wait, and has the answer afterwards", async () => {
    const key = randomUUID();
    const body = { description: "in flight" };
    await client.query("BEGIN");
    await client.query("LOCK TABLE ip_policies IN EXCLUSIVE MODE");
    const first = post("/ip_policies", body, key);
    while ((await client.query(HELD)).rows.length === 0);
    const second = await post("/ip_policies", body, key);
    expect(second).toMatchObject({ status: 409, body: { error_code: "ERR_REQUEST_IN_FLIGHT" } });
    expect(second.headers.get("retry-after")).toBe("1");
    await client.query("ROLLBACK");
    const { text } = await first;
    expect((await post("/ip_policies", body, key)).text).toBe(text);
    expect(await count("ip_policies", "in flight")).toBe(1);
  });

  it("leaves nothing behind when the connection is lost, so the same request may be sent again", async () => {
    const key = randomUUID();
    const body = { description: "connection lost" };
    await client.query("BEGIN");
    await client.query("LOCK TABLE ip_policies IN EXCLUSIVE MODE");
    const first = post("/ip_policies", body, key);
    const end = `SELECT pg_terminate_backend(pid) FROM (${HELD}) AS held`;
    while ((await client.query(end)).rows.length === 0);
    expect(await first).toMatchObject({ status: 503, body: { error_code: "ERR_UNAVAILABLE" } });
    await client.query("ROLLBACK");
    const second = await post("/ip_policies", body, key);
    expect([second.status, replayed(second)]).toEqual([201, null]);
    expect(await count("ip_policies", "connection lost")).toBe(1);
  });

  it("is refused by its name when it is none", async () => {
    for (const key of ["", "two words", "x".repeat(256)]) {
      expect(await post("/ip_policies", { description: "none" }, key)).toMatchObject({
        status: 400,
        body: {
          details: {
            "Idempotency-Key": "must be 1 to 255 printable ASCII characters without spaces",
          },
        },
      });
    }
    expect(await count("ip_policies", "none")).toBe(0);
    expect((await post("/ip_policies", {}, "x".repeat(255))).status).toBe(201);
  });
});

describe("over GraphQL", () => {
  const mutate = (query: string, variables: Fields, key: string | null, to = server) =>
    post("/graphql", { query, variables }, key, { to });
  const CREATE = `mutation($input: CreateIpPolicyInput!, $dryRun: Boolean) {
    createIpPolicy(input: $input, dryRun: $dryRun) {
      changes { action resourceId } ipPolicy { id description rules { nodes { id } } } } }`;

  it("executes a mutation once, with all that is selected of its result", async () => {
    const key = randomUUID();
    const input = { description: "graph once" };
    const first = await mutate(CREATE, { input }, key);
    const { ipPolicy, changes } = first.body.data.createIpPolicy;
    expect(changes).toEqual([{ action: "CREATED", resourceId: ipPolicy.id }]);
    await rest(server, "PATCH", `/ip_policies/${ipPolicy.id}`, { metadata: "changed since" });
    const again = await mutate(CREATE, { input }, key);
    expect(again.text).toBe(first.text);
    expect([replayed(first), replayed(again)]).toEqual([null, "true"]);
    const other = await mutate(CREATE, { input: { description: "other" } }, key);
    expect(other).toMatchObject({
      status: 422,
      body: { errors: [{ extensions: { code: "IDEMPOTENCY_KEY_REUSED" } }] },
    });
    expect(await count("ip_policies", "graph once")).toBe(1);
  });

  it("shows what the mutation itself has changed, as a mutation without a key does", async () => {
    const policy = await create(ipPolicy);
    const mutation = `mutation($input: CreateIpRestrictionInput!) { createIpRestriction(input: $input) {
      ipRestriction { id ipPolicies { usedBy { totalCount nodes { user { id } } } } } } }`;
    const input = { type: "API", ipPolicyIds: [policy] };
    // As many at once as there are connections: each has all that it needs on its own.
    const sent = await Promise.all(
      Array.from({ length: 8 }, () => mutate(mutation, { input }, randomUUID())),
    );
    for (const { body } of sent) {
      const { id, ipPolicies } = body.data.createIpRestriction.ipRestriction;
      const [{ usedBy }] = ipPolicies;
      expect(usedBy.nodes).toContainEqual({ user: { id } });
      expect(usedBy.totalCount).toBeGreaterThan(0);
    }
  });

  it("gives the first answer where the state would refuse the second", async () => {
    const id = await create(ipPolicy);
    const update = `mutation($id: ID!) {
      updateIpPolicy(id: $id, expectedVersion: 1, input: { description: "v2" }) { ipPolicy { version } } }`;
    const remove = "mutation($id: ID!) { deleteIpPolicy(id: $id) { changes { version } } }";
    for (const mutation of [update, remove]) {
      const key = randomUUID();
      const first = await mutate(mutation, { id }, key);
      expect(first.body.errors).toBeUndefined();
      expect((await mutate(mutation, { id }, key)).text).toBe(first.text);
      expect((await mutate(mutation, { id }, randomUUID())).body.errors).toHaveLength(1);
    }
  });

  it("makes an edge once with all of its routes, of which some take a key to make", async () => {
    const mutation = `mutation($input: CreateHttpsEdgeInput!) { createHttpsEdge(input: $input) {
      changes { resourceId } httpsEdge { id routes { nodes { id saml { entityId } } } } } }`;
    const input = graphqlInput("CreateHttpsEdgeInput", {
      description: "with routes",
      routes: ["/a", "/b"].map((match) => ({
        matchType: "path_prefix",
        match,
        saml: { idpMetadata: SAML_METADATA },
      })),
    });
    const key = randomUUID();
    const first = await mutate(mutation, { input }, key);
    const { httpsEdge: edge, changes } = first.body.data.createHttpsEdge;
    expect(changes).toHaveLength(3);
    for (const { id, saml } of edge.routes.nodes) expect(saml.entityId).toContain(id);
    expect((await mutate(mutation, { input }, key)).text).toBe(first.text);
    expect(await count("https_edges", "with routes")).toBe(1);
  });

  it("takes the mutation back when its result cannot be shown, and may be sent again", async () => {
    const edge = await create(httpsEdge);
    for (let n = 0; n < 20; n++) {
      const metadata = "m".repeat(4096);
      await create(routesOf(edge), { matchType: "path_prefix", match: `/${n}`, metadata });
    }
    const copies = Array.from({ length: 20 }, (_, n) => `m${n}: metadata`).join(" ");
    const mutation = (selection: string) => `mutation($id: ID!) {
      updateHttpsEdge(id: $id, input: { description: "too long" }) {
        httpsEdge { routes(first: 20) { nodes { ${selection} } } } } }`;
    const key = randomUUID();
    const refused = await mutate(mutation(copies), { id: edge }, key);
    expect(refused.body).toMatchObject({
      errors: [{ message: expect.stringMatching(/at most 524288 bytes, and this one has 1\d{6}/) }],
    });
    expect(await count("https_edges", "too long")).toBe(0);
    expect((await mutate(mutation("id"), { id: edge }, key)).body.errors).toBeUndefined();
    expect(await count("https_edges", "too long")).toBe(1);
  });

  it("makes an authority with its key, and takes variables with their defaults", async () => {
    const authority = `mutation($type: SshKeyType = RSA) {
      createSshCertificateAuthority(input: { privateKeyType: $type, keySize: 2048 }) {
        sshCertificateAuthority { publicKey keyType } } }`;
    const key = randomUUID();
    const first = await mutate(authority, {}, key);
    expect(first.body.data.createSshCertificateAuthority.sshCertificateAuthority).toMatchObject({
      publicKey: expect.stringMatching(/^ssh-rsa /),
      keyType: "RSA",
    });
    for (const same of [{}, { type: "RSA" }]) {
      expect((await mutate(authority, same, key)).text).toBe(first.text);
    }
    const dry = `mutation($input: CreateIpPolicyInput! = { description: "by default" }, $dry: Boolean = true) {
      createIpPolicy(input: $input, dryRun: $dry) { changes { action } } }`;
    const dryKey = randomUUID();
    for (const dryRun of [{}, { dry: true }, { dry: false }, { dry: false }]) {
      const { body } = await mutate(dry, dryRun, dryKey);
      expect(body.data.createIpPolicy.changes).toEqual([{ action: "CREATED" }]);
    }
    expect(await count("ip_policies", "by default")).toBe(1);
    const unfit = await mutate(dry, { dry: "yes" }, randomUUID());
    expect(unfit.body.errors).toMatchObject([{ extensions: { code: "INVALID_REQUEST" } }]);
  });

  it("keeps no refusal, and nothing of a dry run or a query", async () => {
    const key = randomUUID();
    const wrong = await mutate(CREATE, { input: { description: "x".repeat(300) } }, key);
    expect(wrong.body.errors).toMatchObject([{ extensions: { code: "INVALID_REQUEST" } }]);
    const dry = await mutate(CREATE, { input: { description: "dry" }, dryRun: true }, key);
    expect(dry.body.data.createIpPolicy.changes).toHaveLength(1);
    for (const query of ["{ overview { __typename } }", "{ __typename }"]) {
      expect((await mutate(query, {}, key)).body.errors).toBeUndefined();
    }
    const made = await mutate(CREATE, { input: { description: "dry" } }, key);
    expect(made.body.errors).toBeUndefined();
    expect(await count("ip_policies", "dry")).toBe(1);
  });

  it("is for one change", async () => {
    const key = randomUUID();
    const two = `mutation { a: createIpPolicy(input: { description: "several" }) { ipPolicy { id } }
      b: createIpPolicy(input: { description: "several" }) { ipPolicy { id } } }`;
    const spread = `mutation { ...F } fragment F on Mutation {
      createIpPolicy(input: { description: "several" }) { ipPolicy { id } } }`;
    for (const mutation of [two, spread]) {
      expect((await mutate(mutation, {}, key)).body.errors).toMatchObject([
        { extensions: { code: "INVALID_REQUEST", issues: [{ path: ["Idempotency-Key"] }] } },
      ]);
    }
    const one =
      'mutation { __typename createIpPolicy(input: { description: "one" }) { ipPolicy { id } } }';
    const batch = await post("/graphql", [{ query: one }, { query: "{ __typename }" }], key);
    expect(batch.body).toMatchObject([
      { errors: [{ extensions: { code: "BAD_REQUEST" } }] },
      { data: { __typename: "Query" } },
    ]);
    expect((await mutate(one, {}, key)).body.errors).toBeUndefined();
    expect(await count("ip_policies", "several")).toBe(0);
    expect(await count("ip_policies", "one")).toBe(1);
  });
});

it("makes exactly one where two processes race on one database, over both transports", async () => {
  const database = await freshDatabase();
  const start = () =>
    startServer({ connection: { connectionString: database.url }, encryptionKeys: KEYRING });
  const servers = await Promise.all([start(), start()]);
  const [one] = servers;
  const token = one?.writeKey;
  const mutation = `mutation($input: CreateIpPolicyInput!) {
    createIpPolicy(input: $input) { ipPolicy { id } } }`;
  const requests = {
    REST: (description: string) => ({ path: "/ip_policies", body: { description } }),
    GraphQL: (description: string) => ({
      path: "/graphql",
      body: { query: mutation, variables: { input: { description } } },
    }),
  };
  for (const [name, request] of Object.entries(requests)) {
    for (let round = 0; round < 5; round++) {
      const key = randomUUID();
      const { path, body } = request(`${name} ${round}`);
      const ask = async (to: TestServer): Promise<Sent> => {
        const answer = await post(path, body, key, { to, token });
        return answer.status === 409 ? ask(to) : answer;
      };
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => ask(servers[n % 2] as TestServer)),
      );
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers.filter((answer) => replayed(answer) === null)).toHaveLength(1);
    }
  }
  const { body } = await rest(one as TestServer, "GET", "/ip_policies");
  expect(body.ip_policies).toHaveLength(10);
  for (const server of servers) await server.stop();
  await database.stop();
});
