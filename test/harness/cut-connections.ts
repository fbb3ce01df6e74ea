import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server whose connections can be cut, as networks do. */
export interface CutConnections {
  readonly url: string;
  /** Resets every connection that is open. Returns how many there were. */
  cut(): number;
  /** Resets every connection, and each new one at once, until `accept`. */
  refuse(): void;
  accept(): void;
  /** Passes nothing on any more, on connections that stay open, also on new ones, until `accept`, which resets them. */
  silence(): void;
  close(): Promise<void>;
}

/** Passes on what comes to a port of its own to the server at `target`, which may be PostgreSQL behind a socket file. */
export async function cutConnections(target: string): Promise<CutConnections> {
  const { hostname, port } = new URL(target);
  const folder = decodeURIComponent(hostname);
  const address = folder.startsWith("/")
    ? { path: `${folder}/.s.PGSQL.5432` }
    : { host: hostname, port: Number(port || 5432) };
  const open = new Map<Socket, Socket>();
  let state: "open" | "refusing" | "silent" = "open";
  const proxy = createServer((client) => {
    if (state === "refusing") return void client.resetAndDestroy();
    const server = connect(address);
    open.set(client, server);
    if (state === "open") client.pipe(server).pipe(client);
    for (const socket of [client, server]) {
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(client);
        client.destroy();
        server.destroy();
      });
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const cut = () => {
    const count = open.size;
    for (const socket of open.keys()) socket.resetAndDestroy();
    return count;
  };
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut,
    refuse() {
      state = "refusing";
      cut();
    },
    accept() {
      if (state === "silent") cut();
      state = "open";
    },
    silence() {
      state = "silent";
      for (const [client, server] of open) {
        client.unpipe(server);
        server.unpipe(client);
      }
    },
    async close() {
      cut();
      proxy.close();
      await once(proxy, "close");
    },
  };
}
