import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { followersState } from "../src/domain/changes/following.js";
import { type EventReader, endOfLog, openEvents, type SentEvent } from "./harness/event-streams.js";
import { type Query, startServer, type TestServer } from "./harness/server.js";
import { type Fields, rest } from "./harness/transports.js";

// Many who follow the change log: what they share, and what each has for itself.

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ connections: 4 });
});
afterAll(() => server.stop());

const open: EventReader[] = [];
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});

async function follow(query: string, key: string, variables: Fields = {}): Promise<EventReader> {
  const position = variables.after ?? (await endOfLog(server));
  const reader = await openEvents(server, key, { query, variables }, position);
  open.push(reader);
  return reader;
}

async function next(reader: EventReader): Promise<Fields> {
  const event = await reader.next();
  return event?.result ?? {};
}

async function createKey(scope: "read" | "write"): Promise<{ id: string; token: string }> {
  const { body } = await rest(server, "POST", "/api_keys", { scope });
  return { id: body.id, token: body.token };
}

async function createPolicy(description: string, metadata = ""): Promise<string> {
  return (await rest(server, "POST", "/ip_policies", { description, metadata })).body.id;
}

const MANY = 150;
const TWENTY_TIMES = Array.from({ length: 20 }, (_, n) => `a${n}: differences { after }`).join(" ");
/** Events of 80 KiB for `createLarge`: `MANY` of them are more than any buffer in between takes. */
const LARGE_EVENTS = `subscription { changes(types: [IP_POLICY]) { resourceId ${TWENTY_TIMES} } }`;

function createLarge(): Promise<string> {
  return createPolicy("", "x".repeat(4096));
}

/** When all who follow wait for the next change. */
async function allWait() {
  const sent = () => server.queries(() => new Promise((resolve) => setTimeout(resolve, 100)));
  while (logRead(await sent()).length);
}

/** Creates a policy, and returns what each got of it and what that was read with. */
async function delivered(readers: readonly EventReader[], description: string) {
  await allWait();
  let events: Fields[] = [];
  const queries = await server.queries(async () => {
    await createPolicy(description);
    events = await Promise.all(readers.map(next));
  });
  return { events, queries };
}

