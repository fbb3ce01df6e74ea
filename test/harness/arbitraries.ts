import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { SAML_NAMEID_FORMATS } from "../../src/domain/modules/saml.js";
import { TLS_VERSIONS } from "../../src/domain/modules/tls-termination.js";
import { WEBHOOK_PROVIDERS } from "../../src/domain/modules/webhook-verification.js";
import { SAML_METADATA, TRAFFIC_POLICY } from "./modules.js";
import type { Fields } from "./transports.js";

// Any valid input of every module and resource, beside what is shown of it.

/** An input, and what a resource shows of it, in the domain's spelling. */
export interface Given {
  readonly input: Fields;
  readonly shown: Fields;
}

/** Rows that inputs refer to. */
export interface Targets {
  readonly backends: readonly string[];
  /** Those that a weighted backend takes. */
  readonly leafBackends: readonly string[];
  readonly certificateAuthorities: readonly string[];
  readonly ipPolicies: readonly string[];
  /** Of type tcp, http and https. */
  readonly endpointConfigurations: readonly string[];
  readonly httpConfigurations: readonly string[];
  readonly httpsConfigurations: readonly string[];
  readonly tlsCertificates: readonly string[];
}

/** Any text that can be stored, of at most `bytes` bytes. */
function textOf(bytes: number): fc.Arbitrary<string> {
  return fc
    .string({ unit: "binary", maxLength: Math.floor(bytes / 4) })
    .filter((text) => !text.includes("\0"));
}

/** Text of exactly so many bytes, of characters that have one to four. */
export function textOfExactly(bytes: number): fc.Arbitrary<string> {
  const characters = fc.array(fc.constantFrom("x", "é", "中", "😀"), { minLength: 1 });
  return characters.map((parts) => {
    const pattern = parts.join("");
    const size = Buffer.byteLength(pattern);
    return pattern.repeat(Math.floor(bytes / size)) + "x".repeat(bytes % size);
  });
}

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,14}$/);
const port = fc.integer({ min: 1, max: 65_535 });
const uint32 = fc.oneof(
  fc.integer({ min: 0, max: 4_294_967_295 }),
  fc.constantFrom(0, 1, 4_294_967_295),
);
const domain = fc.domain();

const host = fc.oneof(
  domain,
  domain.filter((each) => each.length < 250).map((each) => `*.${each}`),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
);
const hostport = fc.tuple(host, port).map(([host, port]) => `${host}:${port}`);

const texts = { description: textOf(255), metadata: textOf(4096) };
const NO_TEXTS = { description: "", metadata: "" };

/** Some of `fields`, null for others, and what is shown of them: `defaults` for all that is not given. */
function optional(fields: Record<string, fc.Arbitrary<unknown>>, defaults: Fields) {
  const some = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, fc.option(value, { freq: 6 })]),
  );
  return fc.record(some, { requiredKeys: [] }).map((input: Fields): Given => {
    const given = Object.entries(input).filter(([, value]) => value !== null);
    return { input, shown: { ...defaults, ...Object.fromEntries(given) } };
  });
}

/** `given` with more fields that are always there. */
function and(
  given: fc.Arbitrary<Given>,
  fields: Record<string, fc.Arbitrary<unknown>>,
  show: (input: Fields) => Fields = (input) => input,
): fc.Arbitrary<Given> {
  return fc.tuple(given, fc.record(fields)).map(([{ input, shown }, more]: [Given, Fields]) => ({
    input: { ...input, ...more },
    shown: { ...shown, ...show(more) },
  }));
}

const enabled = fc.boolean();
const ENABLED = { enabled: true };

// Modules.

const TOKEN = "!#$%&'*+-.^_`|~09azAZ";
const headerName = fc
  .string({ unit: fc.constantFrom(...TOKEN), minLength: 1, maxLength: 20 })
  .map((token) => `x${token}`);
const headerValue = fc
  .string({ unit: "grapheme-ascii", maxLength: 60 })
  .map((value) => value.trim());

function headerMap(max: number) {
  const selector = ([header]: [string, string]) => header.toLowerCase();
  return fc
    .uniqueArray(fc.tuple(headerName, headerValue), { maxLength: max, selector })
    .map((entries) => Object.fromEntries(entries));
}

const headers = optional(
  {
    enabled,
    add: headerMap(5),
    remove: fc.uniqueArray(headerName, {
      maxLength: 5,
      selector: (header) => header.toLowerCase(),
    }),
  },
  { ...ENABLED, add: {}, remove: [] },
);

