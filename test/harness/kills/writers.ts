import { setTimeout as sleep } from "node:timers/promises";
import { PUBLIC_KEY } from "../resources.js";
import { type Fields, graphqlInput, restBody } from "../transports.js";
import type { Write } from "./history.js";
import { type Answer, idIn, send, Unanswered } from "./requests.js";

// Clients that write until their server is gone, and note what they asked for and were told.

/** What all writers refer to. */
export interface Ground {
  readonly authority: string;
  readonly backends: readonly [string, string];
  readonly policy: string;
  readonly writes: readonly Write[];
}

/** A route as it is stored. Its match is its name inside of the edge. */
export interface RouteState {
  readonly version: number;
  readonly backend: string;
  readonly policies: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
  readonly trafficPolicy: string;
}

export interface EdgeState {
  readonly version: number;
  readonly terminatesTls: boolean;
  readonly routes: Readonly<Record<string, RouteState>>;
}

export interface CertificateState {
  readonly version: number;
  readonly principals: readonly string[];
}

export interface Writer {
  /** In their order. */
  readonly writes: Write[];
  /** Answers that were no refusal. */
  answers(): number;
  /** What was refused, though nothing should have been. */
  readonly refusals: string[];
  /** Writes one thing after another until an answer does not come, or is a refusal. */
  work(url: string): Promise<void>;
}

/** Makes what writers refer to. */
export async function layGround(url: string): Promise<Ground> {
  const writes: Write[] = [];
  const make = async (kind: string, path: string, input: Fields): Promise<string> => {
    const { operationId, body } = await send(url, "POST", path, input);
    const id = idIn(body);
    writes.push({ name: id, state: 1, entries: [`${kind} created 1`], outcome: operationId });
    return id;
  };
  const backend = (address: string) => make("staticBackend", "/backends/static", { address });
  return {
    authority: await make("sshCertificateAuthority", "/ssh_certificate_authorities", {}),
    backends: [await backend("one.test:80"), await backend("other.test:80")],
    policy: await make("ipPolicy", "/ip_policies", {}),
    writes,
  };
}

/** An edge that its writer knows by id. */
interface OwnEdge {
  readonly name: string;
  readonly id: string;
  readonly state: EdgeState;
  /** The ids of its routes by their matches. */
  readonly routeIds: Readonly<Record<string, string>>;
}

interface OwnCertificate {
  readonly name: string;
  readonly id: string;
}

const MOST_EDGES = 4;
const MOST_CERTIFICATES = 4;

