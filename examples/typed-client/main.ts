import { createClient, GraphqlFailure } from "./client.js";
import { EdgesDocument, type EdgesQuery } from "./generated.js";

const { EDGEPLANE_URL = "http://127.0.0.1:8080", API_KEY = "" } = process.env;
const request = createClient(EDGEPLANE_URL, API_KEY);

type Page = NonNullable<EdgesQuery["httpsEdges"]>;
type Edge = Page["nodes"][number];
type Route = Edge["routes"]["nodes"][number];

try {
  for await (const { hostports, routes } of allEdges()) {
    console.log(hostports.join(", "));
    for (const route of routes.nodes) {
      const star = route.matchType === "PATH_PREFIX" ? "*" : "";
      console.log(`  ${route.match}${star} -> ${targetOf(route)}`);
    }
  }
} catch (error) {
  if (!(error instanceof GraphqlFailure)) throw error;
  for (const { message, extensions } of error.problems) {
    console.error(`${extensions?.code}: ${message}`);
  }
  process.exitCode = 1;
}

/** Page by page, newest first. */
async function* allEdges(): AsyncGenerator<Edge> {
  let page: Page["pageInfo"] | undefined;
  do {
    const { httpsEdges }: EdgesQuery = await request(EdgesDocument, { after: page?.endCursor });
    // Null only together with an error, which `request` has thrown.
    if (!httpsEdges) return;
    yield* httpsEdges.nodes;
    page = httpsEdges.pageInfo;
  } while (page.hasNextPage);
}

/** `__typename` tells the compiler which fields there are. */
function targetOf({ backend: module }: Route): string {
  if (!module) return "nowhere";
  const { backend } = module;
  if (backend.__typename === "StaticBackend") return backend.address;
  if (backend.__typename === "HttpResponseBackend") return `status ${backend.statusCode}`;
  return `${backend.description || backend.id} (${backend.__typename})`;
}
