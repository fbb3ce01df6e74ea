import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createIpPolicy } from "../src/domain/ip-policies.js";
import { httpsEdge, ipPolicy, ipPolicyRule, routesOf, tlsEdge } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, graphql, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function policy(): Promise<string> {
  return (await createIpPolicy(server.context, {})).id;
}

describe.each(transports)("IP policies over $name", (transport) => {
  let policies: Driver;
  let rules: Driver;
  let tlsEdges: Driver;
  beforeAll(() => {
    policies = transport.drive(server, ipPolicy);
    rules = transport.drive(server, ipPolicyRule);
    tlsEdges = transport.drive(server, tlsEdge);
  });

  const rule = (ipPolicyId: string, cidr = "10.0.0.0/8") =>
    rules.create({ cidr, action: "allow", ipPolicyId });

  it("has texts, and nothing else that a caller gives", async () => {
    const { id, createdAt, updatedAt, version, ...given } = await policies.create({
      description: "office",
      metadata: "m",
    });
    expect(given).toEqual({ description: "office", metadata: "m" });
    const unknown = { rules: [], cidr: "10.0.0.0/8" };
    const refusal = { code: "INVALID_REQUEST", paths: ["cidr", "rules"] };
    await expect(policies.create(unknown)).rejects.toMatchObject(refusal);
    await expect(policies.update(id, unknown)).rejects.toMatchObject(refusal);
    expect(await policies.get(id)).toEqual({ id, createdAt, updatedAt, version, ...given });
  });

  it("keeps its rules in an update, and is the same when they change", async () => {
    const { id } = await policies.create({ description: "a" });
    const made = await rule(id);
    const updated = await policies.update(id, { description: "b" });
    expect(await rules.get(made.id)).toEqual(made);
    await rules.update(made.id, { cidr: "10.0.0.0/9" });
    await rules.remove(made.id);
    expect(await policies.get(id)).toEqual(updated);
  });

  it("is not deleted while edges and routes check it, and names up to five of them", async () => {
    const { id } = await policies.create();
    const { id: ruleId } = await rule(id);
    const ipRestriction = { ipPolicyIds: [id] };
    const edgeId = (await transport.drive(server, httpsEdge).create()).id;
    const routes = transport.drive(server, routesOf(edgeId));
    const refused = () => policies.remove(id).catch((error) => error);

    const route = await routes.create({
      edgeId,
      matchType: "path_prefix",
      match: "/",
      ipRestriction: { ...ipRestriction, enabled: false },
    });
    expect(await refused()).toMatchObject({
      code: "IN_USE",
      message: expect.stringContaining(`${id} is still used by ${route.id}.`),
      issues: { "usedBy.0": `HTTPS edge route ${route.id}` },
    });
    await routes.remove(route.id);

    const users: string[] = [];
    for (let i = 0; i < 6; i++) users.unshift((await tlsEdges.create({ ipRestriction })).id);
    expect(await refused()).toMatchObject({
      code: "IN_USE",
      message: expect.stringContaining(`${users.slice(0, 5).join(", ")} and more`),
      issues: Object.fromEntries(
        users.slice(0, 5).map((user, i) => [`usedBy.${i}`, `TLS edge ${user}`]),
      ),
    });
    expect((await rules.get(ruleId)).ipPolicy).toBe(id);

    for (const user of users) await tlsEdges.remove(user);
    await policies.remove(id);
    await expect(policies.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("is free again when the edge that checks it takes another", async () => {
    const [{ id }, { id: other }] = [await policies.create(), await policies.create()];
    const edge = await tlsEdges.create({ ipRestriction: { ipPolicyIds: [id] } });
    await tlsEdges.update(edge.id, { ipRestriction: { ipPolicyIds: [other] } });
    await policies.remove(id);
    await expect(policies.remove(other)).rejects.toMatchObject({
      code: "IN_USE",
      issues: { "usedBy.0": `TLS edge ${edge.id}` },
    });
  });

  it("takes its rules along when it is deleted, and those of no other", async () => {
    const [own, other] = [await policy(), await policy()];
    const gone = [await rule(own), await rule(own, "10.0.0.0/9")];
    const kept = await rule(other);
    await policies.remove(own);
    for (const { id } of gone) {
      await expect(rules.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    expect(await rules.get(kept.id)).toEqual(kept);
    await expect(rule(own)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: { ipPolicyId: `refers to "${own}", which does not exist` },
    });
  });
});

describe("IP policies", () => {
  it("shows over REST what the contract has, and no rules", async () => {
    const { body } = await rest(server, "POST", "/ip_policies", { description: "office" });
    expect(body).toEqual({
      id: expect.stringMatching(/^ipp_[0-9A-Za-z]{27}$/),
      uri: `${server.url}/ip_policies/${body.id}`,
      created_at: expect.stringMatching(/Z$/),
      description: "office",
      metadata: "",
    });
  });

  it("clears over GraphQL the text that is null", async () => {
    const { id } = await createIpPolicy(server.context, { description: "a", metadata: "b" });
    const { updateIpPolicy } = await graphql(
      server,
      `mutation ($id: ID!) {
        updateIpPolicy(id: $id, input: { description: null }) { ipPolicy { description metadata version } }
      }`,
      { id },
    );
    expect(updateIpPolicy.ipPolicy).toEqual({ description: "", metadata: "b", version: 2 });
  });

  it("lists over GraphQL the edges and routes that check it", async () => {
    const id = await policy();
    const ip_restriction = { ip_policy_ids: [id] };
    const edge = (await rest(server, "POST", "/edges/https", {})).body;
    const routes: string[] = [];
    for (const match of ["/a", "/b"]) {
      const route = { match_type: "path_prefix", match, ip_restriction };
      const { body } = await rest(server, "POST", `/edges/https/${edge.id}/routes`, route);
      routes.unshift(body.id);
    }
    const tls = (await rest(server, "POST", "/edges/tls", { ip_restriction })).body;
    const { ipPolicy } = await graphql(
      server,
      `query ($id: ID!) { ipPolicy(id: $id) {
         httpsEdgeRoutes { totalCount nodes { id } }
         tlsEdges { totalCount nodes { id } }
      } }`,
      { id },
    );
    expect(ipPolicy).toEqual({
      httpsEdgeRoutes: { totalCount: 2, nodes: routes.map((id) => ({ id })) },
      tlsEdges: { totalCount: 1, nodes: [{ id: tls.id }] },
    });
  });

  it("reads the rules of many policies in the same statements as those of one, each page by page", async () => {
    const ipPolicyIds = [await policy(), await policy()];
    const networks = ["10.0.0.0/8", "10.0.0.0/9", "10.0.0.0/10"];
    for (const ip_policy_id of ipPolicyIds) {
      for (const cidr of networks) {
        await rest(server, "POST", "/ip_policy_rules", { cidr, action: "deny", ip_policy_id });
      }
    }
    const query = `query ($first: Int!) { ipPolicies(first: $first) { nodes { id rules(first: 2) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { cidr action createdAt ipPolicy { id } }
    } } } }`;
    let data: Awaited<ReturnType<typeof graphql>> = {};
    const sent = await server.statements(async () => {
      data = await graphql(server, query, { first: 2 });
    });
    // The key, and all of the rest.
    expect(sent).toHaveLength(2);
    expect(await server.statements(() => graphql(server, query, { first: 1 }))).toHaveLength(2);

    const [newest] = data.ipPolicies.nodes;
    expect(newest).toMatchObject({
      id: ipPolicyIds[1],
      rules: {
        totalCount: 3,
        pageInfo: { hasNextPage: true },
        nodes: [
          { cidr: "10.0.0.0/10", action: "DENY", ipPolicy: { id: ipPolicyIds[1] } },
          { cidr: "10.0.0.0/9" },
        ],
      },
    });
    const { ipPolicy } = await graphql(
      server,
      `query ($id: ID!, $after: String) { ipPolicy(id: $id) { rules(after: $after) {
         nodes { cidr } pageInfo { hasNextPage hasPreviousPage }
      } } }`,
      { id: newest.id, after: newest.rules.pageInfo.endCursor },
    );
    expect(ipPolicy.rules).toEqual({
      nodes: [{ cidr: "10.0.0.0/8" }],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
  });
});