const circuitBreaker = optional(
  {
    enabled,
    trippedDuration: uint32.filter((value) => value > 0),
    rollingWindow: uint32.filter((value) => value > 0),
    numBuckets: fc.integer({ min: 1, max: 128 }),
    volumeThreshold: uint32.filter((value) => value > 0),
    // 0 means unspecified.
    errorThresholdPercentage: fc.double({ min: 0, minExcluded: true, max: 1, noNaN: true }),
  },
  {
    ...ENABLED,
    trippedDuration: 10,
    rollingWindow: 10,
    numBuckets: 10,
    volumeThreshold: 20,
    errorThresholdPercentage: 0.5,
  },
);

const session = {
  enabled,
  optionsPassthrough: fc.boolean(),
  cookiePrefix: fc.stringMatching(/^[A-Za-z0-9.]{1,128}$/),
  inactivityTimeout: uint32,
  maximumDuration: uint32,
};
const SESSION = {
  ...ENABLED,
  optionsPassthrough: false,
  cookiePrefix: "ngrok.",
  inactivityTimeout: 0,
  maximumDuration: 0,
};

const scopes = fc.array(fc.stringMatching(/^[\x21\x23-\x5b\x5d-\x7e]{1,30}$/), { maxLength: 4 });
const secret = textOf(4096).filter((text) => text !== "");

const audience = {
  emailAddresses: fc.uniqueArray(
    fc.tuple(name, domain).map((parts) => parts.join("@")),
    { maxLength: 3 },
  ),
  emailDomains: fc.uniqueArray(domain, { maxLength: 3 }),
};
const AUDIENCE = { emailAddresses: [], emailDomains: [] };
const github = {
  organizations: fc.uniqueArray(name, { maxLength: 3 }),
  teams: fc.uniqueArray(
    fc.oneof(
      fc.tuple(name, name).map((parts) => parts.join("/")),
      fc.nat().map(String),
    ),
    { maxLength: 3 },
  ),
};
const GITHUB = { organizations: [], teams: [] };

const PROVIDERS = [
  ...["github", "facebook", "microsoft", "google"],
  ...["linkedin", "gitlab", "twitch", "amazon"],
];
const WITHOUT_MANAGED_APPLICATION = ["facebook", "amazon"];

function oauthClient(provider: string): fc.Arbitrary<Given> {
  const fields = provider === "github" ? { ...audience, ...github } : audience;
  const defaults = { ...AUDIENCE, ...(provider === "github" && GITHUB) };
  const own = and(optional({ ...fields, scopes }, { ...defaults, scopes: [] }), {
    clientId: textOf(512).filter((text) => text !== ""),
    clientSecret: secret,
  });
  const managed = optional(fields, { ...defaults, clientId: "", clientSecret: "", scopes: [] });
  return WITHOUT_MANAGED_APPLICATION.includes(provider) ? own : fc.oneof(own, managed);
}

const oauth = fc.constantFrom(...PROVIDERS).chain((provider) => {
  const settings = { ...session, authCheckInterval: uint32 };
  return fc
    .tuple(optional(settings, { ...SESSION, authCheckInterval: 0 }), oauthClient(provider))
    .map(([{ input, shown }, client]): Given => {
      const others = Object.fromEntries(PROVIDERS.map((other) => [other, null]));
      return {
        input: { ...input, provider: { [provider]: client.input } },
        shown: { ...shown, provider: { ...others, [provider]: client.shown } },
      };
    });
});

const oidc = and(optional({ ...session, scopes }, { ...SESSION, scopes: [] }), {
  issuer: fc
    .webUrl({ validSchemes: ["https"], size: "-1" })
    .filter((url) => Buffer.byteLength(url) <= 255),
  clientId: textOf(512).filter((text) => text !== ""),
  clientSecret: secret,
});

const saml = and(
  optional(
    {
      ...session,
      forceAuthn: fc.boolean(),
      allowIdpInitiated: fc.boolean(),
      authorizedGroups: fc.array(
        textOf(255).filter((text) => text !== ""),
        { maxLength: 3 },
      ),
      nameidFormat: fc.constantFrom(...SAML_NAMEID_FORMATS),
    },
    {
      ...SESSION,
      forceAuthn: false,
      allowIdpInitiated: true,
      authorizedGroups: [],
      nameidFormat: SAML_NAMEID_FORMATS[0],
    },
  ),
  { idpMetadata: fc.stringMatching(/^[ \n]{0,4}$/).map((end) => SAML_METADATA + end) },
);

