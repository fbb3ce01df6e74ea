import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ipRestrictionType } from "../src/domain/core/enumerations.js";
import { createIpPolicy } from "../src/domain/ip-policies.js";
import { ipPolicy, ipRestriction } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, graphql, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const policy = async () => (await createIpPolicy(server.context, {})).id;
const policies = async (count: number) =>
  (await Promise.all(Array.from({ length: count }, policy))).sort();
const MISSING = `ipp_${"0".repeat(27)}`;

describe.each(transports)("IP restrictions over $name", (transport) => {
  let restrictions: Driver;
  beforeAll(() => {
    restrictions = transport.drive(server, ipRestriction);
  });

  it.each(ipRestrictionType.options)("creates one of type %s and reads it back", async (type) => {
    const [first, second, third] = await policies(3);
    const ipPolicyIds = [second, third, first];
    const created = await restrictions.create({ type, ipPolicyIds, description: "d" });
    expect(created).toMatchObject({ type, enforced: false, description: "d", metadata: "" });
    expect(created.ipPolicies).toEqual(ipPolicyIds);
    expect(created.id).toMatch(/^ipx_[0-9A-Za-z]{27}$/);
    expect(await restrictions.get(created.id)).toEqual(created);
  });

  it("replaces the IP policies in the order given, and leaves what is not named", async () => {
    const [first, second, third] = await policies(3);
    const { id } = await restrictions.create({
      type: "api",
      enforced: true,
      ipPolicyIds: [first, second],
    });
    const turned = await restrictions.update(id, { ipPolicyIds: [third, first] });
    expect(turned).toMatchObject({ enforced: true, ipPolicies: [third, first] });
    expect(await restrictions.update(id, { metadata: "m" })).toEqual({
      ...turned,
      metadata: "m",
      ...("version" in turned && { version: 3, updatedAt: expect.any(String) }),
    });
    expect(await restrictions.update(id, { enforced: false })).toMatchObject({
      enforced: false,
      ipPolicies: [third, first],
    });
    const kept = await restrictions.update(id, { ipPolicyIds: null });
    expect(kept.ipPolicies).toEqual([third, first]);
  });

  it("takes 100 IP policies and refuses 101", async () => {
    const ids = await policies(101);
    const { ipPolicies } = await restrictions.create({
      type: "api",
      ipPolicyIds: ids.slice(0, 100),
    });
    expect(ipPolicies).toEqual(ids.slice(0, 100));
    await expect(restrictions.create({ type: "api", ipPolicyIds: ids })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: { ipPolicyIds: "must have at most 100 items, and has 101" },
    });
  });

  it("refuses IP policies that do not exist, stand twice or are something else, all at once", async () => {
    const known = await policy();
    const { id } = await restrictions.create({ type: "agent", ipPolicyIds: [known] });
    const ipPolicyIds = [known, MISSING, known, id];
    const refusal = {
      code: "INVALID_REQUEST",
      issues: {
        "ipPolicyIds.1": `refers to "${MISSING}", which does not exist`,
        "ipPolicyIds.2": "is given twice",
        "ipPolicyIds.3":
          "is the id of an IP restriction, and must be an id of the kind IP policy (ipp_…)",
      },
    };
    await expect(restrictions.create({ type: "agent", ipPolicyIds })).rejects.toMatchObject(
      refusal,
    );
    await expect(restrictions.update(id, { ipPolicyIds })).rejects.toMatchObject(refusal);
    await expect(restrictions.update(id, { ipPolicyIds: [MISSING] })).rejects.toMatchObject({
      issues: { "ipPolicyIds.0": `refers to "${MISSING}", which does not exist` },
    });
    expect((await restrictions.get(id)).ipPolicies).toEqual([known]);
  });

  it("keeps its IP policies from being deleted, until it has them no more", async () => {
    const drive = transport.drive(server, ipPolicy);
    const [first = "", second = ""] = await policies(2);
    const { id } = await restrictions.create({ type: "endpoints", ipPolicyIds: [first, second] });
    await expect(drive.remove(first)).rejects.toMatchObject({
      code: "IN_USE",
      message: expect.stringContaining(id),
      issues: { "usedBy.0": `IP restriction ${id}` },
    });
    await restrictions.update(id, { ipPolicyIds: [second] });
    await drive.remove(first);
    await restrictions.remove(id);
    await drive.remove(second);
  });
});

