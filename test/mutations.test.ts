import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resources, type TestResource } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, graphqlInput, rest, transports } from "./harness/transports.js";

// What holds for every mutation: it can be tried, be bound to a version, and stand beside others.

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
      `mutation(${declared}) { result: ${verb}${name}(${passed}) ${verb === "delete" ? "" : "{ id version description }"} }`,
      variables,
    );

  it("can be created, changed and deleted for trial, which stores nothing", async () => {
    const input = graphqlInput(`Create${name}Input`, {
      ...(await inputOf(resource)),
      description: "new",
    });
    const { id } = await driverOf(resource).create(await inputOf(resource));
    const before = await stored();
    const create = await call(
      "create",
      `$input: Create${name}Input!`,
      "input: $input, validateOnly: true",
      { input },
    );
    expect(create.result).toMatchObject({ version: 1, description: "new" });
    const changing = `$id: ID!, $input: Update${name}Input!`;
    const update = await call("update", changing, "id: $id, input: $input, validateOnly: true", {
      id,
      input: { description: "changed" },
    });
    expect(update.result).toEqual({ id, version: 2, description: "changed" });
    expect(await call("delete", "$id: ID!", "id: $id, validateOnly: true", { id })).toEqual({
      result: id,
    });
    expect(await stored()).toEqual(before);
    expect(await driverOf(resource).get(id)).toMatchObject({ version: 1, description: "" });
  });

  it("is refused for trial as it is refused in earnest", async () => {
    const input = { description: "é".repeat(128) };
    const { id } = await driverOf(resource).create(await inputOf(resource));
    for (const validateOnly of [true, false]) {
      const declared = `$id: ID!, $input: Update${name}Input!, $validateOnly: Boolean`;
      const passed = "id: $id, input: $input, validateOnly: $validateOnly";
      await expect(
        call("update", declared, passed, { id, input, validateOnly }),
      ).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        paths: ["description"],
      });
      await expect(
        call("update", declared, passed, { id: "no", input: {}, validateOnly }),
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
      message: expect.stringContaining("at version 2"),
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

describe("a trial", () => {
  it("gives away nothing that would work", async () => {
    const authority = (await rest(server, "POST", "/ssh_certificate_authorities", {})).body.id;
    const publicKey =
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    const tried = await graphql(
      server,
      `mutation($input: CreateSshUserCertificateInput!) {
        createSshUserCertificate(input: $input, validateOnly: true) { certificate }
        createApiKey(input: {}, validateOnly: true) { token } }`,
      { input: { sshCertificateAuthorityId: authority, publicKey } },
    );
    expect(tried).toEqual({
      createSshUserCertificate: { certificate: "" },
      createApiKey: { token: null },
    });
  });

  it("needs a key that may write", async () => {
    const document = "mutation { createIpPolicy(input: {}, validateOnly: true) { id } }";
    await expect(graphql(server, document, {}, server.readKey)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });
});

describe("two changes of one version at the same time", () => {
  it("end with one of them refused", async () => {
    const { id } = (await rest(server, "POST", "/ip_policies", {})).body;
    const change = (description: string) =>
      graphql(
        server,
        "mutation($id: ID!, $input: UpdateIpPolicyInput!) { updateIpPolicy(id: $id, input: $input, expectedVersion: 1) { description } }",
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
          first: createHttpsEdgeRoute(input: { edgeId: $edge, matchType: PATH_PREFIX, match: "/" }) { edge { routes { totalCount nodes { match } } } }
          taken: createHttpsEdgeRoute(input: { edgeId: $edge, matchType: PATH_PREFIX, match: "/" }) { id }
          second: createHttpsEdgeRoute(input: { edgeId: $edge, matchType: PATH_PREFIX, match: "/b" }) { edge { routes { totalCount nodes { match } } } }
          edge: updateHttpsEdge(id: $edge, input: { description: "d" }) { description routes { totalCount } } }`,
        variables: { edge },
      }),
    });
    const { data, errors } = (await response.json()) as Fields;
    expect(data).toMatchObject({
      first: { edge: { routes: { totalCount: 1, nodes: [{ match: "/" }] } } },
      taken: null,
      second: { edge: { routes: { totalCount: 2, nodes: [{ match: "/b" }, { match: "/" }] } } },
      edge: { description: "d", routes: { totalCount: 2 } },
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