const SENDGRID_KEY = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .publicKey.export({ format: "der", type: "spki" })
  .toString("base64");

const webhookVerification = fc
  .tuple(
    optional({ enabled }, ENABLED),
    fc.constantFrom(...WEBHOOK_PROVIDERS),
    fc.boolean(),
    secret,
  )
  .map(([{ input, shown }, lower, isUpper, text]): Given => {
    const provider = isUpper ? lower.toUpperCase() : lower;
    if (lower === "sns") {
      return { input: { ...input, provider }, shown: { ...shown, provider, secret: "" } };
    }
    const fields = { provider, secret: lower === "sendgrid" ? SENDGRID_KEY : text };
    return { input: { ...input, ...fields }, shown: { ...shown, ...fields } };
  });

const expressions = fc.array(
  fc.oneof(fc.constantFrom("(?i)chrome", "bot/\\d+", "^$", "[^a-z]*", "\\p{L}+"), name),
  { maxLength: 4 },
);
const userAgentFilter = optional(
  { enabled, allow: expressions, deny: expressions },
  { ...ENABLED, allow: [], deny: [] },
);

function trafficPolicy(...phases: string[]) {
  const rule = fc.record(
    {
      name: fc.string(),
      expressions: fc.array(fc.string({ unit: "binary" }), { maxLength: 2 }),
      actions: fc.array(
        fc.record(
          { type: name, config: fc.jsonValue({ maxDepth: 2 }) },
          { requiredKeys: ["type"] },
        ),
        { minLength: 1, maxLength: 2 },
      ),
    },
    { requiredKeys: ["actions"] },
  );
  const rules = Object.fromEntries(
    phases.map((phase) => [phase, fc.array(rule, { maxLength: 2 })]),
  );
  const value = fc
    .tuple(fc.record(rules, { requiredKeys: [] }), fc.constantFrom(undefined, "\t", 2))
    .map(([policy, space]) => JSON.stringify(policy, null, space));
  return and(optional({ enabled }, ENABLED), { value });
}

const onOff = optional({ enabled }, ENABLED);

const some = (ids: readonly string[]) => fc.shuffledSubarray([...ids], { minLength: 1 });

const backend = (targets: Targets) =>
  and(
    optional({ enabled }, ENABLED),
    { backendId: fc.constantFrom(...targets.backends) },
    ({ backendId }) => ({ backend: backendId }),
  );

const ipRestriction = (targets: Targets) =>
  and(
    optional({ enabled }, ENABLED),
    { ipPolicyIds: some(targets.ipPolicies) },
    ({ ipPolicyIds }) => ({ ipPolicies: ipPolicyIds }),
  );

const mutualTls = (targets: Targets) =>
  and(
    optional({ enabled }, ENABLED),
    { certificateAuthorityIds: some(targets.certificateAuthorities) },
    ({ certificateAuthorityIds }) => ({ certificateAuthorities: certificateAuthorityIds }),
  );

const minVersion = fc.constantFrom(...TLS_VERSIONS);
const tlsTerminationAtEdge = optional(
  { enabled, minVersion },
  { ...ENABLED, terminateAt: "edge", minVersion: null },
);
const tlsTermination = fc.oneof(
  optional(
    { enabled, minVersion, terminateAt: fc.constant("edge") },
    { ...ENABLED, terminateAt: "edge", minVersion: null },
  ),
  and(optional({ enabled }, { ...ENABLED, minVersion: null }), {
    terminateAt: fc.constant("upstream"),
  }),
);

type Modules = Record<string, fc.Arbitrary<Given>>;

/** Some of `modules`; the others are absent or null, and shown as null. */
function subset(modules: Modules): fc.Arbitrary<Given> {
  const none = { input: {}, shown: null };
  const each = Object.entries(modules).map(([module, given]) =>
    fc
      .oneof(
        // A signing key for each SAML module takes long to make.
        { weight: module === "saml" ? 8 : 1, arbitrary: fc.constant(none) },
        { weight: 1, arbitrary: fc.constant({ input: { [module]: null }, shown: null }) },
        { weight: 2, arbitrary: given.map((it) => ({ ...it, input: { [module]: it.input } })) },
      )
      .map(({ input, shown }): Given => ({ input, shown: { [module]: shown } })),
  );
  return fc.tuple(...each).map((parts) => merged(...parts));
}

