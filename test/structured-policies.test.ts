import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// Traffic policies as older clients of REST give them: JSON with a name of its own.

let server: TestServer;
let edge: string;
beforeAll(async () => {
  server = await startServer();
  edge = (await rest(server, "POST", "/edges/https", {})).body.id;
});
afterAll(() => server.stop());

interface Owner {
  readonly title: string;
  readonly path: () => string;
  /** What a body of a create has besides. */
  readonly required: () => Fields;
  /** The phases of `policy` that it has. */
  readonly phases: readonly string[];
}

let matches = 0;
const owners: readonly Owner[] = [
  {
    title: "a route",
    path: () => `/edges/https/${edge}/routes`,
    required: () => ({ match_type: "exact_path", match: `/${++matches}` }),
    phases: ["inbound", "outbound"],
  },
  { title: "a TLS edge", path: () => "/edges/tls", required: () => ({}), phases: ["inbound"] },
  { title: "a TCP edge", path: () => "/edges/tcp", required: () => ({}), phases: ["inbound"] },
];

/** Names as users choose them: none of them is a field of ours, and none is respelled. */
const RULE = {
  name: "Keep others out",
  expressions: ["conn.ClientIP != '192.0.2.1'"],
  actions: [
    {
      type: "custom-response",
      config: {
        statusCode: 403,
        body_text: "no",
        backend_id: "bkdsc_nobody",
        headers: { X_a: "" },
      },
    },
  ],
};
const TEXT = JSON.stringify({ on_tcp_connect: [] });

