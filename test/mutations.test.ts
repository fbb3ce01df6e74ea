import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schema } from "../src/schema/index.js";
import { SAML_METADATA } from "./harness/modules.js";
import { resources, type TestResource } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, graphqlInput, rest, transports } from "./harness/transports.js";

// What holds for every mutation: it has a dry run, can be bound to a version, and stands beside others.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function driverOf(resource: TestResource) {
  const [, byGraphql] = transports;
  if (!byGraphql) throw new Error("There is no second transport.");
  return byGraphql.drive(server, resource);
}

async function inputOf(resource: TestResource): Promise<Fields> {
  const create = async (other: TestResource): Promise<Fields> =>
    driverOf(other).create(await inputOf(other));
  return (await resource.required?.(create)) ?? {};
}

/** Everything that is stored, and how much stands in the log. */
async function stored(): Promise<Fields> {
  const counts = await Promise.all(
    resources.map(({ many }) => graphql(server, `{ ${many} { totalCount } }`)),
  );
  const { changes } = await graphql(server, "{ changes(last: 1) { totalCount nodes { id } } }");
  return { counts, changes };
}

describe.each(resources)("$title", (resource) => {
  const name = capitalized(resource.one);
  const call = (verb: string, declared: string, passed: string, variables: Fields) =>
    graphql(
      server,
      `mutation(${declared}) { it: ${verb}${name}(${passed}) {
        result: ${resource.one} { id version description }
        changes { action typename resourceId version differences { path before after } } } }`,
      variables,
    ).then(({ it }) => it as Fields);
  const described = (before: string | null, after: string | null) => ({
    path: ["description"],
    before,
    after,
  });

  it("can be created, changed and deleted in a dry run, which stores nothing", async () => {
    const input = graphqlInput(`Create${name}Input`, {
      ...(await inputOf(resource)),
      description: "new",
    });
    const { id } = await driverOf(resource).create({
      ...(await inputOf(resource)),
      description: "old",
    });
    const before = await stored();
    const create = await call(
      "create",
      `$input: Create${name}Input!`,
      "input: $input, dryRun: true",
      { input },
    );
    expect(create.result).toBeNull();
    expect(create.changes).toMatchObject([
      { action: "CREATED", typename: name, resourceId: null, version: 1 },
    ]);
    expect(create.changes[0].differences).toContainEqual(described(null, "new"));
    const changing = `$id: ID!, $input: Update${name}Input!`;
    const update = await call("update", changing, "id: $id, input: $input, dryRun: true", {
      id,
      input: { description: "changed" },
    });
    const present = { id, version: 1, description: "old" };
    const change = { typename: name, resourceId: id };
    expect(update).toEqual({
      result: present,
      changes: [
        { ...change, action: "UPDATED", version: 2, differences: [described("old", "changed")] },
      ],
    });
    const removal = await call("delete", "$id: ID!", "id: $id, dryRun: true", { id });
    expect(removal.result).toEqual(present);
    expect(removal.changes).toMatchObject([{ ...change, action: "DELETED", version: 1 }]);
    expect(await stored()).toEqual(before);
    expect(await driverOf(resource).get(id)).toMatchObject({ version: 1, description: "old" });
  });

  it("says what it changed, and leaves a deleted resource to its id alone", async () => {
    const input = graphqlInput(`Create${name}Input`, {
      ...(await inputOf(resource)),
      description: "a",
    });
    const made = await call("create", `$input: Create${name}Input!`, "input: $input", { input });
    const { id } = made.result;
    expect(made.changes).toMatchObject([{ action: "CREATED", resourceId: id, typename: name }]);
    const declared = `$id: ID!, $input: Update${name}Input!`;
    const change = (description: string) =>
      call("update", declared, "id: $id, input: $input", { id, input: { description } });
    expect(await change("b")).toMatchObject({
      result: { version: 2, description: "b" },
      changes: [{ action: "UPDATED", version: 2, differences: [described("a", "b")] }],
    });
    expect((await change("b")).changes).toEqual([]);
    expect(await call("delete", "$id: ID!", "id: $id", { id })).toMatchObject({
      result: null,
      changes: [{ action: "DELETED", resourceId: id, typename: name }],
    });
  });

  it("is refused in a dry run as it is refused in earnest", async () => {
    const input = { description: "é".repeat(128) };
    const { id } = await driverOf(resource).create(await inputOf(resource));
    for (const dryRun of [true, false]) {
      const declared = `$id: ID!, $input: Update${name}Input!, $dryRun: Boolean`;
      const passed = "id: $id, input: $input, dryRun: $dryRun";
      await expect(call("update", declared, passed, { id, input, dryRun })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        paths: ["description"],
      });
      await expect(
        call("update", declared, passed, { id: "no", input: {}, dryRun }),
      ).rejects.toMatchObject({
        code: "NOT_FOUND",
      });
    }
  });

  it("changes only at the expected version, and says at which it is", async () => {
    const { id } = await driverOf(resource).create(await inputOf(resource));
    const declared = `$id: ID!, $input: Update${name}Input!, $version: Int`;
    const passed = "id: $id, input: $input, expectedVersion: $version";
    const first = await call("update", declared, passed, {
      id,
      version: 1,
      input: { description: "a" },
    });
    expect(first.result.version).toBe(2);
    const stale = call("update", declared, passed, { id, version: 1, input: { description: "b" } });
    await expect(stale).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("has version 2"),
      paths: ["expectedVersion"],
    });
    const staleDelete = call(
      "delete",
      "$id: ID!, $version: Int",
      "id: $id, expectedVersion: $version",
      { id, version: 1 },
    );
    await expect(staleDelete).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await driverOf(resource).get(id)).toMatchObject({ version: 2, description: "a" });
    await call("delete", "$id: ID!, $version: Int", "id: $id, expectedVersion: $version", {
      id,
      version: 2,
    });
    await expect(driverOf(resource).get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("what changed", () => {
  it("has the values of enums as GraphQL spells them, in the result and in the log", async () => {
    const create = `mutation($policy: ID!) {
      createIpPolicyRule(input: { ipPolicyId: $policy, cidr: "10.0.0.0/8", action: DENY }) {
        changes { resourceId label differences { path after } } }
      createHttpsEdge(input: { tlsTermination: { minVersion: TLS1_3 }, routes: [
        { matchType: EXACT_PATH, match: "/", webhookVerification: { provider: "slack", secret: "s" } }] }) {
        changes { resourceId differences { path after } } } }`;
    const policy = (await rest(server, "POST", "/ip_policies", {})).body.id;
    const { createIpPolicyRule, createHttpsEdge } = await graphql(server, create, { policy });
    const [rule] = createIpPolicyRule.changes;
    const [edge, route] = createHttpsEdge.changes;
    expect(rule.label).toBe("deny 10.0.0.0/8");
    const at = ({ differences }: Fields, ...path: string[]) =>
      differences.find((difference: Fields) => difference.path.join() === path.join())?.after;
    expect(at(rule, "action")).toBe("DENY");
    expect(at(edge, "tlsTermination", "minVersion")).toBe("TLS1_3");
    expect(at(route, "matchType")).toBe("EXACT_PATH");
    expect(at(route, "webhookVerification", "provider")).toBe("slack");
    expect(at(route, "webhookVerification", "secret")).toBe("[secret]");
    const { changes } = await graphql(
      server,
      "query($ids: [ID!]) { changes(ids: $ids) { nodes { typename differences { path after } } } }",
      { ids: [rule.resourceId] },
    );
    expect(changes.nodes[0].typename).toBe("IpPolicyRule");
    expect(at(changes.nodes[0], "action")).toBe("DENY");
  });
});

describe("a dry run", () => {
  it("gives away nothing that would work", async () => {
    const authority = (await rest(server, "POST", "/ssh_certificate_authorities", {})).body.id;
    const publicKey =
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    const answer = await graphql(
      server,
      `mutation($input: CreateSshUserCertificateInput!) {
        createSshUserCertificate(input: $input, dryRun: true) {
          sshUserCertificate { certificate } changes { differences { path after } } }
        createApiKey(input: {}, dryRun: true) {
          apiKey { token } changes { differences { path after } } } }`,
      { input: { sshCertificateAuthorityId: authority, publicKey } },
    );
    expect(answer).toMatchObject({
      createSshUserCertificate: { sshUserCertificate: null },
      createApiKey: { apiKey: null },
    });
    const paths = Object.values(answer).flatMap(({ changes }) =>
      changes[0].differences.map(({ path }: Fields) => path.join(".")),
    );
    expect(paths).toContain("publicKey");
    expect(paths).not.toContain("certificate");
    expect(paths).not.toContain("token");
  });

  it("shows as new what the real change would make otherwise", async () => {
    const { a, b } = await graphql(
      server,
      `mutation {
        a: createReservedAddr(input: { region: US }, dryRun: true) {
          changes { label differences { path after } } }
        b: createSshCertificateAuthority(input: { description: "bastion" }, dryRun: true) {
          changes { label differences { path after } } } }`,
    );
    expect(a.changes).toMatchObject([{ label: "[new]" }]);
    expect(a.changes[0].differences).toContainEqual({ path: ["addr"], after: "[new]" });
    expect(b.changes).toMatchObject([{ label: "bastion" }]);
    expect(b.changes[0].differences).toContainEqual({ path: ["publicKey"], after: "[new]" });
    const edge = (await rest(server, "POST", "/edges/https", {})).body.id;
    const saml = graphqlInput("CreateHttpsEdgeRouteInput", {
      saml: { idpMetadata: SAML_METADATA },
    });
    const { c } = await graphql(
      server,
      `mutation($input: CreateHttpsEdgeRouteInput!) { c: createHttpsEdgeRoute(input: $input, dryRun: true) {
        changes { differences { path after } } } }`,
      { input: { ...saml, edgeId: edge, matchType: "EXACT_PATH", match: "/" } },
    );
    const entity = c.changes[0].differences.find(
      ({ path }: Fields) => path.join(".") === "saml.entityId",
    );
    expect(entity.after).toMatch(/\/saml\/\[new\]/);
    expect(c.changes[0].differences).toContainEqual({ path: ["edgeId"], after: edge });
  });

  it("takes no longer for long texts than the change does", async () => {
    const body = "a".repeat(65_000);
    const backend = (id: string) =>
      `${id}: createHttpResponseBackend(input: { body: $body }, dryRun: true) { changes { label } }`;
    const names = Array.from({ length: 20 }, (_, i) => `d${i}`);
    const query = `mutation($body: String) { ${names.map(backend).join(" ")} }`;
    // Before the deadline of the request: twenty texts that were searched again and again took a minute.
    const answer = await graphql(server, query, { body });
    expect(Object.keys(answer)).toEqual(names);
  });

  it("needs a key that may write", async () => {
    const document = "mutation { createIpPolicy(input: {}, dryRun: true) { ipPolicy { id } } }";
    await expect(graphql(server, document, {}, server.readKey)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });
});

describe("a key that may only read", () => {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

  it.each(mutations.map((field) => [field.name, field] as const))(
    "is refused by %s before the input is looked at",
    async (name, field) => {
      const given = field.args.filter(({ type }) => isNonNullType(type));
      const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(", ");
      const passed = given.map(({ name }) => `${name}: $${name}`).join(", ");
      const query = `mutation(${declared}) { it: ${name}(${passed}) { __typename } }`;
      const variables = Object.fromEntries(given.map(({ name, type }) => [name, unfit(type)]));
      const ask = async (key: string) => {
        const response = await fetch(`${server.url}/graphql`, {
          method: "POST",
          headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
          body: JSON.stringify({ query, variables }),
        });
        return response.json();
      };
      const { errors } = await ask(server.writeKey);
      expect(errors).toHaveLength(1);
      expect(errors[0].extensions.code).toMatch(/^(INVALID_REQUEST|NOT_FOUND)$/);
      expect(await ask(server.readKey)).toMatchObject({
        data: { it: null },
        errors: [
          {
            message: "This API key is read-only.",
            path: ["it"],
            extensions: { code: "FORBIDDEN", issues: [] },
          },
        ],
      });
    },
  );

  it.each(resources)("is refused over REST before the body is read: $title", async ({ path }) => {
    for (const [method, target] of [
      ["POST", path],
      ["PATCH", `${path}/x_1`],
      ["DELETE", `${path}/x_1`],
    ] as const) {
      const headers = { Authorization: `Bearer ${server.readKey}` };
      const { status } = await rest(server, method, target, "{", headers);
      expect([method, status]).toEqual([method, 403]);
    }
  });
});

/** A value of the type that no rule accepts, where the type lets one be. */
function unfit(type: GraphQLInputType): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [unfit(inner.ofType)];
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  if (!isInputObjectType(inner)) return inner.name === "Boolean" ? true : "x".repeat(300);
  const fields = Object.values(inner.getFields());
  const required = fields.filter(({ type }) => isNonNullType(type));
  const set = inner.isOneOf
    ? fields.slice(0, 1)
    : [...required, ...fields.filter(({ name }) => name === "description")];
  return Object.fromEntries(set.map(({ name, type }) => [name, unfit(type)]));
}

describe("two changes of one version at the same time", () => {
  it("end with one of them refused", async () => {
    const { id } = (await rest(server, "POST", "/ip_policies", {})).body;
    const change = (description: string) =>
      graphql(
        server,
        "mutation($id: ID!, $input: UpdateIpPolicyInput!) { updateIpPolicy(id: $id, input: $input, expectedVersion: 1) { ipPolicy { description } } }",
        { id, input: { description } },
      );
    const outcomes = await Promise.allSettled(["a", "b", "c"].map(change));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "CONFLICT" });
    }
  });
});