function merged(...parts: Given[]): Given {
  return {
    input: Object.assign({}, ...parts.map(({ input }) => input)),
    shown: Object.assign({}, ...parts.map(({ shown }) => shown)),
  };
}

function together(...parts: fc.Arbitrary<Given>[]): fc.Arbitrary<Given> {
  return fc.tuple(...parts).map((given) => merged(...given));
}

const LOGINS = ["oauth", "saml", "oidc"];

/** A route has one way to log in: all others are off. */
function withOneLogin({ input, shown }: Given): Given {
  const on = LOGINS.filter((login) => shown[login]?.enabled);
  const off = merged(
    ...on.slice(1).map((login) => ({
      input: { [login]: { ...input[login], enabled: false } },
      shown: { [login]: { ...shown[login], enabled: false } },
    })),
  );
  return merged({ input, shown }, off);
}

/** Mutual TLS needs TLS to be terminated at the edge. */
function withoutMutualTlsUpstream(given: Given): Given {
  if (given.shown.tlsTermination?.terminateAt !== "upstream") return given;
  return merged(given, { input: { mutualTls: null }, shown: { mutualTls: null } });
}

// Resources.

const described = optional(texts, NO_TEXTS);

/** The policy is given whole or not at all: of one that is there, an update changes only what it gives. */
export const anyAgentIngress = () =>
  and(
    optional(
      {
        ...texts,
        certificateManagementPolicy: fc.record({
          authority: fc.constant("letsencrypt"),
          privateKeyType: fc.constantFrom("rsa", "ecdsa"),
        }),
      },
      { ...NO_TEXTS, certificateManagementPolicy: null },
    ),
    { domain },
  );

export const anyIpPolicy = () => described;

export function anyIpPolicyRule({ ipPolicies }: Targets): fc.Arbitrary<Given> {
  const v4 = fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `${a}.${b}.0.0/16`);
  const v6 = fc.tuple(fc.nat(0xffff)).map(([a]) => `2001:db8:${a.toString(16)}::/48`);
  return and(
    described,
    {
      cidr: fc.oneof(v4, v6),
      action: fc.constantFrom("allow", "deny"),
      ipPolicyId: fc.constantFrom(...ipPolicies),
    },
    ({ ipPolicyId, ...fields }) => ({ ...fields, ipPolicy: ipPolicyId }),
  );
}

export const anyIpRestriction = ({ ipPolicies }: Targets) =>
  and(
    optional({ ...texts, enforced: fc.boolean() }, { ...NO_TEXTS, enforced: false }),
    {
      type: fc.constantFrom("api", "agent", "dashboard", "endpoints"),
      ipPolicyIds: some(ipPolicies),
    },
    ({ ipPolicyIds, ...fields }) => ({ ...fields, ipPolicies: ipPolicyIds }),
  );

export function anyReservedAddr({ endpointConfigurations }: Targets): fc.Arbitrary<Given> {
  return together(
    optional(
      { ...texts, region: fc.constantFrom("au", "eu", "ap", "us", "jp", "in", "sa") },
      { ...NO_TEXTS, region: "us" },
    ),
    linkTo("endpointConfiguration", endpointConfigurations),
  );
}

/** A policy is given whole or not at all: of one that is there, an update changes only what it gives. */
export function anyReservedDomain(targets: Targets): fc.Arbitrary<Given> {
  const wildcard = domain.filter((each) => each.length < 250).map((each) => `*.${each}`);
  return together(
    and(
      optional(
        {
          ...texts,
          errorRedirectUrl: fc.webUrl({ withQueryParameters: true }),
          resolvesTo: fc.array(fc.record({ value: name }), { minLength: 1, maxLength: 4 }),
        },
        { ...NO_TEXTS, errorRedirectUrl: "", resolvesTo: [] },
      ),
      { domain: fc.oneof(domain, wildcard), region: fc.constantFrom("au", "eu", "us") },
    ),
    fc.oneof(
      linkTo("certificate", targets.tlsCertificates).map((given) =>
        merged(given, {
          input: { certificateManagementPolicy: null },
          shown: { certificateManagementPolicy: null },
        }),
      ),
      fc.constantFrom("rsa", "ecdsa").map((privateKeyType) => {
        const policy = { authority: "letsencrypt", privateKeyType };
        return {
          input: { certificateId: null, certificateManagementPolicy: policy },
          shown: { certificate: null, certificateManagementPolicy: policy },
        };
      }),
    ),
    linkTo("httpEndpointConfiguration", targets.httpConfigurations),
    linkTo("httpsEndpointConfiguration", targets.httpsConfigurations),
  );
}

