import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_TARGET_BYTES, MAX_TARGETS } from "../src/domain/formats/resolution-targets.js";
import { reservedDomainInputs } from "../src/domain/reserved-domains.js";
import {
  endpointConfiguration,
  reservedAddr,
  reservedDomain,
  type TestResource,
  tlsCertificate,
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, graphql, rest, transports } from "./harness/transports.js";
import { problems } from "./modules/support.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function make(resource: TestResource, input: Fields = {}): Promise<string> {
  const [transport] = transports;
  if (!transport) throw new Error("There is no transport.");
  const required = await resource.required?.(async () => ({}));
  const { id } = await transport.drive(server, resource).create({ ...required, ...input });
  return id;
}

let names = 0;
const newDomain = () => `own-${++names}.example.com`;
const MANAGED = { authority: "letsencrypt", privateKeyType: "rsa" };

describe.each(transports)("Reserved domains over $name", (transport) => {
  let domains: Driver;
  let certificate: string;
  let http: string;
  let https: string;
  beforeAll(async () => {
    domains = transport.drive(server, reservedDomain);
    certificate = await make(tlsCertificate);
    http = await make(endpointConfiguration, { type: "http" });
    https = await make(endpointConfiguration, { type: "https" });
  });

  it("reserves a domain as it is written, and reads it back", async () => {
    const domain = `*.${newDomain().replace("own", "Own")}`;
    const created = await domains.create({
      ...{ description: "d", metadata: "m", domain, region: "eu" },
      certificateId: certificate,
      httpEndpointConfigurationId: http,
      httpsEndpointConfigurationId: https,
      errorRedirectUrl: "https://status.example.com/?from=site",
      resolvesTo: [{ value: "eu" }, { value: "global" }],
    });
    expect(created).toMatchObject({
      ...{ description: "d", metadata: "m", domain, region: "eu" },
      certificate,
      certificateManagementPolicy: null,
      httpEndpointConfiguration: http,
      httpsEndpointConfiguration: https,
      errorRedirectUrl: "https://status.example.com/?from=site",
      resolvesTo: [{ value: "eu" }, { value: "global" }],
    });
    expect(created.id).toMatch(/^rd_[0-9A-Za-z]{27}$/);
    expect(await domains.get(created.id)).toEqual(created);
  });

  it("reserves a domain once, whatever its case", async () => {
    const domain = newDomain();
    await domains.create({ domain });
    for (const again of [domain, domain.toUpperCase()]) {
      await expect(domains.create({ domain: again })).rejects.toMatchObject({
        code: "CONFLICT",
        message: expect.stringContaining(`The domain ${again} is already reserved.`),
        issues: { domain: "is already reserved" },
      });
    }
    const { id } = await domains.create({ domain: `*.${domain}` });
    await domains.remove(id);
    await domains.create({ domain: `*.${domain}` });
  });

  it("has defaults for a policy, and an update changes only the members that it gives", async () => {
    const { id, ...created } = await domains.create({
      domain: newDomain(),
      certificateManagementPolicy: {},
    });
    expect(created.certificateManagementPolicy).toEqual(MANAGED);
    const ecdsa = { certificateManagementPolicy: { privateKeyType: "ecdsa" } };
    const changed = await domains.update(id, ecdsa);
    expect(changed.certificateManagementPolicy).toEqual({ ...MANAGED, privateKeyType: "ecdsa" });
    expect(await domains.update(id, { certificateManagementPolicy: {} })).toEqual(changed);
  });

  it("takes no policy from an update that gives none of its members", async () => {
    const created = await domains.create({ domain: newDomain(), certificateId: certificate });
    const change = { certificateManagementPolicy: {}, certificateId: certificate };
    expect(await domains.update(created.id, change)).toEqual(created);
  });

  it("has a certificate or a policy, and not both", async () => {
    const policy = { certificateManagementPolicy: { privateKeyType: "rsa" } };
    const both = { ...policy, certificateId: certificate };
    const refusal = {
      code: "INVALID_REQUEST",
      issues: {
        certificateManagementPolicy: expect.stringMatching(
          /^excludes `certificate_?[iI]d`: give one of them$/,
        ),
      },
    };
    await expect(domains.create({ domain: newDomain(), ...both })).rejects.toMatchObject(refusal);
    const managed = await domains.create({ domain: newDomain(), ...policy });
    await expect(domains.update(managed.id, both)).rejects.toMatchObject(refusal);
    const own = { certificateId: certificate };
    await expect(domains.update(managed.id, own)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: {
        certificateId: expect.stringMatching(
          /^excludes `certificate_?[mM]anagement_?[pP]olicy`, which is set: remove that first$/,
        ),
      },
    });
    expect(await domains.get(managed.id)).toEqual(managed);
    const certified = await domains.create({ domain: newDomain(), ...own });
    await expect(domains.update(certified.id, policy)).rejects.toMatchObject({
      issues: {
        certificateManagementPolicy: expect.stringMatching(/^excludes `certificate_?[iI]d`, which/),
      },
    });
    expect(await domains.get(certified.id)).toEqual(certified);
  });

  it("takes endpoint configurations of the right type only, in create and update", async () => {
    const tcp = await make(endpointConfiguration);
    const gone = `ec_${"0".repeat(27)}`;
    const unfit = (type: string, is: string) =>
      `must be an endpoint configuration of type ${type}, and this one is of type ${is}`;
    const dangling = `refers to "${gone}", which does not exist`;
    const cases: [Fields, Fields][] = [
      [
        { httpEndpointConfigurationId: https, httpsEndpointConfigurationId: http },
        {
          httpEndpointConfigurationId: unfit("http", "https"),
          httpsEndpointConfigurationId: unfit("https", "http"),
        },
      ],
      [
        { httpEndpointConfigurationId: tcp, httpsEndpointConfigurationId: gone },
        {
          httpEndpointConfigurationId: unfit("http", "tcp"),
          httpsEndpointConfigurationId: dangling,
        },
      ],
      [
        { httpsEndpointConfigurationId: certificate, certificateId: http },
        {
          httpsEndpointConfigurationId:
            "is the id of a TLS certificate, and must be an id of the kind endpoint configuration (ec_…)",
          certificateId:
            "is the id of an endpoint configuration, and must be an id of the kind TLS certificate (cert_…)",
        },
      ],
    ];
    const { id } = await domains.create({ domain: newDomain() });
    for (const [input, issues] of cases) {
      const refusal = { code: "INVALID_REQUEST", issues };
      await expect(domains.create({ domain: newDomain(), ...input })).rejects.toMatchObject(
        refusal,
      );
      await expect(domains.update(id, input)).rejects.toMatchObject(refusal);
    }
  });

  it("reports every problem at once", async () => {
    await expect(
      domains.create({
        domain: "-.example",
        description: "x".repeat(256),
        metadata: "x".repeat(4097),
        certificateId: `cert_${"0".repeat(27)}`,
        errorRedirectUrl: "ftp://example.com",
        resolvesTo: [{ value: "" }],
      }),
    ).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      paths: [
        ...["certificateId", "description", "domain", "errorRedirectUrl"],
        ...["metadata", "resolvesTo.0.value"],
      ],
    });
  });

  it("keeps what it refers to from being deleted, and is named", async () => {
    const [own, plain] = [
      await make(tlsCertificate),
      await make(endpointConfiguration, { type: "http" }),
    ];
    const { id } = await domains.create({
      domain: newDomain(),
      certificateId: own,
      httpEndpointConfigurationId: plain,
    });
    const used: [TestResource, string][] = [
      [tlsCertificate, own],
      [endpointConfiguration, plain],
    ];
    for (const [resource, target] of used) {
      await expect(transport.drive(server, resource).remove(target)).rejects.toMatchObject({
        code: "IN_USE",
        issues: { "usedBy.0": `reserved domain ${id}` },
      });
    }
    await domains.remove(id);
    for (const [resource, target] of used) await transport.drive(server, resource).remove(target);
  });
});

