import { createApollo, endOfLog, followWithApollo } from "./apollo.js";
import { DashboardDocument } from "./generated.js";

const { EDGEPLANE_URL = "http://127.0.0.1:8080", API_KEY = "" } = process.env;
const connection = { url: EDGEPLANE_URL, apiKey: API_KEY };
const client = createApollo(connection);

await show();

/** Prints the edges, and then what changes. Begins again when the log of changes no longer reaches back. */
async function show(): Promise<void> {
  const position = await endOfLog(client);
  await client.clearStore();
  const { data } = await client.query({ query: DashboardDocument, variables: { first: 20 } });
  for (const { node } of data?.httpsEdges?.edges ?? []) {
    console.log(`${node.description || node.id} (${node.hostports.join(", ")})`);
  }
  followWithApollo(client, connection, position, {
    onChange: ({ action, typename, resourceId }) => {
      console.log(`${action} ${typename} ${resourceId}`);
    },
    onEnd: (code) => {
      if (code === "GONE") return void show();
      console.error(`The subscription has ended: ${code}`);
      process.exitCode = 1;
    },
  });
}
