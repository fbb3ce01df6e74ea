import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentIngress } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, graphql, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

let domains = 0;
const newDomain = () => `Ingress-${domains++}.Example.com`;

describe.each(transports)("Agent ingresses over $name", (transport) => {
  let ingresses: Driver;
  beforeAll(() => {
    ingresses = transport.drive(server, agentIngress);
  });

  it("keeps the domain as given, and manages no certificates when unspecified", async () => {
    const domain = newDomain();
    const created = await ingresses.create({ domain, description: "d", metadata: "m" });
    expect(created).toMatchObject({
      domain,
      description: "d",
      metadata: "m",
      certificateManagementPolicy: null,
    });
    expect(created.id).toMatch(/^agin_[0-9A-Za-z]{27}$/);
    expect(await ingresses.get(created.id)).toEqual(created);
  });

  it("manages certificates by the defaults for a policy without members", async () => {
    const { certificateManagementPolicy } = await ingresses.create({
      domain: newDomain(),
      certificateManagementPolicy: {},
    });
    expect(certificateManagementPolicy).toEqual({
      authority: "letsencrypt",
      privateKeyType: "rsa",
    });
  });

  it("changes of the policy what is given, and leaves it for one without members", async () => {
    const created = await ingresses.create({ domain: newDomain() });
    const update = async (policy: object | undefined) =>
      (await ingresses.update(created.id, { certificateManagementPolicy: policy }))
        .certificateManagementPolicy;
    const [rsa, ecdsa] = ["rsa", "ecdsa"].map((privateKeyType) => ({
      authority: "letsencrypt",
      privateKeyType,
    }));
    expect(await ingresses.update(created.id, { certificateManagementPolicy: {} })).toEqual(
      created,
    );
    expect(await update({ authority: "letsencrypt" })).toEqual(rsa);
    expect(await update({ privateKeyType: "ecdsa" })).toEqual(ecdsa);
    expect(await update({})).toEqual(ecdsa);
    expect(await update(undefined)).toEqual(ecdsa);
    expect(await update({ authority: "letsencrypt" })).toEqual(ecdsa);
    expect(await update({ authority: "letsencrypt", privateKeyType: "rsa" })).toEqual(rsa);
  });

  it("gives a domain to one ingress only, whatever its case", async () => {
    const domain = newDomain();
    const first = await ingresses.create({ domain });
    for (const again of [domain, domain.toUpperCase(), domain.toLowerCase()]) {
      await expect(ingresses.create({ domain: again })).rejects.toMatchObject({
        code: "CONFLICT",
        message: expect.stringContaining(`already has the domain ${again}.`),
        issues: { domain: "is the domain of another agent ingress" },
      });
    }
    await ingresses.remove(first.id);
    expect((await ingresses.create({ domain: domain.toLowerCase() })).domain).toBe(
      domain.toLowerCase(),
    );
  });

  it("gives it to one of several who ask at the same time", async () => {
    const domain = newDomain();
    const asked = Array.from({ length: 8 }, () => ingresses.create({ domain }));
    const settled = await Promise.allSettled(asked);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const each of settled) {
      if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "CONFLICT" });
    }
  });

  it.each([
    "*.example.com",
    "example.com.",
    "example.com:443",
    "https://example.com",
    "192.0.2.1",
    "[::1]",
    "",
    "a b.example",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(127)}a`,
  ])("refuses the domain %j", async (domain) => {
    await expect(ingresses.create({ domain })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: { domain: expect.stringMatching(/^must be a DNS name of at most 253 characters/) },
    });
  });
});

describe("Agent ingresses over REST", () => {
  const path = "/agent_ingresses";

  it("shows every field, in the order of the contract", async () => {
    const body = {
      domain: newDomain(),
      certificate_management_policy: { authority: "", private_key_type: "ecdsa" },
    };
    const created = await rest(server, "POST", path, body);
    expect(created.status).toBe(201);
    const { id, created_at } = created.body;
    expect(JSON.stringify(created.body)).toBe(
      JSON.stringify({
        id,
        uri: `${server.url}${path}/${id}`,
        description: "",
        metadata: "",
        domain: body.domain,
        ns_targets: [],
        region_domains: [],
        created_at,
        certificate_management_policy: { authority: "letsencrypt", private_key_type: "ecdsa" },
        certificate_management_status: null,
      }),
    );
    const list = await rest(server, "GET", `${path}?limit=1`);
    expect(list.body).toMatchObject({ ingresses: [created.body], uri: server.url + path });
  });

  it("takes null and an empty text for the policy as none, and leaves it for null in an update", async () => {
    for (const policy of [null, ""]) {
      const body = { domain: newDomain(), certificate_management_policy: policy };
      const { status, body: shown } = await rest(server, "POST", path, body);
      expect([status, shown.certificate_management_policy]).toEqual([201, null]);
    }
    const { body } = await rest(server, "POST", path, {
      domain: newDomain(),
      certificate_management_policy: {},
    });
    const unset = { authority: "", private_key_type: null };
    for (const policy of [null, {}, unset]) {
      const update = { id: body.id, certificate_management_policy: policy };
      const answer = await rest(server, "PATCH", `${path}/${body.id}`, update);
      expect(answer).toMatchObject({ status: 200, body });
    }
  });

  it("tells every problem, and refuses a domain in an update", async () => {
    const refused = await rest(server, "POST", path, {
      certificate_management_policy: { authority: "own", private_key_type: "ed25519" },
    });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        details: {
          domain: "is required",
          "certificate_management_policy.authority": 'must be "letsencrypt"',
          "certificate_management_policy.private_key_type": 'must be one of "rsa", "ecdsa"',
        },
      },
    });
    const { body } = await rest(server, "POST", path, { domain: newDomain() });
    const changed = await rest(server, "PATCH", `${path}/${body.id}`, { domain: newDomain() });
    expect(changed).toMatchObject({
      status: 400,
      body: { details: { domain: expect.anything() } },
    });
  });
});

describe("Agent ingresses over GraphQL", () => {
  it("ends the management of certificates with null, and logs it", async () => {
    const { createAgentIngress } = await graphql(
      server,
      `mutation($domain: String!) { createAgentIngress(
        input: { domain: $domain, certificateManagementPolicy: {} }) { agentIngress { id } } }`,
      { domain: newDomain() },
    );
    const { updateAgentIngress } = await graphql(
      server,
      `mutation($id: ID!) { updateAgentIngress(id: $id, input: { certificateManagementPolicy: null }) {
        agentIngress { version certificateManagementPolicy { authority } }
        changes { differences { path before after } } } }`,
      { id: createAgentIngress.agentIngress.id },
    );
    expect(updateAgentIngress).toEqual({
      agentIngress: { version: 2, certificateManagementPolicy: null },
      changes: [
        {
          differences: [
            {
              path: ["certificateManagementPolicy", "authority"],
              before: "LETSENCRYPT",
              after: null,
            },
            {
              path: ["certificateManagementPolicy", "privateKeyType"],
              before: "RSA",
              after: null,
            },
          ],
        },
      ],
    });
  });

  it("labels a change with the domain where there is no description", async () => {
    const domain = newDomain();
    const { createAgentIngress } = await graphql(
      server,
      `mutation($domain: String!) { createAgentIngress(input: { domain: $domain }) { changes { label } } }`,
      { domain },
    );
    expect(createAgentIngress.changes).toEqual([{ label: domain }]);
  });
});