describe("Reserved domains over GraphQL", () => {
  const update = async (id: string, input: Fields) => {
    const data = await graphql(
      server,
      `mutation($id: ID!, $input: UpdateReservedDomainInput!) {
        updateReservedDomain(id: $id, input: $input) { reservedDomain {
          region certificate { id } certificateManagementPolicy { authority privateKeyType }
          httpEndpointConfiguration { id } errorRedirectUrl resolvesTo { value } } } }`,
      { id, input },
    );
    return data.updateReservedDomain.reservedDomain;
  };

  it("replaces a certificate by a policy and back in one request, by null for the other", async () => {
    const certificateId = await make(tlsCertificate);
    const id = await make(reservedDomain, { certificateId });
    const managed = await update(id, {
      certificateId: null,
      certificateManagementPolicy: { privateKeyType: "ECDSA" },
    });
    expect(managed).toMatchObject({
      certificate: null,
      certificateManagementPolicy: { authority: "LETSENCRYPT", privateKeyType: "ECDSA" },
    });
    const own = await update(id, { certificateId, certificateManagementPolicy: null });
    expect(own).toMatchObject({
      certificate: { id: certificateId },
      certificateManagementPolicy: null,
    });
  });

  it("clears everything with null", async () => {
    const httpEndpointConfigurationId = await make(endpointConfiguration, { type: "http" });
    const id = await make(reservedDomain, {
      certificateManagementPolicy: {},
      httpEndpointConfigurationId,
      errorRedirectUrl: "http://example.com",
      resolvesTo: [{ value: "eu" }],
    });
    const cleared = await update(id, {
      certificateManagementPolicy: null,
      httpEndpointConfigurationId: null,
      errorRedirectUrl: null,
      resolvesTo: null,
    });
    expect(cleared).toEqual({
      region: null,
      certificate: null,
      certificateManagementPolicy: null,
      httpEndpointConfiguration: null,
      errorRedirectUrl: "",
      resolvesTo: [],
    });
  });

  it("takes an empty list of targets for what it is", async () => {
    const id = await make(reservedDomain, { resolvesTo: [{ value: "eu" }] });
    expect(await update(id, { resolvesTo: [] })).toMatchObject({ resolvesTo: [] });
  });

  it("leads from certificates and endpoint configurations to their domains and back, in two statements", async () => {
    const certificateId = await make(tlsCertificate);
    const https = await make(endpointConfiguration, { type: "https" });
    const made: string[] = [];
    for (let i = 0; i < 3; i++) {
      const input = { certificateId, httpsEndpointConfigurationId: https };
      made.unshift(await make(reservedDomain, input));
    }
    let data: Fields = {};
    const sent = await server.statements(async () => {
      data = await graphql(
        server,
        `query($certificate: ID!, $configuration: ID!) {
          tlsCertificate(id: $certificate) { reservedDomains(first: 2) {
            totalCount nodes { id certificate { id } } } }
          endpointConfiguration(id: $configuration) {
            httpReservedDomains { totalCount }
            httpsReservedDomains(first: 2, orderBy: { field: DOMAIN, direction: DESC }) {
              totalCount nodes { httpsEndpointConfiguration { id } } } } }`,
        { certificate: certificateId, configuration: https },
      );
    });
    expect(data.tlsCertificate.reservedDomains).toEqual({
      totalCount: 3,
      nodes: made.slice(0, 2).map((id) => ({ id, certificate: { id: certificateId } })),
    });
    expect(data.endpointConfiguration).toEqual({
      httpReservedDomains: { totalCount: 0 },
      httpsReservedDomains: {
        totalCount: 3,
        nodes: [0, 1].map(() => ({ httpsEndpointConfiguration: { id: https } })),
      },
    });
    // The key, and one for each root field.
    expect(sent).toHaveLength(3);
  });

  it("says in a change which fields of a policy differ", async () => {
    const id = await make(reservedDomain, { certificateManagementPolicy: {} });
    const { updateReservedDomain } = await graphql(
      server,
      `mutation($id: ID!) { updateReservedDomain(id: $id, input: {
        certificateManagementPolicy: { privateKeyType: ECDSA } }) {
        changes { label differences { path before after } } } }`,
      { id },
    );
    expect(updateReservedDomain.changes).toEqual([
      {
        label: expect.stringMatching(/^site-\d+\.example\.com$/),
        differences: [
          {
            path: ["certificateManagementPolicy", "privateKeyType"],
            before: "RSA",
            after: "ECDSA",
          },
        ],
      },
    ]);
  });
});

