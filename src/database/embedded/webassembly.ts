import path from "node:path";
import type { EmbeddedServer } from "./engine.js";

/**
 * Starts PostgreSQL compiled to WebAssembly inside this process, and serves it on a socket in `socketFolder`, so that
 * the same pool and adapter reach it as reach a server. Its packages are loaded only where it runs.
 */
export async function startWebAssembly(
  directory: string,
  socketFolder: string,
): Promise<EmbeddedServer> {
  const [{ PGlite }, { pg_trgm }, { PGLiteSocketServer }] = await Promise.all([
    import("@electric-sql/pglite"),
    import("@electric-sql/pglite/contrib/pg_trgm"),
    import("@electric-sql/pglite-socket"),
  ]);
  const pglite = await PGlite.create({ dataDir: directory, extensions: { pg_trgm } });
  const server = new PGLiteSocketServer({
    db: pglite,
    path: path.join(socketFolder, ".s.PGSQL.5432"),
    // One that is being closed may overlap with the one that follows it.
    maxConnections: 4,
  });
  await server.start();
  return {
    connection: {
      inProcess: true,
      host: socketFolder,
      user: "postgres",
      database: "postgres",
      // The engine runs one statement at a time: several connections only contend.
      max: 1,
    },
    async stop() {
      await server.stop();
      await pglite.close();
    },
  };
}