describe.each(owners)("the policy of $title over REST", ({ path, required, phases }) => {
  const post = (body: object) => rest(server, "POST", path(), { ...required(), ...body });
  const create = async (body: object): Promise<Fields> => {
    const answer = await post(body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const pathOf = ({ id }: Fields) => `${path()}/${id}`;
  const policy = Object.fromEntries(phases.map((phase) => [phase, [RULE]]));

  it("becomes the traffic policy, with every name in it as given, at create and at update", async () => {
    const value = JSON.stringify(policy);
    const created = await create({ policy });
    expect(created.traffic_policy).toEqual({ enabled: true, value });
    expect(created).not.toHaveProperty("policy");
    expect((await rest(server, "GET", pathOf(created))).body).toEqual(created);
    expect((await rest(server, "GET", `${pathOf(created)}/traffic_policy`)).body).toEqual({
      enabled: true,
      value,
    });
    const updated = await rest(server, "PATCH", pathOf(created), {
      policy: { enabled: false, inbound: [RULE, RULE] },
    });
    expect(updated.status).toBe(200);
    expect(updated.body).toEqual({
      ...created,
      traffic_policy: { enabled: false, value: JSON.stringify({ inbound: [RULE, RULE] }) },
    });
  });

  it("leaves things as they are when it is null, beside a traffic policy too", async () => {
    const module = { enabled: false, value: TEXT.replace("on_tcp_connect", "inbound") };
    const created = await create({ policy: null, traffic_policy: module });
    expect(created.traffic_policy).toEqual(module);
    const untouched = await rest(server, "PATCH", pathOf(created), { policy: null });
    expect(untouched.body).toEqual(created);
    expect((await create({ policy: null })).traffic_policy).toBeNull();
    const replaced = await rest(server, "PATCH", pathOf(created), { policy, traffic_policy: null });
    expect(replaced.body.traffic_policy).toEqual({ enabled: true, value: JSON.stringify(policy) });
  });

  it("may have null and empty lists for what is unset, also for a phase that is not there", async () => {
    const { traffic_policy } = await create({
      policy: {
        enabled: null,
        inbound: [{ ...RULE, name: null, expressions: null }],
        outbound: [],
      },
    });
    const { actions } = RULE;
    const value = JSON.stringify({ inbound: [{ actions }] });
    expect(traffic_policy).toEqual({ enabled: true, value });
    const empty = await create({ policy: { inbound: null, outbound: [] } });
    expect(empty.traffic_policy).toEqual({ enabled: true, value: "{}" });
  });

  it("is refused beside a traffic policy, and all else is checked all the same", async () => {
    const { status, body } = await post({
      policy,
      traffic_policy: { value: "x: [" },
      description: "é".repeat(128),
    });
    expect(status).toBe(400);
    expect(Object.keys(body.details).sort()).toEqual([
      "description",
      "operation_id",
      "policy",
      "traffic_policy.value",
    ]);
    expect(body.details.policy).toContain("`traffic_policy`");
  });

  it.each<[string, unknown]>([
    ["a text", JSON.stringify({ inbound: [RULE] })],
    ["a list", [RULE]],
    ["of other phases", { on_http_request: [RULE] }],
    ["enabled by a text", { enabled: "yes", inbound: [RULE] }],
  ])("is refused when it is %s, with the name of what takes it", async (_, given) => {
    for (const refused of [
      await post({ policy: given }),
      await rest(server, "PATCH", pathOf(await create({})), { policy: given }),
    ]) {
      expect(refused.status).toBe(400);
      expect(Object.keys(refused.body.details)).toEqual(["policy", "operation_id"]);
      expect(refused.body.details.policy).toContain("`traffic_policy`");
    }
  });

  it("has what is wrong in its rules reported, where it stands, beside other problems", async () => {
    const { status, body } = await post({
      policy: { inbound: [RULE, { name: "n", actions: [], expressions: "x" }, { actions: [{}] }] },
      backend: { backend_id: "bkdsc_nobody" },
      hostports: ["a"],
    });
    expect(status).toBe(400);
    const { operation_id, "backend.backend_id": dangling, hostports, ...details } = body.details;
    expect(dangling).toContain("does not exist");
    expect(details).toEqual({
      policy: [
        'must have rules with a non-empty list of "actions" (at inbound.1.actions)',
        'must have an array of strings as "expressions" of a rule (at inbound.1.expressions)',
        'must have actions that are mappings with a string as "type" (at inbound.2.actions.0)',
      ].join("; "),
      ...(hostports === undefined && { "hostports.0": expect.any(String) }),
    });
  });

  it("is refused when it has rules for a phase that is not there, or is too long", async () => {
    const long = { inbound: [{ ...RULE, name: "x".repeat(65_536) }] };
    const tooLong = await post({ policy: long });
    expect(tooLong.body.details.policy).toMatch(/^must have at most 65536 bytes of UTF-8/);
    if (phases.includes("outbound")) return;
    const { body } = await post({ policy: { outbound: [RULE] } });
    expect(body.details.policy).toMatch(/^must not have "outbound"; supported on a T(LS|CP) edge/);
  });

  it("had a path of its own, which names that of the traffic policy now", async () => {
    const created = await create({ policy });
    for (const method of ["PUT", "GET", "DELETE"]) {
      const { status, body } = await rest(server, method, `${pathOf(created)}/policy`);
      expect([status, body.error_code]).toEqual([404, "ERR_NOT_FOUND"]);
      expect(body.msg).toContain("`traffic_policy`");
    }
    expect((await rest(server, "GET", pathOf(created))).body).toEqual(created);
  });

  it("is stored as given, whatever JSON its actions have", async () => {
    const { id } = await create({});
    const action = fc.record({ type: fc.string({ minLength: 1 }), config: fc.jsonValue() });
    const rule = fc.record(
      { name: fc.string(), expressions: fc.array(fc.string()), actions: fc.array(action) },
      { requiredKeys: ["actions"] },
    );
    const withActions = rule.filter(({ actions }) => actions.length > 0);
    await fc.assert(
      fc.asyncProperty(fc.array(withActions, { minLength: 1, maxLength: 3 }), async (inbound) => {
        const sent: Fields = JSON.parse(JSON.stringify({ inbound }));
        const { status, body } = await rest(server, "PATCH", `${path()}/${id}`, { policy: sent });
        expect(status).toBe(200);
        expect(JSON.parse(body.traffic_policy.value)).toEqual(sent);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a policy of something else", () => {
  it("is no field, neither of HTTPS edges nor of a module", async () => {
    const policy = { inbound: [RULE] };
    const onEdge = await rest(server, "POST", "/edges/https", { policy });
    expect([onEdge.status, Object.keys(onEdge.body.details)]).toEqual([
      400,
      ["policy", "operation_id"],
    ]);
    const { id } = (await rest(server, "POST", "/edges/tls", {})).body;
    const module = await rest(server, "PUT", `/edges/tls/${id}/traffic_policy`, { policy });
    expect(module.status).toBe(400);
    expect(Object.keys(module.body.details).sort()).toEqual(["operation_id", "policy", "value"]);
  });
});
