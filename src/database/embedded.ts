import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import type { Connection } from "./connection.js";

export interface EmbeddedServer {
  readonly connection: Connection;
  /** All that is stored, for `startEmbedded` to begin with. */
  dump(): Promise<Blob>;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL inside this process, on `directory` or in memory without one, and serves it on a
 * unix socket in a private directory, so that the same pool and adapter reach it as reach a server. What is
 * not there yet begins empty, or with `dump`, which takes a third of the time.
 */
export async function startEmbedded(directory?: string, dump?: Blob): Promise<EmbeddedServer> {
  const pglite = await PGlite.create({
    ...(directory !== undefined && { dataDir: directory }),
    ...(dump && { loadDataDir: dump }),
    extensions: { pg_trgm },
  });
  const socketDirectory = await mkdtemp(path.join(tmpdir(), "edgeplane-"));
  const server = new PGLiteSocketServer({
    db: pglite,
    path: path.join(socketDirectory, ".s.PGSQL.5432"),
    // One that is being closed may overlap with the one that follows it.
    maxConnections: 4,
  });
  await server.start();
  return {
    connection: {
      embedded: true,
      host: socketDirectory,
      user: "postgres",
      database: "postgres",
      // The engine runs one statement at a time: several connections only contend.
      max: 1,
    },
    dump: () => pglite.dumpDataDir("none"),
    async stop() {
      await server.stop();
      await pglite.close();
      await rm(socketDirectory, { recursive: true, force: true });
    },
  };
}