describe("IP restrictions over REST", () => {
  const path = "/ip_restrictions";

  it("shows every field, in the order of the contract, with references to the policies", async () => {
    const [first, second] = await policies(2);
    const body = { type: "dashboard", ip_policy_ids: [second, first] };
    const created = await rest(server, "POST", path, body);
    expect(created.status).toBe(201);
    const { id, created_at } = created.body;
    expect(JSON.stringify(created.body)).toBe(
      JSON.stringify({
        id,
        uri: `${server.url}${path}/${id}`,
        created_at,
        description: "",
        metadata: "",
        enforced: false,
        type: "dashboard",
        ip_policies: [second, first].map((id) => ({ id, uri: `${server.url}/ip_policies/${id}` })),
      }),
    );
    const list = await rest(server, "GET", `${path}?limit=1`);
    expect(list.body).toMatchObject({ ip_restrictions: [created.body], uri: server.url + path });
  });

  it.each([null, "", false])("takes %j for enforced as not enforced", async (enforced) => {
    const body = { type: "api", enforced, ip_policy_ids: [await policy()] };
    expect((await rest(server, "POST", path, body)).body.enforced).toBe(false);
  });

  it("leaves the IP policies in an update with an empty list, as typed clients send it", async () => {
    const ids = await policies(2);
    const { body } = await rest(server, "POST", path, {
      type: "api",
      enforced: true,
      ip_policy_ids: ids,
    });
    for (const empty of [[], null, undefined]) {
      const answer = await rest(server, "PATCH", `${path}/${body.id}`, {
        id: body.id,
        enforced: null,
        ip_policy_ids: empty,
      });
      expect(answer).toMatchObject({ status: 200, body });
    }
  });

  it.each<[Fields, Fields]>([
    [{}, { type: "is required", ip_policy_ids: "is required" }],
    [{ type: "api", ip_policy_ids: [] }, { ip_policy_ids: "must have at least 1 item" }],
    [{ type: "", ip_policy_ids: null }, { type: expect.stringMatching(/^must be one of "api"/) }],
    [{ type: "user", enforced: "yes" }, { enforced: "must be true or false" }],
  ])("refuses to create with %j", async (body, details) => {
    const answer = await rest(server, "POST", path, body);
    expect(answer).toMatchObject({ status: 400, body: { details } });
  });

  it("refuses a type in an update", async () => {
    const created = await rest(server, "POST", path, {
      type: "api",
      ip_policy_ids: [await policy()],
    });
    const answer = await rest(server, "PATCH", `${path}/${created.body.id}`, { type: "agent" });
    expect(answer).toMatchObject({ status: 400, body: { details: { type: expect.any(String) } } });
  });
});

describe("IP restrictions over GraphQL", () => {
  it("refuses an empty list in an update", async () => {
    const drive = transports[1]?.drive(server, ipRestriction);
    const { id } = (await drive?.create({ type: "api", ipPolicyIds: [await policy()] })) ?? {};
    await expect(drive?.update(id, { ipPolicyIds: [] })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: { ipPolicyIds: "must have at least 1 item" },
    });
  });

  it("leads from policies to restrictions and back in as many statements for many as for one", async () => {
    const shared = await policies(3);
    for (let i = 0; i < 3; i++) {
      const [driver] = transports;
      await driver?.drive(server, ipRestriction).create({ type: "api", ipPolicyIds: shared });
    }
    const query = `query($first: Int) { ipPolicies(first: $first) { nodes { id ipRestrictions(first: 2) {
      totalCount pageInfo { hasNextPage endCursor } nodes { type ipPolicies { id } } } } } }`;
    const count = async (first: number) =>
      (await server.statements(() => graphql(server, query, { first }))).length;
    expect([await count(1), await count(3)]).toEqual([2, 2]);
    const { ipPolicies } = await graphql(server, query, { first: 3 });
    expect(ipPolicies.nodes).toEqual(
      [...shared].reverse().map((id) => ({
        id,
        ipRestrictions: {
          totalCount: 3,
          pageInfo: { hasNextPage: true, endCursor: expect.stringMatching(/^ipx_/) },
          nodes: Array(2).fill({ type: "API", ipPolicies: shared.map((id) => ({ id })) }),
        },
      })),
    );
  });

  it("logs changes of its IP policies", async () => {
    const [first, second] = await policies(2);
    const { changes } = (
      await graphql(
        server,
        `mutation($ids: [ID!]!) { createIpRestriction(input: { type: AGENT, ipPolicyIds: $ids }) {
          changes { action type differences { path before after } } } }`,
        { ids: [second, first] },
      )
    ).createIpRestriction;
    expect(changes).toEqual([
      {
        action: "CREATED",
        type: "IP_RESTRICTION",
        differences: [
          { path: ["type"], before: null, after: "AGENT" },
          { path: ["enforced"], before: null, after: false },
          { path: ["ipPolicyIds"], before: null, after: [second, first] },
        ],
      },
    ]);
  });

  it("says what does not enforce it", async () => {
    const { __type } = await graphql(server, '{ __type(name: "IpRestriction") { description } }');
    expect(__type.description).toContain("does not itself refuse callers by it");
  });
});
