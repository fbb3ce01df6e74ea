import type { ChildProcess } from "node:child_process";
import type { Connection } from "../connection/connection.js";

// The interface that both engines of the embedded database have.

export interface EmbeddedServer {
  readonly connection: Connection;
  stop(): Promise<void>;
}

/** The log of the engine. */
export interface EngineLog {
  debug(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface EmbeddedOptions {
  readonly log: EngineLog;
  /** Settings of PostgreSQL that differ from those of `postgres.ts`, by their names. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called with the process of PostgreSQL, each time that it is started. */
  readonly onLaunch?: (server: ChildProcess) => void;
}
