import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authorityPem, serverPair } from "../harness/certificates.js";
import { SAML_METADATA } from "../harness/modules.js";
import { PUBLIC_KEY } from "../harness/resources.js";
import { startServer, type TestServer } from "../harness/server.js";
import { decoderOf, SHAPES, type ShapeName } from "./decoders.js";
import { dotnet } from "./dotnet.js";
import { go } from "./go.js";
import { java } from "./java.js";
import { npm } from "./npm.js";
import { python } from "./python.js";
import { replay } from "./replay.js";
import { ruby } from "./ruby.js";
import { rust } from "./rust.js";
import { terraform } from "./terraform.js";

// What each client of the original service sends, request by request (wire facts, Part 3), and whether it can decode
// the answers.

let server: TestServer;
beforeAll(async () => {
  // Fixtures name years, which are to stay in the future.
  server = await startServer({ maxCertificateLifetime: 100 * 365 * 86_400 });
});
afterAll(() => server.stop());

const clients = [go, npm, python, ruby, java, dotnet, rust, terraform].flat();

for (const client of clients) {
  replay(
    client,
    () => server,
    async () => {
      const { certificatePem, privateKeyPem } = await serverPair();
      return {
        pem: await authorityPem(),
        server_pem: certificatePem,
        server_key: privateKeyPem,
        saml: SAML_METADATA,
        public_key: PUBLIC_KEY,
      };
    },
  );
}

describe("the tables of all clients", () => {
  it("have every resource and module", () => {
    const used = new Set(clients.flatMap(({ steps }) => steps.map(([, , decodes]) => decodes)));
    const names = Object.keys(SHAPES) as ShapeName[];
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });

  it("have refusals too", () => {
    for (const { name, steps } of clients) {
      expect([name, steps.some(([, status]) => status >= 400)]).toEqual([name, true]);
    }
  });
});

describe("the decoders", () => {
  const strictest = { absent: "required", null: "any" } as const;
  const edge = {
    ...{ id: "a", uri: "http://a/b", created_at: "2026-01-02T03:04:05Z" },
    ...{ description: "", metadata: "", hostports: [], routes: [] },
  };

  it.each([
    [strictest, {}, true],
    [strictest, { tls_termination: null }, true],
    [strictest, { routes: null }, false],
    [strictest, { description: undefined }, false],
    [strictest, { created_at: "2026-01-02T03:04:05.678Z" }, false],
    [strictest, { created_at: "2026-01-02T03:04:05+00:00" }, false],
    [strictest, { uri: "/edges/https/a" }, false],
    [strictest, { mutual_tls: { certificate_authorities: [{ id: "a" }] } }, false],
    [{ absent: "any", null: "lists" }, {}, false],
    [{ absent: "any", null: "lists" }, { mutual_tls: null, tls_termination: null }, true],
    [{ absent: "none", null: "none" }, { routes: null, id: undefined }, true],
    [{ absent: "none", null: "none" }, { id: 5 }, false],
    [{ absent: "none", null: "lists" }, { routes: null }, false],
  ] as const)("are as strict as is said: %j with %j", (strictness, change, isDecoded) => {
    const { success } = decoderOf("https_edge", strictness).safeParse({ ...edge, ...change });
    expect(success).toBe(isDecoded);
  });
});
