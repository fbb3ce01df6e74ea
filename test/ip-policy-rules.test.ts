import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createIpPolicy } from "../src/domain/ip-policies.js";
import { ipPolicyRule } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function policy(): Promise<string> {
  return (await createIpPolicy(server.context, {})).id;
}

describe.each(transports)("IP policy rules over $name", (transport) => {
  let rules: Driver;
  let ipPolicyId: string;
  beforeAll(async () => {
    rules = transport.drive(server, ipPolicyRule);
    ipPolicyId = await policy();
  });

  it.each([
    ["allow", "192.0.2.0/24"],
    ["deny", "2001:db8::/32"],
  ])("creates a rule that says %s %s and reads it back", async (action, cidr) => {
    const created = await rules.create({ description: "office", cidr, action, ipPolicyId });
    expect(created).toMatchObject({
      description: "office",
      metadata: "",
      cidr,
      action,
      ipPolicy: ipPolicyId,
    });
    expect(created.id).toMatch(/^ipr_[0-9A-Za-z]{27}$/);
    expect(await rules.get(created.id)).toEqual(created);
  });

  it("changes the network and the texts, and only what an update names", async () => {
    const created = await rules.create({ cidr: "10.0.0.0/8", action: "deny", ipPolicyId });
    expect(await rules.update(created.id, { cidr: "10.0.0.0/9" })).toMatchObject({
      cidr: "10.0.0.0/9",
      action: "deny",
      description: "",
    });
    expect(await rules.update(created.id, { metadata: "m" })).toMatchObject({
      cidr: "10.0.0.0/9",
      metadata: "m",
    });
    await rules.remove(created.id);
    await expect(rules.get(created.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("refuses the same network twice in one policy, and takes it in another", async () => {
    const cidr = "198.51.100.0/24";
    const rule = { cidr, action: "allow", ipPolicyId };
    await rules.create(rule);
    const refusal = {
      code: "CONFLICT",
      issues: { cidr: "is the network of another rule of this IP policy" },
    };
    await expect(rules.create({ ...rule, action: "deny" })).rejects.toMatchObject(refusal);
    const other = await rules.create({ ...rule, cidr: "198.51.100.0/25" });
    await expect(rules.update(other.id, { cidr })).rejects.toMatchObject(refusal);
    expect((await rules.get(other.id)).cidr).toBe("198.51.100.0/25");
    const elsewhere = await rules.create({ ...rule, ipPolicyId: await policy() });
    expect(elsewhere.cidr).toBe(cidr);
  });

  it("reports every problem at once", async () => {
    const missing = `ipp_${"0".repeat(27)}`;
    await expect(
      rules.create({
        description: "x".repeat(256),
        cidr: "10.0.0.1/8",
        action: "allow",
        ipPolicyId: missing,
      }),
    ).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: {
        description: "must have at most 255 bytes of UTF-8, and has 256",
        cidr: "must begin with the lowest address of its network: 10.0.0.0/8",
        ipPolicyId: `refers to "${missing}", which does not exist`,
      },
    });
    const { id } = await rules.create({ cidr: "10.1.0.0/16", action: "allow", ipPolicyId });
    await expect(
      rules.create({ cidr: "10.2.0.0/16", action: "allow", ipPolicyId: id }),
    ).rejects.toMatchObject({
      issues: {
        ipPolicyId:
          "is the id of an IP policy rule, and must be an id of the kind IP policy (ipp_…)",
      },
    });
  });
});

describe("IP policy rules", () => {
  it("shows the policy over REST as a reference", async () => {
    const id = await policy();
    const { body } = await rest(server, "POST", "/ip_policy_rules", {
      cidr: "10.0.0.0/8",
      action: "allow",
      ip_policy_id: id,
    });
    expect(body.ip_policy).toEqual({ id, uri: `${server.url}/ip_policies/${id}` });
  });

  it("requires network, policy and action", async () => {
    const { status, body } = await rest(server, "POST", "/ip_policy_rules");
    expect(status).toBe(400);
    expect(body.details).toMatchObject({
      cidr: "is required",
      ip_policy_id: "is required",
      action: "is required",
    });
  });
});
