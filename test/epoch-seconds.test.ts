import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { epochSeconds } from "../src/rest/contract/tolerances.js";
import { PUBLIC_KEY } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, graphql, rest } from "./harness/transports.js";

// Some typed clients write times as numbers, over REST alone.

const DAY = 86_400;
const NOW = Math.floor(Date.now() / 1000);

let server: TestServer;
let authority: string;
beforeAll(async () => {
  server = await startServer();
  authority = (await rest(server, "POST", "/ssh_certificate_authorities")).body.id;
});
afterAll(() => server.stop());

/** The same moment as the API shows it. */
const shown = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

describe.each([
  ["/ssh_user_certificates", DAY],
  ["/ssh_host_certificates", 365 * DAY],
])("times as numbers: %s", (path, lifetime) => {
  /** Sends times as JSON has them. */
  function create(validAfter: string, validUntil: string) {
    const body = JSON.stringify({
      ssh_certificate_authority_id: authority,
      public_key: PUBLIC_KEY,
    });
    const times = `"valid_after":${validAfter},"valid_until":${validUntil}`;
    return rest(server, "POST", path, body.replace(/\}$/, `,${times}}`));
  }

  it.each([
    ["whole seconds", "", ""],
    ["decimals of nine places", ".123000000", ".999000000"],
    ["a fraction of nothing", ".0", ".000000000"],
  ])("are seconds since 1970: %s", async (_, fraction, other) => {
    const { status, body } = await create(`${NOW - 60}${fraction}`, `${NOW + DAY}${other}`);
    expect(status).toBe(201);
    expect(body).toMatchObject({ valid_after: shown(NOW - 60), valid_until: shown(NOW + DAY) });
  });

  it("take exponents, as JSON does", async () => {
    const { body } = await create(`${(NOW - 100) / 100}e2`, `${NOW + DAY}`);
    expect(Date.parse(body.valid_after) / 1000).toBeCloseTo(NOW - 100, -1);
  });

  it.each(["0", "0.0", "-0", "0.000000000"])("are unset when they are %s", async (zero) => {
    const { status, body } = await create(zero, zero);
    expect(status).toBe(201);
    expect(Math.abs(Date.parse(body.valid_after) / 1000 - NOW)).toBeLessThan(120);
    expect((Date.parse(body.valid_until) - Date.parse(body.valid_after)) / 1000).toBe(lifetime);
  });

  it("may stand beside a text", async () => {
    const { body } = await create(`"${shown(NOW - 5)}"`, `${NOW + DAY}`);
    expect(body).toMatchObject({ valid_after: shown(NOW - 5), valid_until: shown(NOW + DAY) });
  });

  const IN_RFC_3339 = "must be a timestamp in RFC 3339, such as 2030-01-31T09:30:00Z";
  it.each([
    ["before 1970", "-1", "must be in the years 1970 to 9999"],
    ["before the year 1", "-99999999999", IN_RFC_3339],
    ["in milliseconds", `${NOW}000`, IN_RFC_3339],
    ["in nanoseconds", `${NOW}000000000`, IN_RFC_3339],
    ["huge", "1e300", IN_RFC_3339],
    ["infinite", "1e999", IN_RFC_3339],
    ["a number in a text", `"${NOW}"`, IN_RFC_3339],
    ["NaN in a text", `"NaN"`, IN_RFC_3339],
    ["Infinity in a text", `"Infinity"`, IN_RFC_3339],
    ["0 in a text", `"0"`, IN_RFC_3339],
    ["a list", `[${NOW}]`, IN_RFC_3339],
    ["true", "true", IN_RFC_3339],
  ])("are refused, like all other problems: %s", async (_, time, message) => {
    const { status, body } = await create(time, time);
    expect(status).toBe(400);
    expect(body.details).toMatchObject({
      valid_after: expect.stringContaining(message),
      valid_until: expect.stringContaining(message),
    });
  });

  it("are no inputs of an update", async () => {
    const { body } = await create("0", "0");
    const changed = await rest(server, "PATCH", body.uri, { valid_until: NOW + 2 * DAY });
    expect(changed.body.details.valid_until).toMatch(/^is not a supported field/);
  });
});

describe("times as numbers over GraphQL", () => {
  it.each(["SshUserCertificate", "SshHostCertificate"])("are refused: %s", async (type) => {
    const input: Fields = { sshCertificateAuthorityId: authority, publicKey: PUBLIC_KEY };
    for (const validUntil of [NOW + DAY, 0]) {
      const created = graphql(
        server,
        `mutation($input: Create${type}Input!) { create${type}(input: $input) { changes { resourceId } } }`,
        { input: { ...input, validUntil } },
      );
      await expect(created).rejects.toThrow(/RFC 3339/);
    }
  });
});

describe("the tolerance of numbers", () => {
  const { mend } = epochSeconds("at");

  it("cuts any number of seconds down to the one that it is in", () => {
    const seconds = fc.double({ min: 1, max: 253_402_300_799, noNaN: true });
    fc.assert(
      fc.property(seconds, (at) => {
        const { at: text } = mend({ at });
        expect(text).toBe(new Date(Math.floor(at) * 1000).toISOString());
      }),
    );
  });

  it("leaves everything else as it is", () => {
    const other = fc.anything().filter((value) => typeof value !== "number");
    fc.assert(
      fc.property(other, fc.integer(), (at, number) => {
        expect(mend({ at, number })).toEqual({ at, number });
      }),
    );
  });
});