describe("several mutations of one request", () => {
  it("happen in order, each seeing those before it, and each fails alone", async () => {
    const edge = (await rest(server, "POST", "/edges/https", {})).body.id;
    const response = await fetch(`${server.url}/graphql`, {
      method: "POST",
      headers: { Authorization: `Bearer ${server.writeKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        query: `mutation($edge: ID!) {
          first: createHttpsEdgeRoute(input: { edgeId: $edge, matchType: PATH_PREFIX, match: "/" }) { httpsEdgeRoute { edge { routes { totalCount nodes { match } } } } }
          taken: createHttpsEdgeRoute(input: { edgeId: $edge, matchType: PATH_PREFIX, match: "/" }) { httpsEdgeRoute { id } }
          second: createHttpsEdgeRoute(input: { edgeId: $edge, matchType: PATH_PREFIX, match: "/b" }) { httpsEdgeRoute { edge { routes { totalCount nodes { match } } } } }
          edge: updateHttpsEdge(id: $edge, input: { description: "d" }) { httpsEdge { description routes { totalCount } } } }`,
        variables: { edge },
      }),
    });
    const { data, errors } = (await response.json()) as Fields;
    expect(data).toMatchObject({
      first: { httpsEdgeRoute: { edge: { routes: { totalCount: 1, nodes: [{ match: "/" }] } } } },
      taken: null,
      second: {
        httpsEdgeRoute: {
          edge: { routes: { totalCount: 2, nodes: [{ match: "/b" }, { match: "/" }] } },
        },
      },
      edge: { httpsEdge: { description: "d", routes: { totalCount: 2 } } },
    });
    expect(errors).toMatchObject([{ path: ["taken"], extensions: { code: "CONFLICT" } }]);
    const { httpsEdge } = await graphql(
      server,
      "query($id: ID!) { httpsEdge(id: $id) { description routes { nodes { match } } } }",
      { id: edge },
    );
    expect(httpsEdge).toEqual({
      description: "d",
      routes: { nodes: [{ match: "/b" }, { match: "/" }] },
    });
  });
});