describe("Reserved domains over REST", () => {
  const path = "/reserved_domains";
  const create = async (body: Fields) => (await rest(server, "POST", path, body)).body;

  it("show exactly these fields, in this order, and unset ones as clients expect them", async () => {
    const domain = newDomain();
    const body = await create({ domain, region: "", certificate_id: "", error_redirect_url: "" });
    expect(Object.entries(body)).toEqual([
      ["id", body.id],
      ["uri", `${server.url}${path}/${body.id}`],
      ["created_at", body.created_at],
      ["description", ""],
      ["metadata", ""],
      ["domain", domain],
      ["region", ""],
      ["cname_target", null],
      ["http_endpoint_configuration", null],
      ["https_endpoint_configuration", null],
      ["certificate", null],
      ["certificate_management_policy", null],
      ["certificate_management_status", null],
      ["acme_challenge_cname_target", null],
      ["error_redirect_url", ""],
      ["resolves_to", []],
    ]);
  });

  it("show what they refer to as references", async () => {
    const certificate = await make(tlsCertificate);
    const https = await make(endpointConfiguration, { type: "https" });
    const body = await create({
      domain: newDomain(),
      certificate_id: certificate,
      https_endpoint_configuration_id: https,
    });
    expect(body).toMatchObject({
      certificate: { id: certificate, uri: `${server.url}/tls_certificates/${certificate}` },
      https_endpoint_configuration: {
        id: https,
        uri: `${server.url}/endpoint_configurations/${https}`,
      },
    });
  });

  it("keep what a PATCH gives as null, empty list, empty id or empty policy", async () => {
    const created = await create({
      domain: newDomain(),
      resolves_to: [{ value: "eu" }],
      certificate_management_policy: { private_key_type: "ecdsa" },
      error_redirect_url: "https://example.com",
    });
    const one = `${path}/${created.id}`;
    for (const body of [
      {},
      { resolves_to: [] },
      { resolves_to: null, certificate_management_policy: null, error_redirect_url: null },
      { certificate_id: "", certificate_management_policy: {} },
      { certificate_management_policy: { authority: "", private_key_type: "" } },
      { certificate_management_policy: { authority: null, private_key_type: null } },
      { id: created.id, description: null },
    ]) {
      expect((await rest(server, "PATCH", one, body)).body).toEqual(created);
    }
    const { body } = await rest(server, "PATCH", one, { error_redirect_url: "" });
    expect(body).toEqual({ ...created, error_redirect_url: "" });
  });

  it("take the domain by its older name, and name the problems by it", async () => {
    const name = newDomain();
    expect(await create({ name, region: "eu" })).toMatchObject({ domain: name, region: "eu" });
    expect(await create({ name: "ignored", domain: newDomain() })).toHaveProperty("id");
    const again = await rest(server, "POST", path, { name: name.toUpperCase() });
    expect(again).toMatchObject({
      status: 409,
      body: { error_code: "ERR_CONFLICT", details: { name: "is already reserved" } },
    });
    const refused = await rest(server, "POST", path, {
      name: "not a name",
      domain: "",
      certificate_id: `cert_${"0".repeat(27)}`,
    });
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body.details).sort()).toEqual([
      "certificate_id",
      "name",
      "operation_id",
    ]);
    const missing = await rest(server, "POST", path, {});
    expect(missing.body.details).toMatchObject({ domain: "is required" });
    const both = await rest(server, "POST", path, { name: newDomain(), domain: "-" });
    expect(Object.keys(both.body.details).sort()).toEqual(["domain", "operation_id"]);
  });

  it("change neither the domain nor the region", async () => {
    const created = await create({ domain: newDomain(), region: "eu" });
    const body = { domain: newDomain(), region: "us" };
    const { details } = (await rest(server, "PATCH", `${path}/${created.id}`, body)).body;
    expect(Object.keys(details).sort()).toEqual(["domain", "operation_id", "region"]);
    const renamed = { name: newDomain() };
    const refused = (await rest(server, "PATCH", `${path}/${created.id}`, renamed)).body;
    expect(refused.details.name).toMatch(/^is not a supported field/);
    const region = await rest(server, "POST", path, { domain: newDomain(), region: "mars" });
    expect(region.body.details.region).toMatch(/^must be one of "au", "eu"/);
  });

  it.each([
    ["certificate", async () => ({ certificate_id: await make(tlsCertificate) })],
    [
      "certificate_management_policy",
      async () => ({ certificate_management_policy: { private_key_type: "rsa" } }),
    ],
    [
      "http_endpoint_configuration",
      async () => ({
        http_endpoint_configuration_id: await make(endpointConfiguration, { type: "http" }),
      }),
    ],
    [
      "https_endpoint_configuration",
      async () => ({
        https_endpoint_configuration_id: await make(endpointConfiguration, { type: "https" }),
      }),
    ],
  ])("clear at a path of its own, again and again: %s", async (name, given) => {
    const created = await create({ domain: newDomain(), ...(await given()) });
    expect(created[name]).not.toBeNull();
    const one = `${path}/${created.id}`;
    for (let times = 0; times < 2; times++) {
      expect((await rest(server, "DELETE", `${one}/${name}`)).status).toBe(204);
      expect((await rest(server, "GET", one)).body).toEqual({ ...created, [name]: null });
    }
    expect((await rest(server, "DELETE", `${path}/rd_0/${name}`)).status).toBe(404);
  });

  it("replace a certificate by a policy in two requests", async () => {
    const certificate_id = await make(tlsCertificate);
    const { id } = await create({ domain: newDomain(), certificate_id });
    const policy = { certificate_management_policy: { private_key_type: "ecdsa" } };
    const both = { certificate_id: null, ...policy };
    expect((await rest(server, "PATCH", `${path}/${id}`, both)).status).toBe(400);
    await rest(server, "DELETE", `${path}/${id}/certificate`);
    const { body } = await rest(server, "PATCH", `${path}/${id}`, policy);
    expect(body.certificate_management_policy).toEqual({
      authority: "letsencrypt",
      private_key_type: "ecdsa",
    });
  });
});

