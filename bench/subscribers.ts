import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";

// Subscribers in a process of their own: takes a job, answers "open" when all of them follow, and then each event
// that all have received.

/** Subscriptions that are opened at once. */
const AT_ONCE = 25;

export interface SubscribersJob {
  readonly url: string;
  /** Of one API key for each subscriber. */
  readonly tokens: readonly string[];
  readonly query: string;
}

export interface Received {
  /** Of the event, the same for all subscribers. */
  readonly id: string;
  /** By subscriber, in milliseconds of `clock`. */
  readonly times: readonly number[];
}

/** Milliseconds of a clock that the processes of one machine share. */
export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

if (process.send) {
  process.on("message", async (job: SubscribersJob) => {
    const bodies: IncomingMessage[] = [];
    for (let n = 0; n < job.tokens.length; n += AT_ONCE) {
      const some = job.tokens.slice(n, n + AT_ONCE);
      bodies.push(...(await Promise.all(some.map((token) => open(job, token)))));
    }
    const onEvent = gathering(bodies.length);
    for (const body of bodies) receive(body, onEvent);
    process.send?.("open");
  });
  process.on("disconnect", () => process.exit());
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

async function open({ url, query }: SubscribersJob, token: string): Promise<IncomingMessage> {
  const sent = request(`${url}/graphql`, {
    agent,
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "text/event-stream",
    },
  });
  sent.end(JSON.stringify({ query }));
  const [response]: IncomingMessage[] = await once(sent, "response");
  if (response?.statusCode === 200) return response;
  throw new Error(`A subscription was answered with ${response?.statusCode}.`);
}

type OnEvent = (id: string, at: number) => void;

/** Tells of an event when all subscribers have it. Only one is under way at a time. */
function gathering(subscribers: number): OnEvent {
  let current = "";
  let times: number[] = [];
  return (id, at) => {
    if (times.length === 0) current = id;
    if (id !== current) throw new Error(`A subscriber got ${id} while others get ${current}.`);
    times.push(at);
    if (times.length < subscribers) return;
    process.send?.({ id, times } satisfies Received);
    times = [];
  };
}

function receive(body: IncomingMessage, onEvent: OnEvent): void {
  let rest = "";
  body.setEncoding("utf8");
  body.on("end", () => {
    throw new Error("A subscription ended.");
  });
  body.on("data", (text: string) => {
    const at = clock();
    const parts = (rest + text).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const id = /^event: next\nid: (\S+)\ndata: \{"data"/.exec(part)?.[1];
      if (id) onEvent(id, at);
      else if (part !== ":") throw new Error(`A subscription got ${part}`);
    }
  });
}