/** The writer number `index`: those with even numbers use REST, the others GraphQL. */
export function createWriter(index: number, { authority, backends, policy }: Ground): Writer {
  const isRest = index % 2 === 0;
  const writes: Write[] = [];
  const refusals: string[] = [];
  const edges = new Map<string, OwnEdge>();
  const certificates = new Map<string, OwnCertificate>();
  let url = "";
  let count = 0;
  let answers = 0;

  /** Asks for one change, and notes it as a write of `name`. */
  async function write(
    name: string,
    state: unknown,
    entries: readonly string[],
    ask: () => Promise<Answer>,
  ): Promise<Fields> {
    const place = writes.push({ name, state, entries, outcome: null }) - 1;
    const { operationId, body } = await ask();
    writes[place] = { name, state, entries, outcome: operationId };
    answers++;
    return body;
  }

  const mutate = (field: string, args: string, selection: string, variables: Fields) => async () =>
    send(url, "POST", "/graphql", {
      query: `mutation(${args}) { ${field} { ${selection} } }`,
      variables,
    });
  const overRest = (method: string, path: string, input?: Fields) => () =>
    send(url, method, path, input && restBody(input));

  const route = (version: number): RouteState => ({
    version,
    backend: backends[count % 2] ?? "",
    policies: [policy],
    headers: { "X-Writer": `${index}`, "X-Count": `${count}` },
    secret: `secret-${index}-${count}`,
    trafficPolicy: `on_http_request: [] # ${index} ${count}\n`,
  });

  /** A route as the input of either transport, in the domain's spelling. */
  const inputOf = ({ backend, policies, headers, secret, trafficPolicy }: RouteState) => ({
    backend: { backendId: backend },
    ipRestriction: { ipPolicyIds: policies },
    requestHeaders: { add: headers },
    webhookVerification: { provider: "stripe", secret },
    trafficPolicy: { value: trafficPolicy },
  });
  const newRoute = (match: string, state: RouteState) => ({
    matchType: "path_prefix",
    match,
    ...inputOf(state),
  });

  async function createEdge(): Promise<void> {
    const name = `edge ${index} ${count}`;
    const input = { description: name, tlsTermination: { enabled: count % 2 === 0 } };
    const empty = { version: 1, terminatesTls: count % 2 === 0, routes: {} };
    const matches = ["/a", "/b", "/c"].slice(0, 1 + (count % 3));
    if (isRest) {
      const ask = overRest("POST", "/edges/https", input);
      const body = await write(name, empty, ["httpsEdge created 1"], ask);
      edges.set(name, { name, id: idIn(body), state: empty, routeIds: {} });
      for (const match of matches) await addRoute(name, match);
      return;
    }
    const routes = Object.fromEntries(matches.map((match) => [match, route(1)]));
    const state = { ...empty, routes };
    const nested = Object.entries(routes).map(([match, state]) => newRoute(match, state));
    const body = await write(
      name,
      state,
      ["httpsEdge created 1", ...matches.map(() => "httpsEdgeRoute created 1")],
      mutate(
        "createHttpsEdge(input: $input)",
        "$input: CreateHttpsEdgeInput!",
        "httpsEdge { id routes { nodes { id match } } }",
        { input: graphqlInput("CreateHttpsEdgeInput", { ...input, routes: nested }) },
      ),
    );
    const { id, routes: made } = body.data.createHttpsEdge.httpsEdge;
    const routeIds = Object.fromEntries(made.nodes.map(({ id, match }: Fields) => [match, id]));
    edges.set(name, { name, id, state, routeIds });
  }

  async function addRoute(name: string, match: string): Promise<void> {
    const edge = own(edges, name);
    const added = route(1);
    const state = { ...edge.state, routes: { ...edge.state.routes, [match]: added } };
    const ask = overRest("POST", `/edges/https/${edge.id}/routes`, newRoute(match, added));
    const id = idIn(await write(name, state, ["httpsEdgeRoute created 1"], ask));
    edges.set(name, { ...edge, state, routeIds: { ...edge.routeIds, [match]: id } });
  }

  /** Sets all modules of a route, or one of them. */
  async function changeRoute(): Promise<void> {
    const edge = [...edges.values()][count % edges.size];
    const ids = Object.entries(edge?.routeIds ?? {});
    const [match = "", id] = ids[count % ids.length] ?? [];
    const before = edge?.state.routes[match];
    if (!edge || !before) return;
    const all = route(before.version + 1);
    const isAlone = count % 3 === 0;
    const after = isAlone ? { ...before, version: all.version, headers: all.headers } : all;
    const state = { ...edge.state, routes: { ...edge.state.routes, [match]: after } };
    const path = `/edges/https/${edge.id}/routes/${id}`;
    const { requestHeaders } = inputOf(after);
    const input = isAlone ? { requestHeaders } : inputOf(after);
    await write(
      edge.name,
      state,
      [`httpsEdgeRoute updated ${after.version}`],
      isRest
        ? isAlone
          ? overRest("PUT", `${path}/request_headers`, requestHeaders)
          : overRest("PATCH", path, input)
        : mutate(
            "updateHttpsEdgeRoute(id: $id, input: $input)",
            "$id: ID!, $input: UpdateHttpsEdgeRouteInput!",
            "httpsEdgeRoute { version }",
            { id, input: graphqlInput("UpdateHttpsEdgeRouteInput", input) },
          ),
    );
    edges.set(edge.name, { ...edge, state });
  }

  async function deleteEdge(): Promise<void> {
    const [edge] = edges.values();
    if (!edge) return;
    edges.delete(edge.name);
    const routes = Object.values(edge.state.routes);
    await write(
      edge.name,
      null,
      ["httpsEdge deleted 1", ...routes.map(({ version }) => `httpsEdgeRoute deleted ${version}`)],
      isRest
        ? overRest("DELETE", `/edges/https/${edge.id}`)
        : mutate("deleteHttpsEdge(id: $id)", "$id: ID!", "changes { resourceId }", { id: edge.id }),
    );
  }

  async function sign(): Promise<void> {
    const name = `certificate ${index} ${count}`;
    const principals = [`user-${index}`, `count-${count}`];
    const input = {
      description: name,
      sshCertificateAuthorityId: authority,
      publicKey: PUBLIC_KEY,
      principals,
    };
    const body = await write(
      name,
      { version: 1, principals } satisfies CertificateState,
      ["sshUserCertificate created 1"],
      isRest
        ? overRest("POST", "/ssh_user_certificates", input)
        : mutate(
            "createSshUserCertificate(input: $input)",
            "$input: CreateSshUserCertificateInput!",
            "sshUserCertificate { id }",
            { input: graphqlInput("CreateSshUserCertificateInput", input) },
          ),
    );
    const { id } = isRest ? body : body.data.createSshUserCertificate.sshUserCertificate;
    certificates.set(name, { name, id });
  }

  async function revoke(): Promise<void> {
    const [certificate] = certificates.values();
    if (!certificate) return;
    const { name, id } = certificate;
    certificates.delete(name);
    await write(
      name,
      null,
      ["sshUserCertificate deleted 1"],
      isRest
        ? overRest("DELETE", `/ssh_user_certificates/${id}`)
        : mutate("deleteSshUserCertificate(id: $id)", "$id: ID!", "changes { resourceId }", { id }),
    );
  }

  const cycle = [
    createEdge,
    changeRoute,
    sign,
    changeRoute,
    () => (edges.size > MOST_EDGES ? deleteEdge() : changeRoute()),
    () => (certificates.size > MOST_CERTIFICATES ? revoke() : sign()),
  ];

  return {
    writes,
    refusals,
    answers: () => answers,
    async work(serverUrl) {
      url = serverUrl;
      try {
        for (; ; count++) await cycle[count % cycle.length]?.();
      } catch (error) {
        if (!(error instanceof Unanswered)) refusals.push(String(error));
        // Nobody knows what became of it, so it is changed no more.
        edges.delete(writes.at(-1)?.name ?? "");
        count++;
      }
    },
  };
}

function own<Value>(map: ReadonlyMap<string, Value>, name: string): Value {
  const value = map.get(name);
  if (value === undefined) throw new Error(`There is no ${name}.`);
  return value;
}

/** Resolves once each of them has had `count` more answers than now, or has ended. */
export async function untilAnswered(
  writers: readonly Writer[],
  working: readonly Promise<void>[],
  count: number,
): Promise<void> {
  let ended = 0;
  for (const work of working) void work.then(() => ended++);
  const from = writers.map((writer) => writer.answers());
  const isWaiting = () =>
    ended === 0 && writers.some((writer, index) => writer.answers() < (from[index] ?? 0) + count);
  while (isWaiting()) await sleep(10);
}
