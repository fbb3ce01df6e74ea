import { z } from "zod";

// What PostGraphile answers to the queries of `queries.ts`, as Edgeplane spells it: to see that it is the same.

const nodes = <Node extends z.ZodType>(node: Node) => z.strictObject({ nodes: z.array(node) });
const text = z.string();
const flag = z.boolean();
const document = z.record(text, z.unknown()).nullable();
const time = text.transform((at) => new Date(at).toISOString().replace(/\.\d+Z$/, "Z"));
const matchType = text.transform((type) => type.toUpperCase());

const headers = z
  .strictObject({ enabled: flag, add: z.record(text, text), remove: z.array(text) })
  .transform(({ add, ...module }) => ({
    ...module,
    add: Object.entries(add).map(([name, value]) => ({ name, value })),
  }))
  .nullable();

const backend = z
  .strictObject({
    kind: text,
    id: text,
    description: text,
    address: text.nullable(),
    tlsEnabled: flag.nullable(),
    children: nodes(z.strictObject({ id: text })),
  })
  .transform(({ kind, id, description, address, tlsEnabled, children }) => ({
    __typename: `${kind.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}Backend`,
    id,
    description,
    ...(kind === "static" && { address, tls: { enabled: tlsEnabled } }),
    ...(kind === "failover" && { backends: children.nodes }),
  }));

const richRoute = z
  .strictObject({
    id: text,
    matchType,
    match: text,
    description: text,
    compression: document,
    circuitBreaker: document,
    requestHeaders: headers,
    responseHeaders: headers,
    trafficPolicy: document,
    webhookVerification: document,
    ipRestrictionEnabled: flag.nullable(),
    ipPolicies: nodes(
      z.strictObject({ ipPolicy: z.strictObject({ id: text, description: text }) }),
    ),
    backendEnabled: flag.nullable(),
    backend: backend.nullable(),
  })
  .transform(({ ipRestrictionEnabled, ipPolicies, backendEnabled, backend, ...route }) => ({
    ...route,
    ipRestriction: module(ipRestrictionEnabled, {
      ipPolicies: ipPolicies.nodes.map(({ ipPolicy }) => ipPolicy),
    }),
    backend: module(backendEnabled, { backend }),
  }));

const richEdge = z
  .strictObject({
    id: text,
    createdAt: time,
    description: text,
    metadata: text,
    hostports: z.array(text),
    tlsTermination: z
      .strictObject({ enabled: flag, minVersion: text })
      .transform((module) => ({
        ...module,
        minVersion: `TLS${module.minVersion.replace(".", "_")}`,
      }))
      .nullable(),
    mutualTlsEnabled: flag.nullable(),
    certificateAuthorities: nodes(z.strictObject({ id: text })),
    routes: nodes(richRoute),
  })
  .transform(({ mutualTlsEnabled, certificateAuthorities, ...edge }) => ({
    ...edge,
    mutualTls: module(mutualTlsEnabled, { certificateAuthorities: certificateAuthorities.nodes }),
  }));

const leanRoute = z
  .strictObject({
    id: text,
    matchType,
    match: text,
    backend: z.strictObject({ id: text, description: text }).nullable(),
  })
  .transform(({ backend, ...route }) => ({ ...route, backend: backend && { backend } }));

const leanEdge = z.strictObject({
  id: text,
  description: text,
  hostports: z.array(text),
  routes: nodes(leanRoute),
});

const edge = z.union([leanEdge, richEdge]);

const answer = z.strictObject({
  data: z.union([
    z.strictObject({ httpsEdge: edge }),
    z.strictObject({ httpsEdges: nodes(edge) }),
    z.strictObject({ httpsEdgeRoutes: nodes(leanRoute) }),
  ]),
});

/** Throws when it has anything else in it than the queries ask for. The order of members may differ. */
export function asEdgeplaneAnswers(json: string): object {
  return answer.parse(JSON.parse(json));
}

function module<More extends object>(
  enabled: boolean | null,
  more: More,
): ({ readonly enabled: boolean } & More) | null {
  return enabled === null ? null : { enabled, ...more };
}
