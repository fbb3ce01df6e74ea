import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SAML_METADATA } from "./harness/modules.js";
import { PUBLIC_KEY } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// Any text in any field is refused, or stored and shown unchanged: never a defect, never another text.

let server: TestServer;
let edgeId: string;
let sshCertificateAuthorityId: string;
beforeAll(async () => {
  server = await startServer();
  edgeId = (await rest(server, "POST", "/edges/https", {})).body.id;
  const authority = await rest(server, "POST", "/ssh_certificate_authorities", {});
  sshCertificateAuthorityId = authority.body.id;
});
afterAll(() => server.stop());

type Request = readonly [path: string, body: Fields];

let routes = 0;
function route(fields: Fields): Request {
  const body = { match_type: "exact_path", match: `/${routes++}`, ...fields };
  return [`/edges/https/${edgeId}/routes`, body];
}
const github = (fields: Fields) =>
  route({ oauth: { provider: { github: { client_id: "a", client_secret: "b", ...fields } } } });
const oidc = (fields: Fields) =>
  route({ oidc: { issuer: "https://a.example", client_id: "a", client_secret: "b", ...fields } });
const certificate = (fields: Fields): Request => [
  "/ssh_user_certificates",
  { ssh_certificate_authority_id: sshCertificateAuthorityId, public_key: PUBLIC_KEY, ...fields },
];
/** `{ [name]: value }`, also for `__proto__`. */
const map = (name: string, value: unknown): Fields => Object.fromEntries([[name, value]]);

const requests: Readonly<Record<string, (text: string) => Request>> = {
  principals: (text) => certificate({ principals: [text] }),
  "the comment of a public key": (text) => certificate({ public_key: `${PUBLIC_KEY} ${text}` }),
  "force-command": (text) => certificate({ critical_options: { "force-command": text } }),
  "names of critical options": (text) => certificate({ critical_options: map(text, "") }),
  "extensions' values": (text) => certificate({ extensions: { "a@example.com": text } }),
  "extensions' names": (text) => certificate({ extensions: map(`${text}@example.com`, "") }),
  valid_until: (text) => certificate({ valid_until: text || "-" }),
  metadata: (metadata) => certificate({ metadata }),
  email_addresses: (text) => github({ email_addresses: [`a${text}@example.com`] }),
  email_domains: (text) => github({ email_domains: [`${text}.example.com`] }),
  teams: (text) => github({ teams: [`acme/${text}`] }),
  scopes: (text) => github({ scopes: [text] }),
  "client_secret of OAuth": (text) => github({ client_secret: `a${text}` }),
  issuer: (text) => oidc({ issuer: `https://a.example/${text}` }),
  cookie_prefix: (text) => oidc({ cookie_prefix: `a${text}` }),
  idp_metadata: (text) => route({ saml: { idp_metadata: `${SAML_METADATA}<!-- ${text} -->` } }),
  authorized_groups: (text) =>
    route({ saml: { idp_metadata: SAML_METADATA, authorized_groups: [text] } }),
  "values of headers": (text) => route({ request_headers: { add: { "X-A": text } } }),
  "names of headers": (text) => route({ response_headers: { add: map(text, "a") } }),
  "removed headers": (text) => route({ request_headers: { remove: [text] } }),
  "webhook secrets": (text) =>
    route({ webhook_verification: { provider: "github", secret: text } }),
  "user agents": (text) => route({ user_agent_filter: { allow: [text] } }),
  "traffic policies": (text) => route({ traffic_policy: { value: `{} # ${text}` } }),
  match: (text) => route({ match: `/${routes}/${text}` }),
  hostports: (text) => ["/edges/https", { hostports: [`${text}.example.com:443`] }],
  "values of labels": (text) => ["/backends/tunnel_group", { labels: { a: text } }],
  "names of labels": (text) => ["/backends/tunnel_group", { labels: map(text, "a") }],
  "bodies of responses": (text) => ["/backends/http_response", { body: text }],
  "ids of children": (text) => ["/backends/failover", { backends: [text] }],
  "keys of weights": (text) => ["/backends/weighted", { backends: map(text, 1) }],
  owner_id: (text) => ["/api_keys", { owner_id: text }],
  "unknown fields": (text) => ["/reserved_addrs", map(text, 1)],
};

const text = fc.oneof(
  fc.constantFrom("\0", "\ud800", "\udc00\ud800", "\u202e", "\ufeff", "\u2028", "\u007f", "\u0085"),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "%00",
    "é\u0301",
    "\r\n",
    "'\"\\",
    "a".repeat(5000),
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 4 }),
);

it.each(Object.entries(requests))("%s", async (_, request) => {
  await fc.assert(
    fc.asyncProperty(text, async (given) => {
      const [path, body] = request(given);
      const created = await rest(server, "POST", path, body);
      expect([201, 400]).toContain(created.status);
      if (created.status === 400) return;
      expect(given.isWellFormed()).toBe(true);
      expect(created.body).toMatchObject(body);
      const { id, token: __, ...shown } = created.body;
      expect((await rest(server, "GET", `${path}/${id}`)).body).toMatchObject(shown);
    }),
    { numRuns: 15 },
  );
});
