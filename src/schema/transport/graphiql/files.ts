import { ownFile } from "../../../http/sites.js";

/** Everything that the page loads: GraphiQL as its package ships it, and what is ours around it. */
export async function loadFiles() {
  // 9 MB, which are loaded only when somebody opens GraphiQL.
  const graphiql = await import("@graphql-yoga/render-graphiql/graphiql");
  return {
    "graphiql.js": graphiql.js,
    "graphiql.css": graphiql.css,
    "graphql-worker.js": graphiql.graphqlWorker,
    "json-worker.js": graphiql.jsonWorker,
    "editor-worker.js": graphiql.editorWorkerService,
    "page.js": await ownFile("graphiql/page.js"),
    "page.css": await ownFile("graphiql/page.css"),
    "icon.svg": await ownFile("icon.svg"),
  };
}

export type FileName = keyof Awaited<ReturnType<typeof loadFiles>>;
