import { type IncomingMessage, request } from "node:http";
import { type Fields, graphql, type Target } from "./transports.js";

/** One event of a subscription as it is sent. */
export interface SentEvent {
  readonly id: string | undefined;
  readonly result: Fields;
}

export interface EventReader {
  readonly headers: IncomingMessage["headers"];
  /** The next event; null when the subscription is complete. Throws when its connection ends before. */
  next(): Promise<SentEvent | null>;
  /** Reads nothing more until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Where the log ends: to be sent as `Last-Event-ID`, so that nothing is missed. */
export async function endOfLog(server: Target): Promise<string> {
  const { changes } = await graphql(server, "{ changes(last: 1) { nodes { id } } }");
  return changes.nodes[0].id;
}

/** The ids of all entries of the log, in their order. */
export async function cursorsOf(target: Target): Promise<string[]> {
  const cursors: string[] = [];
  for (let after: string | null = null; ; ) {
    const { changes } = await graphql(
      target,
      "query($after: String) { changes(first: 100, after: $after) { nodes { id } } }",
      { after },
    );
    const page: string[] = changes.nodes.map(({ id }: { id: string }) => id);
    cursors.push(...page);
    if (page.length < 100) return cursors;
    after = page.at(-1) ?? null;
  }
}

/** A subscription over SSE whose lines are read as they are. */
export async function openEvents(
  { url }: Pick<Target, "url">,
  key: string,
  body: { readonly query: string; readonly variables?: Fields },
  lastEventId: string,
): Promise<EventReader> {
  const sent = request(`${url}/graphql`, {
    agent: false,
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      Accept: "text/event-stream",
      "Content-Type": "application/json",
      "Last-Event-ID": lastEventId,
    },
  });
  sent.end(JSON.stringify(body));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once("response", resolve).once("error", reject);
  });
  const events = eventsOf(answer);
  return {
    headers: answer.headers,
    async next() {
      const { value, done } = await events.next();
      if (done) throw new Error("The connection ended before the subscription.");
      return value;
    },
    pause: () => answer.socket.pause(),
    resume: () => answer.socket.resume(),
    close: () => answer.destroy(),
  };
}

async function* eventsOf(answer: IncomingMessage): AsyncGenerator<SentEvent | null, void> {
  let rest = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    const blocks = `${rest}${chunk}`.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block === ":") continue;
      const [, id, data] = /^event: next\n(?:id: (\S+)\n)?data: (.*)$/.exec(block) ?? [];
      if (data !== undefined) yield { id, result: JSON.parse(data) };
      else if (block === "event: complete\ndata:") yield null;
      else throw new Error(`This is no event of the protocol: ${block}`);
    }
  }
}
