import { HttpError, ok } from "@oazapfts/runtime";
import * as api from "./generated.js";

const { EDGEPLANE_URL = "http://127.0.0.1:8080", API_KEY = "" } = process.env;
api.defaults.baseUrl = EDGEPLANE_URL;
api.defaults.headers = { Authorization: `Bearer ${API_KEY}` };

/** What every call names. */
const VERSION = { serviceVersion: "2" } as const;
const PAGE_SIZE = 20;

try {
  await publish();
} catch (error) {
  // What `ok` throws for a refusal. Every one has the same envelope.
  if (!(error instanceof HttpError)) throw error;
  const { error_code, msg }: api.Refusal = error.data;
  console.error(`${error_code}: ${msg}`);
  process.exitCode = 1;
}

/** Publishes a service for the offices alone, looks at it, and takes it down again. */
async function publish(): Promise<void> {
  const policy = await ok(
    api.createIpPolicy({ ...VERSION, createIpPolicy: { description: "Offices" } }),
  );
  await ok(
    api.createIpPolicyRule({
      ...VERSION,
      createIpPolicyRule: { ip_policy_id: policy.id, cidr: "192.0.2.0/24", action: "allow" },
    }),
  );
  const backend = await ok(
    api.createStaticBackend({
      ...VERSION,
      createStaticBackend: { description: "Intranet", address: "intranet.example.com:8080" },
    }),
  );
  const edge = await ok(
    api.createHttpsEdge({
      ...VERSION,
      createHttpsEdge: { description: "Intranet", hostports: ["intranet.example.com:443"] },
    }),
  );
  await ok(
    api.createHttpsEdgeRoute({
      ...VERSION,
      edgeId: edge.id,
      createHttpsEdgeRoute: {
        match_type: "path_prefix",
        match: "/",
        backend: { backend_id: backend.id },
        ip_restriction: { ip_policy_ids: [policy.id] },
      },
    }),
  );

  for await (const { hostports, routes } of allEdges()) {
    console.log(`${hostports.join(", ")}: ${routes.length} routes`);
  }

  console.log(await rename(edge.id, "Intranet, for the offices"));
  console.log(await removePolicy(policy.id));

  // The routes of an edge and the rules of a policy go with them.
  await ok(api.deleteHttpsEdge({ ...VERSION, id: edge.id }));
  await ok(api.deleteStaticBackend({ ...VERSION, id: backend.id }));
  console.log(await removePolicy(policy.id));
}

/** Page by page, newest first. */
async function* allEdges(): AsyncGenerator<api.HttpsEdge> {
  let beforeId: string | undefined;
  do {
    const page = await ok(api.listHttpsEdges({ ...VERSION, limit: PAGE_SIZE, beforeId }));
    yield* page.https_edges;
    beforeId = page.next_page_uri === null ? undefined : page.https_edges.at(-1)?.id;
  } while (beforeId !== undefined);
}

/** Changes an edge as it was read: when somebody else has changed it since, nothing happens. */
async function rename(id: string, description: string): Promise<string> {
  const { headers } = await api.getHttpsEdge({ ...VERSION, id });
  const answer = await api.updateHttpsEdge({
    ...VERSION,
    id,
    ifMatch: headers.get("ETag") ?? "*",
    updateHttpsEdge: { description },
  });
  if (answer.status === 200) return `It is now described as "${answer.data.description}".`;
  if (answer.status === 412) return "Somebody else has changed it.";
  throw new HttpError(answer.status, answer.data, answer.headers);
}

/** The status tells the compiler what the answer is, and `error_code` is one of a closed list. */
async function removePolicy(id: string): Promise<string> {
  const answer = await api.deleteIpPolicy({ ...VERSION, id });
  if (answer.status === 204) return "The policy is deleted.";
  const { error_code, details } = answer.data;
  if (error_code !== "ERR_IN_USE") throw new HttpError(answer.status, answer.data, answer.headers);
  const { operation_id, ...users } = details;
  return `The policy stays: ${Object.values(users).join("; ")}`;
}
