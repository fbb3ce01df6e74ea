import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReservedAddr } from "../src/domain/reserved-addrs.js";
import { SAML_METADATA } from "./harness/modules.js";
import { certificateAuthority, endpointConfiguration } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, rest, transports } from "./harness/transports.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const MODULES = [
  ...["circuit_breaker", "compression", "request_headers", "response_headers", "ip_policy"],
  ...["mutual_tls", "tls_termination", "webhook_validation", "oauth", "logging", "saml", "oidc"],
];

describe.each(transports)("Endpoint configurations over $name", (transport) => {
  let configurations: Driver;
  beforeAll(() => {
    configurations = transport.drive(server, endpointConfiguration);
  });

  it.each(["http", "https", "tcp"])("creates one of type %s and reads it back", async (type) => {
    const created = await configurations.create({ type, description: "d" });
    expect(created).toMatchObject({ type, description: "d", metadata: "" });
    expect(created.id).toMatch(/^ec_[0-9A-Za-z]{27}$/);
    expect(await configurations.get(created.id)).toEqual(created);
  });

  it("refuses to delete one in use and names up to five users", async () => {
    const { id } = await configurations.create({ type: "tcp" });
    const users: string[] = [];
    for (let i = 0; i < 6; i++) {
      const addr = await createReservedAddr(server.context, {
        region: "us",
        endpointConfigurationId: id,
      });
      users.unshift(addr.id);
    }
    const refused = configurations.remove(id);
    await expect(refused).rejects.toMatchObject({
      code: "IN_USE",
      message: expect.stringContaining(`${users.slice(0, 5).join(", ")} and more`),
      issues: { "usedBy.0": `reserved address ${users[0]}` },
    });
    await server.context.db.reservedAddr.deleteMany({ where: { endpointConfigurationId: id } });
    await configurations.remove(id);
    await expect(configurations.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("Endpoint configurations over REST", () => {
  it.each([
    [{}, "is required"],
    [{ type: "udp" }, 'must be one of "http", "https", "tcp"'],
    [{ type: "" }, 'must be one of "http", "https", "tcp"'],
  ])("refuses the type of %j", async (body, type) => {
    expect(await rest(server, "POST", "/endpoint_configurations", body)).toMatchObject({
      status: 400,
      body: { error_code: "ERR_INVALID_REQUEST", details: { type } },
    });
  });

  it("refuses a type in an update", async () => {
    const { body } = await rest(server, "POST", "/endpoint_configurations", { type: "tcp" });
    const path = `/endpoint_configurations/${body.id}`;
    expect(await rest(server, "PATCH", path, { type: "http" })).toMatchObject({
      status: 400,
      body: { details: { type: expect.stringContaining("is not a supported field") } },
    });
  });

  const create = async (body: object = {}) =>
    (await rest(server, "POST", "/endpoint_configurations", { type: "https", ...body })).body;

  it("show every module, null where it is not set, by the names of older clients", async () => {
    const modules = Object.fromEntries(MODULES.map((name) => [name, null]));
    expect(await create()).toMatchObject(modules);
  });

  it("take the names of older clients in bodies, and refuse those of routes", async () => {
    const policy = (await rest(server, "POST", "/ip_policies", {})).body;
    const given = {
      ip_policy: { ip_policy_ids: [policy.id] },
      webhook_validation: { provider: "stripe", secret: "whsec_1" },
      logging: { enabled: false, event_stream_ids: [] },
    };
    const shown = {
      ip_policy: {
        enabled: true,
        ip_policies: [{ id: policy.id, uri: `${server.url}/ip_policies/${policy.id}` }],
      },
      webhook_validation: { enabled: true, provider: "stripe", secret: "whsec_1" },
      logging: { enabled: false, event_streams: [] },
    };
    const { id, ...created } = await create(given);
    expect(created).toMatchObject(shown);
    expect((await rest(server, "GET", `/endpoint_configurations/${id}`)).body).toMatchObject(shown);
    const refused = await create({ ip_restriction: given.ip_policy });
    expect(refused.details.ip_restriction).toMatch(
      /^is not a supported field; supported are .*`ip_policy`/,
    );
    expect(refused.details.ip_restriction).not.toContain("`ip_restriction`");
  });

  it("name problems as the caller spelled the fields", async () => {
    const { details } = await create({
      ip_policy: { ip_policy_ids: ["ipp_nobody", "nonsense"] },
      webhook_validation: { provider: "nobody" },
      logging: { event_stream_ids: ["es_1"] },
    });
    expect(details).toMatchObject({
      "ip_policy.ip_policy_ids.0": 'refers to "ipp_nobody", which does not exist',
      "ip_policy.ip_policy_ids.1": expect.stringContaining("must be an id"),
      "webhook_validation.provider": expect.stringContaining("must be a supported provider"),
      "logging.event_stream_ids": "must be empty: there are no event streams here",
    });
  });

  it.each([["bare"], ["wrapped"]])("put, get and delete a module that is %s", async (form) => {
    const { id } = await create();
    const path = `/endpoint_configurations/${id}/webhook_validation`;
    const module = { provider: "sns" };
    const body = form === "bare" ? module : { module };
    const shown = { enabled: true, provider: "sns", secret: "" };
    expect(await rest(server, "GET", path)).toMatchObject({
      status: 404,
      body: { msg: expect.stringContaining("`webhook_validation`") },
    });
    expect(await rest(server, "PUT", path, body)).toMatchObject({ status: 200, body: shown });
    expect(await rest(server, "GET", path)).toMatchObject({ status: 200, body: shown });
    expect((await rest(server, "DELETE", path)).status).toBe(204);
    expect((await rest(server, "DELETE", path)).status).toBe(204);
    expect((await rest(server, "GET", path)).status).toBe(404);
    const wrong = await rest(server, "PUT", `/endpoint_configurations/${id}/ip_policy`, {});
    expect(wrong.body.details).toMatchObject({ ip_policy_ids: "is required" });
  });

  it.each(MODULES)("serve the module %s at a path of its own", async (module) => {
    const { id } = await create();
    const path = `/endpoint_configurations/${id}/${module}`;
    expect((await rest(server, "DELETE", path)).status).toBe(204);
  });
});

describe.each(transports)("The modules of endpoint configurations over $name", (transport) => {
  it("have one kind of login, and mutual TLS only where TLS is terminated at the edge", async () => {
    const configurations = transport.drive(server, endpointConfiguration);
    const oidc = { issuer: "https://id.example.com", clientId: "id", clientSecret: "secret" };
    const saml = { idpMetadata: SAML_METADATA };
    const refused = configurations.create({ type: "https", oidc, saml });
    await expect(refused).rejects.toMatchObject({ paths: ["oidc", "saml"] });
    const { id } = await configurations.create({ type: "https", oidc });
    await expect(configurations.update(id, { saml })).rejects.toMatchObject({ paths: ["saml"] });

    const required = await certificateAuthority.required?.(() => Promise.resolve({}));
    const authority = await transport.drive(server, certificateAuthority).create(required);
    const mutualTls = { certificateAuthorityIds: [authority.id] };
    const upstream = { terminateAt: "upstream" };
    const contradiction = { type: "https", mutualTls, tlsTermination: upstream };
    await expect(configurations.create(contradiction)).rejects.toMatchObject({
      paths: ["mutualTls"],
    });
    await configurations.update(id, { mutualTls });
    const removal = transport.drive(server, certificateAuthority).remove(authority.id);
    await expect(removal).rejects.toMatchObject({
      code: "IN_USE",
      issues: { "usedBy.0": `endpoint configuration ${id}` },
    });
  });
});
