import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import path from "node:path";

/** A network between a server and its database, which fails as networks do. */
export interface DatabaseProxy {
  /** Of the same database, through the proxy. */
  readonly url: string;
  /** Resets every connection. */
  cut(): void;
  /** Loses all data from now on, and takes connections all the same. */
  silence(): void;
  /** Passes on again: what was silent is gone, as after a network that lost it. */
  speak(): void;
  /** Holds all data back, also of new connections. */
  stall(): void;
  /** Delivers what was held back, and goes on. */
  flow(): void;
  /** Resets every connection, and each new one at once, until `accept`. */
  refuse(): void;
  accept(): void;
  /** Leads new connections to another server from now on, as the address of a database does after a failover. */
  leadTo(databaseUrl: string): void;
  /** Ends one direction of every connection: to the server, or to the database. The other stays open. */
  halfClose(towards: "server" | "database"): void;
  /**
   * Keeps back the answers to the next `count` COMMITs, which were done: "cut" resets their connections, "silence" loses
   * all that comes after.
   */
  loseCommits(count: number, how: "cut" | "silence"): void;
  close(): Promise<void>;
}

/** What PostgreSQL answers to COMMIT, however it was sent. */
const COMMITTED = Buffer.from("C\0\0\0\x0bCOMMIT\0", "latin1");

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl);
  const pairs = new Set<Pair>();
  let state: "open" | "silent" | "stalled" | "refusing" = "open";
  let commits: { left: number; readonly how: "cut" | "silence" } = { left: 0, how: "cut" };

  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    if (state === "refusing") return void client.resetAndDestroy();
    const upstream = connect({ ...addressOf(target), allowHalfOpen: true });
    const pair = { client, upstream };
    pairs.add(pair);
    let isLost = false;
    const pass = (from: Socket, to: Socket, isPassed: (chunk: Buffer) => boolean) => {
      if (state === "stalled") from.pause();
      from.on("error", () => {});
      from.on("data", (chunk: Buffer) => {
        if (state !== "silent" && isPassed(chunk)) to.write(chunk);
      });
      from.on("end", () => {
        if (state !== "silent" && !isLost) to.end();
      });
      from.on("close", () => {
        pairs.delete(pair);
        to.destroy();
      });
    };
    pass(client, upstream, () => !isLost);
    pass(upstream, client, (chunk) => {
      if (!isLost && commits.left > 0 && chunk.includes(COMMITTED)) {
        commits.left--;
        isLost = true;
        if (commits.how === "cut") client.resetAndDestroy();
      }
      return !isLost;
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  if (typeof address !== "object" || !address) throw new Error("The proxy has no port.");

  const cut = () => {
    for (const { client, upstream } of pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  };
  const sockets = () => [...pairs].flatMap(({ client, upstream }) => [client, upstream]);
  return {
    url: `postgresql://${target.username}@127.0.0.1:${address.port}${target.pathname}`,
    cut,
    silence() {
      state = "silent";
    },
    speak() {
      state = "open";
      cut();
    },
    stall() {
      state = "stalled";
      for (const socket of sockets()) socket.pause();
    },
    flow() {
      state = "open";
      for (const socket of sockets()) socket.resume();
    },
    refuse() {
      state = "refusing";
      cut();
    },
    accept() {
      state = "open";
    },
    leadTo(databaseUrl) {
      target = new URL(databaseUrl);
    },
    halfClose(towards) {
      for (const { client, upstream } of pairs) (towards === "server" ? client : upstream).end();
    },
    loseCommits(count, how) {
      commits = { left: count, how };
    },
    async close() {
      cut();
      proxy.close();
      await once(proxy, "close");
    },
  };
}

/** Of a server over TCP, or on a socket in the folder that is the host. */
function addressOf({ hostname, port }: URL) {
  const host = decodeURIComponent(hostname);
  const number = port === "" ? "5432" : port;
  return host.startsWith("/")
    ? { path: path.join(host, `.s.PGSQL.${number}`) }
    : { host, port: Number(number) };
}
