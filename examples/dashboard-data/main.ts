import { createApollo, endOfLog, followWithApollo } from "./apollo.js";
import { DashboardDocument } from "./generated.js";

const { EDGEPLANE_URL = "http://127.0.0.1:8080", API_KEY = "" } = process.env;
const connection = { url: EDGEPLANE_URL, apiKey: API_KEY };
const client = createApollo(connection);

const position = await endOfLog(client);
const { data } = await client.query({ query: DashboardDocument, variables: { first: 20 } });
for (const { node } of data?.httpsEdges?.edges ?? []) {
  console.log(`${node.description || node.id} (${node.hostports.join(", ")})`);
}

followWithApollo(client, connection, position, ({ action, typename, resourceId }) => {
  console.log(`${action} ${typename} ${resourceId}`);
});
