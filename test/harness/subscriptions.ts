import { createClient } from "graphql-sse";
import type { TestServer } from "./server.js";
import { type Fields, graphql, rest } from "./transports.js";

/** The answer to a subscription to changes, for an HTTPS edge that is made for it and gone after. */
export async function firstEvent(server: TestServer, query: string): Promise<Fields> {
  const { changes } = await graphql(server, "{ changes(last: 1) { nodes { id } } }");
  const client = createClient({
    url: `${server.url}/graphql`,
    headers: {
      Authorization: `Bearer ${server.writeKey}`,
      "Last-Event-ID": changes.nodes[0].id,
    },
  });
  const events = client.iterate<Fields>({ query });
  const { body } = await rest(server, "POST", "/edges/https", { description: "followed" });
  const { value } = await events.next();
  client.dispose();
  await rest(server, "DELETE", `/edges/https/${body.id}`);
  return value as Fields;
}