/** A reference to one of `ids`, or to nothing. */
function linkTo(field: string, ids: readonly string[]): fc.Arbitrary<Given> {
  return fc
    .option(fc.constantFrom(...ids))
    .map((id) => ({ input: { [`${field}Id`]: id }, shown: { [field]: id } }));
}

export const anyHttpResponseBackend = () =>
  optional(
    {
      ...texts,
      body: textOf(2000),
      headers: headerMap(8),
      statusCode: fc.integer({ min: 200, max: 599 }),
    },
    { ...NO_TEXTS, body: "", headers: {}, statusCode: 200 },
  );

export const anyStaticBackend = () =>
  together(
    and(described, { address: hostport.filter((address) => !address.startsWith("*")) }),
    fc.option(fc.boolean()).map((on) => ({
      input: on === null ? {} : { tls: { enabled: on } },
      shown: { tls: { enabled: on ?? false } },
    })),
  );

export const anyTunnelGroupBackend = () =>
  optional(
    {
      ...texts,
      labels: fc.dictionary(
        textOf(128).filter((label) => label !== "" && !/=|^__proto__$/.test(label)),
        textOf(255),
        { maxKeys: 5 },
      ),
    },
    { ...NO_TEXTS, labels: {} },
  );

export const anyWeightedBackend = ({ leafBackends }: Targets) =>
  optional(
    {
      ...texts,
      backends: fc
        .tuple(some(leafBackends), fc.infiniteStream(fc.integer({ min: 0, max: 10_000 })))
        .map(([ids, weights]) =>
          Object.fromEntries(ids.map((id) => [id, weights.next().value ?? 0])),
        ),
    },
    { ...NO_TEXTS, backends: {} },
  );

export const anyFailoverBackend = ({ backends }: Targets) =>
  optional(
    { ...texts, backends: some(backends.filter((id) => !id.startsWith("bkdfo_"))) },
    { ...NO_TEXTS, backends: [] },
  );

const edge = optional(
  { ...texts, hostports: fc.array(hostport, { maxLength: 4 }) },
  { ...NO_TEXTS, hostports: [] },
);

export const anyHttpsEdge = (targets: Targets) =>
  together(edge, subset({ mutualTls: mutualTls(targets), tlsTermination: tlsTerminationAtEdge }));

export const anyTlsEdge = (targets: Targets) =>
  together(
    edge,
    subset({
      backend: backend(targets),
      ipRestriction: ipRestriction(targets),
      mutualTls: mutualTls(targets),
      tlsTermination,
      trafficPolicy: trafficPolicy("on_tcp_connect", "inbound"),
    }),
  ).map(withoutMutualTlsUpstream);

export const anyTcpEdge = (targets: Targets) =>
  together(
    edge,
    subset({
      backend: backend(targets),
      ipRestriction: ipRestriction(targets),
      trafficPolicy: trafficPolicy("on_tcp_connect", "inbound"),
    }),
  );

const sharedByRoutes = {
  circuitBreaker,
  compression: onOff,
  requestHeaders: headers,
  responseHeaders: headers,
  webhookVerification,
  oauth,
  saml,
  oidc,
};

/** Without the edge and with no match: those are for the test to choose. */
export const anyHttpsEdgeRoute = (targets: Targets) =>
  together(
    described,
    subset({
      backend: backend(targets),
      ipRestriction: ipRestriction(targets),
      ...sharedByRoutes,
      websocketTcpConverter: onOff,
      userAgentFilter,
      trafficPolicy: fc.oneof(
        trafficPolicy("on_http_request", "on_http_response"),
        and(onOff, { value: fc.constant(TRAFFIC_POLICY) }),
      ),
    }),
  ).map(withOneLogin);

export const anyEndpointConfiguration = (targets: Targets) =>
  together(
    and(described, { type: fc.constantFrom("http", "https", "tcp") }),
    subset({
      ipRestriction: ipRestriction(targets),
      mutualTls: mutualTls(targets),
      tlsTermination,
      ...sharedByRoutes,
      logging: onOff,
    }),
  )
    .map(withOneLogin)
    .map(withoutMutualTlsUpstream);