const policiesRead = (queries: readonly Query[]) =>
  queries.filter(({ text }) => /^\s*SELECT[^;]*FROM "?(public"?\."?)?ip_policies/i.test(text));

/** Readings of the log. How many one change takes is a matter of time: it may not be settled at the first. */
const logRead = (queries: readonly Query[]) =>
  queries.filter(({ text }) => text.includes("FROM changes"));
/** All but the readings of the log, how far it can be read, and what lets it be read further. */
const besidesLog = (queries: readonly Query[]) =>
  queries
    .map(({ text }) => text)
    .filter((text) => !/FROM changes|FROM pg_locks|^SELECT pg_current_xact_id\(\)/.test(text));

const NODE =
  "changes(types: [IP_POLICY]) { id resourceId differences { path after } resource { id description version } }";

describe("subscribers who ask the same", () => {
  it("are served with the statements of a single one, however many they are and whosever keys they have", async () => {
    const single = [await follow(`subscription { ${NODE} }`, (await createKey("read")).token)];
    await delivered(single, "first");
    const ofOne = await delivered(single, "one");
    const many = [...single];
    for (let n = 0; n < 23; n++) {
      many.push(await follow(`subscription { ${NODE} }`, (await createKey("read")).token));
    }
    await delivered(many, "all are at one place");
    const ofMany = await delivered(many, "many");
    expect(policiesRead(ofOne.queries)).toHaveLength(1);
    expect(new Set(besidesLog(ofMany.queries))).toEqual(new Set(besidesLog(ofOne.queries)));
    // On a busy machine some may read a moment after the others.
    expect(policiesRead(ofMany.queries).length).toBeLessThan(many.length / 4);
    expect(besidesLog(ofMany.queries).length).toBeLessThan(many.length);
    expect(logRead(ofMany.queries).length).toBeLessThan(many.length);
    expect(new Set(ofMany.events.map((event) => JSON.stringify(event))).size).toBe(1);
    expect(ofMany.events[0]?.data.changes).toMatchObject({ resource: { description: "many" } });
  });

  it("are so also when they began at other places, and ask for other events", async () => {
    const query = `subscription($types: [ResourceType!], $after: String) { list: ${NODE.replace("types: [IP_POLICY]", "types: $types, after: $after")} }`;
    const readers: EventReader[] = [];
    const asked = [["IP_POLICY"], ["IP_POLICY", "API_KEY"], []];
    for (const types of [...asked, ...asked, ...asked, ...asked]) {
      const after = await endOfLog(server);
      await createPolicy("before");
      readers.push(await follow(query, server.readKey, { types, after }));
    }
    // The first is twelve policies behind, the last one.
    for (const [n, reader] of readers.entries()) {
      for (let missed = n; missed < readers.length; missed++) await next(reader);
    }
    await delivered(readers, "all are at one place");
    const { events, queries } = await delivered(readers, "now");
    expect(policiesRead(queries).length).toBeLessThan(readers.length / 3);
    for (const { data } of events) expect(data.list.resource).toMatchObject({ description: "now" });
  });

  it("each see at every event what is there then, and not what an earlier one read", async () => {
    const readers = [
      await follow(`subscription { ${NODE} }`, server.readKey),
      await follow(`subscription { ${NODE} }`, server.readKey),
    ];
    const id = await createPolicy("one");
    const first = await Promise.all(readers.map(next));
    await rest(server, "PATCH", `/ip_policies/${id}`, { description: "two" });
    const second = await Promise.all(readers.map(next));
    const described = (events: Fields[]) => events.map(({ data }) => data.changes.resource);
    expect(described(first)).toMatchObject([{ description: "one" }, { description: "one" }]);
    expect(described(second)).toMatchObject([
      { description: "two", version: 2 },
      { description: "two", version: 2 },
    ]);
  });
});

describe("subscribers who differ", () => {
  it("in their rights are told a secret, or not", async () => {
    const query = `subscription { changes(types: [HTTPS_EDGE_ROUTE]) {
      resource { ... on HttpsEdgeRoute { webhookVerification { secret } } } } }`;
    const readers = [
      await follow(query, server.writeKey),
      await follow(query, server.readKey),
      await follow(query, server.writeKey),
    ];
    const edge = (await rest(server, "POST", "/edges/https", {})).body;
    const route = { match_type: "path_prefix", match: "/" };
    const module = { webhook_verification: { provider: "stripe", secret: "whsec_shown" } };
    await rest(server, "POST", `/edges/https/${edge.id}/routes`, { ...route, ...module });
    const events = await Promise.all(readers.map(next));
    expect(events.map(({ data }) => data.changes.resource.webhookVerification.secret)).toEqual([
      "whsec_shown",
      "",
      "whsec_shown",
    ]);
  });

  it("in a variable, the operation or the document get each their own answer", async () => {
    const query = `
      subscription Long($withResource: Boolean!) { ...Changes }
      subscription Short($withResource: Boolean!) { changes { action id @include(if: $withResource) } }
      fragment Changes on Subscription { changes { action resource @include(if: $withResource) { version } } }`;
    const ask = async (operationName: string, withResource: boolean) => {
      const body = { query, operationName, variables: { withResource } };
      const reader = await openEvents(server, server.readKey, body, await endOfLog(server));
      open.push(reader);
      return reader;
    };
    const readers = [
      await ask("Long", true),
      await ask("Long", false),
      await ask("Short", false),
      await follow("subscription { other: changes { action } }", server.readKey),
      await ask("Long", true),
    ];
    const { events } = await delivered(readers, "asked for in many ways");
    const action = "CREATED";
    expect(events.map(({ data }) => data)).toEqual([
      { changes: { action, resource: { version: 1 } } },
      { changes: { action } },
      { changes: { action } },
      { other: { action } },
      { changes: { action, resource: { version: 1 } } },
    ]);
  });

  it("are each told a defect with the id of their own request", async () => {
    const query = `subscription { changes(types: [IP_POLICY]) {
      resourceId resource { ... on IpPolicy { rules { nodes { id } } } } } }`;
    const readers = [
      await follow(query, server.readKey),
      await follow(query, server.readKey),
      await follow(query, server.writeKey),
    ];
    const { db } = server.context;
    await db.$executeRaw`ALTER TABLE ip_policy_rules RENAME TO hidden_rules`;
    let events: (SentEvent | null)[] = [];
    try {
      await createPolicy("of unknown rules");
      events = await Promise.all(readers.map((reader) => reader.next()));
    } finally {
      await db.$executeRaw`ALTER TABLE hidden_rules RENAME TO ip_policy_rules`;
    }
    expect(events).toHaveLength(readers.length);
    for (const [n, event] of events.entries()) {
      const [error, ...others] = event?.result.errors ?? [];
      const operationId = readers[n]?.headers["operation-id"];
      expect(others).toEqual([]);
      expect(error.extensions).toEqual({ code: "INTERNAL", operationId });
      expect(event?.result.extensions.eventId).toBe(event?.id);
    }
  });
});

describe("a subscriber", () => {
  it("whose key is revoked is told so and left, though nothing happens that it follows", async () => {
    const key = await createKey("read");
    const query = "subscription { changes(types: [TLS_EDGE]) { id } }";
    const [revoked, other] = [await follow(query, key.token), await follow(query, server.readKey)];
    await rest(server, "DELETE", `/api_keys/${key.id}`);
    expect(await next(revoked)).toMatchObject({
      errors: [{ extensions: { code: "UNAUTHENTICATED" } }],
    });
    expect(await revoked.next()).toBeNull();
    const { body } = await rest(server, "POST", "/edges/tls", {});
    const { data } = await next(other);
    expect(data.changes.id).toBe(await endOfLog(server));
    expect(body.id).toBeTruthy();
  });

  it("that does not read keeps nobody waiting, and gets everything when it reads", async () => {
    const [slow, quick] = [
      await follow(LARGE_EVENTS, server.readKey),
      await follow(LARGE_EVENTS, server.readKey),
    ];
    slow.pause();
    const made: string[] = [];
    const received = async (reader: EventReader) => (await next(reader)).data.changes.resourceId;
    for (let n = 0; n < MANY; n++) {
      made.push(await createLarge());
      expect(await received(quick)).toBe(made.at(-1));
    }
    slow.resume();
    for (const id of made) expect(await received(slow)).toBe(id);
  }, 60_000);

  it("that reads nothing for long is disconnected, and goes on where it was", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const start = await endOfLog(server);
      const stalled = await openEvents(server, server.readKey, { query: LARGE_EVENTS }, start);
      stalled.pause();
      const made: string[] = [];
      for (let n = 0; n < MANY; n++) made.push(await createLarge());
      const followers = () => followersState(server.context).count;
      const before = followers();
      await vi.waitFor(async () => {
        await vi.advanceTimersByTimeAsync(25_000);
        expect(followers()).toBe(before - 1);
      });
      stalled.resume();
      const seen: string[] = [];
      let last = start;
      const read = async (reader: EventReader) => {
        const { id, result } = (await reader.next()) ?? {};
        last = id ?? last;
        seen.push(result?.data.changes.resourceId);
      };
      await expect(
        (async () => {
          for (;;) await read(stalled);
        })(),
      ).rejects.toThrow();
      expect(seen.length).toBeLessThan(made.length);
      const again = await follow(LARGE_EVENTS, server.readKey, { after: last });
      while (seen.length < made.length) await read(again);
      expect(seen).toEqual(made);
    } finally {
      vi.useRealTimers();
    }
  }, 60_000);

  it("that reads slowly stays connected, however long it takes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const slow = await follow(LARGE_EVENTS, server.readKey);
      slow.pause();
      const made: string[] = [];
      for (let n = 0; n < MANY; n++) made.push(await createLarge());
      const seen: string[] = [];
      while (seen.length < made.length) {
        await vi.advanceTimersByTimeAsync(25_000);
        slow.resume();
        // 2 MiB: less would be taken out of buffers of the system alone.
        for (let n = 0; n < 25; n++) seen.push((await next(slow)).data.changes.resourceId);
        slow.pause();
      }
      expect(seen).toEqual(made);
    } finally {
      vi.useRealTimers();
    }
  }, 60_000);

  it.each(["application/json", "application/graphql-response+json", "multipart/mixed"])(
    "is refused when it takes %s alone",
    async (accept) => {
      const query = encodeURIComponent("subscription { changes { id } }");
      const answer = await fetch(`${server.url}/graphql?query=${query}`, {
        headers: { Authorization: `Bearer ${server.readKey}`, Accept: accept },
      });
      expect(answer.status).toBe(406);
      const { errors } = (await answer.json()) as Fields;
      expect(errors).toMatchObject([{ extensions: { code: "NOT_ACCEPTABLE" } }]);
    },
  );

  it("is sent something every 25 seconds, so that a quiet connection is known to be open", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const abort = new AbortController();
      const query = encodeURIComponent("subscription { changes { id } }");
      const { body } = await fetch(`${server.url}/graphql?query=${query}`, {
        headers: { Authorization: `Bearer ${server.readKey}`, Accept: "text/event-stream" },
        signal: abort.signal,
      });
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      expect(await reader?.read()).toMatchObject({ value: ":\n\n" });
      const next = reader?.read();
      await vi.advanceTimersByTimeAsync(25_000);
      expect(await next).toMatchObject({ value: ":\n\n" });
      abort.abort();
    } finally {
      vi.useRealTimers();
    }
  });

  it("is told why its subscription ends when the log cannot be read, and from where to go on", async () => {
    const reader = await follow("subscription { changes { id } }", server.readKey);
    await createPolicy("the last one seen");
    const seen = await reader.next();
    const { db, changeSignal } = server.context;
    await db.$executeRaw`ALTER TABLE changes RENAME TO hidden_changes`;
    try {
      changeSignal.announce();
      const last = await reader.next();
      expect(last).toMatchObject({
        id: seen?.id,
        result: { errors: [{ extensions: { code: "INTERNAL" } }] },
      });
      expect(await reader.next()).toBeNull();
    } finally {
      await db.$executeRaw`ALTER TABLE hidden_changes RENAME TO changes`;
    }
  });
});