describe("the rules of a reserved domain", () => {
  const domain = "a.example";
  const problemsOf = (input: object) => problems(reservedDomainInputs.create, { domain, ...input });

  it("take every DNS name, with and without a wildcard", () => {
    fc.assert(
      fc.property(fc.domain(), (name) => {
        expect(problemsOf({ domain: name })).toEqual({});
        if (name.length <= 251) expect(problemsOf({ domain: `*.${name}` })).toEqual({});
      }),
    );
  });

  it.each([
    ...["", "*", "*.", "a.*", "*.*.example", "a..example", ".example", "example."],
    ...["-a.example", "a b.example", "münchen.example", "a.example:443", "192.0.2.1", "[::1]"],
    ...["https://a.example", "a.example/", `${"a".repeat(64)}.example`, `${"a.".repeat(126)}abc`],
  ])("refuse what is no DNS name: %j", (name) => {
    expect(Object.keys(problemsOf({ domain: name }))).toEqual(["domain"]);
  });

  it("take every http and https URL for errors, and no other", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        expect(problemsOf({ errorRedirectUrl: url })).toEqual({});
      }),
    );
    for (const errorRedirectUrl of ["", null, undefined, "HTTPS://Example.com"]) {
      expect(problemsOf({ errorRedirectUrl })).toEqual({});
    }
    for (const errorRedirectUrl of [
      ...["example.com", "/error", "ftp://example.com", "javascript:alert(1)", "https:example.com"],
      ...["https://", "https://a b", " https://a.example", "https://a.example\n", "https:\\\\a"],
      ...["https://a.example/\u0007", "http://[::1", `https://a.example/${"x".repeat(8192)}`],
    ]) {
      expect([errorRedirectUrl, Object.keys(problemsOf({ errorRedirectUrl }))]).toEqual([
        errorRedirectUrl,
        ["errorRedirectUrl"],
      ]);
    }
  });

  it("take a limited number of targets of a limited size", () => {
    const target = { value: "é".repeat(MAX_TARGET_BYTES >> 1) };
    expect(problemsOf({ resolvesTo: Array(MAX_TARGETS).fill(target) })).toEqual({});
    expect(problemsOf({ resolvesTo: Array(MAX_TARGETS + 1).fill(target) })).toEqual({
      resolvesTo: `must have at most ${MAX_TARGETS} items, and has ${MAX_TARGETS + 1}`,
    });
    const long = { value: "x".repeat(MAX_TARGET_BYTES + 1) };
    expect(
      Object.keys(problemsOf({ resolvesTo: [target, long, {}, { value: "a", b: 1 }] })),
    ).toEqual(["resolvesTo.1.value", "resolvesTo.2.value", "resolvesTo.3.b"]);
  });

  const certificateId = fc.constantFrom(undefined, null, "", `cert_${"0".repeat(27)}`);
  const member = <Value>(values: readonly Value[]) =>
    fc.constantFrom(undefined, null, "", ...values);
  const policy = fc.option(
    fc.record({ authority: member(["letsencrypt"]), privateKeyType: member(["rsa", "ecdsa"]) }),
  );

  it("refuse a certificate and a policy together, and neither alone", () => {
    fc.assert(
      fc.property(certificateId, policy, (certificateId, certificateManagementPolicy) => {
        const input = { certificateId, certificateManagementPolicy };
        const isNew = certificateManagementPolicy !== null;
        const changes = Object.values(certificateManagementPolicy ?? {}).some(Boolean);
        const refused = (given: boolean) =>
          certificateId && given ? ["certificateManagementPolicy"] : [];
        expect(Object.keys(problemsOf(input))).toEqual(refused(isNew));
        expect(Object.keys(problems(reservedDomainInputs.update, input))).toEqual(refused(changes));
      }),
    );
  });
});

describe("an endpoint configuration of a reserved address", () => {
  it("still has to be of type tcp", async () => {
    const endpointConfigurationId = await make(endpointConfiguration, { type: "https" });
    await expect(make(reservedAddr, { endpointConfigurationId })).rejects.toMatchObject({
      issues: {
        endpointConfigurationId:
          "must be an endpoint configuration of type tcp, and this one is of type https",
      },
    });
  });
});
