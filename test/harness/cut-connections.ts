import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server whose connections can be cut, as networks do. */
export interface CutConnections {
  readonly url: string;
  /** Resets every connection that is open. Returns how many there were. */
  cut(): number;
  close(): Promise<void>;
}

/** Passes on what comes to a port of its own to the server at `target`, which may be PostgreSQL behind a socket file. */
export async function cutConnections(target: string): Promise<CutConnections> {
  const { hostname, port } = new URL(target);
  const folder = decodeURIComponent(hostname);
  const address = folder.startsWith("/")
    ? { path: `${folder}/.s.PGSQL.5432` }
    : { host: hostname, port: Number(port || 5432) };
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(address);
    open.add(client);
    client.pipe(server).pipe(client);
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
    for (const socket of open) socket.resetAndDestroy();
    return count;
  };
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut,
    async close() {
      cut();
      proxy.close();
      await once(proxy, "close");
    },
  };
}
