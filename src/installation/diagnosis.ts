import { stat, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { type InspectedDirectory, inspectDataDirectory } from "../database/disk/data-directory.js";
import { isConnectionError } from "../database/index.js";
import { checkDatabase, checked, type DatabaseCheckOptions, nameOf } from "./database-checks.js";
import { type Finding, ok, problem, warning } from "./findings.js";
import { readPersistedOperations } from "./persisted-operations.js";
import { joinStorage } from "./storage.js";

const MIB = 1024 * 1024;
const LITTLE_SPACE_BYTES = 1024 * MIB;
const ANSWER_LIMIT_MS = 3_000;

/** Looks at everything that an installation needs. Changes nothing, but for what `repairs` says. */
export async function diagnose(
  config: Config,
  log: Logger,
  options: DatabaseCheckOptions,
): Promise<Finding[]> {
  const directory = config.DATABASE_URL === undefined ? await checkDirectory(config) : [];
  return [
    ok("configuration", "every variable is understood"),
    ...(await checkPersistedOperations(config)),
    ...directory,
    ...(await checkConnected(config, log, options)),
    await checked("port", () => checkPort(config)),
    ...(await checkMetricsPort(config)),
  ];
}

async function checkPersistedOperations(config: Config): Promise<Finding[]> {
  const { PERSISTED_OPERATIONS: file } = config;
  if (file === undefined) return [];
  const check = async () => {
    await readPersistedOperations(config);
    return ok("persisted operations", file);
  };
  return [await checked("persisted operations", check)];
}

async function checkDirectory({ DATA_DIR, ENCRYPTION_KEY }: Config): Promise<Finding[]> {
  const directory = await inspectDataDirectory(DATA_DIR);
  if (!directory) {
    return [warning("data directory", `${DATA_DIR} is not there`, "The first start makes it.")];
  }
  const mode = (await stat(directory.path)).mode & 0o777;
  const modes =
    (mode & 0o066) === 0
      ? ok(
          "data directory",
          `${directory.path}, ${directory.isInUse ? "open by a server" : "open by nobody"}`,
        )
      : problem(
          "data directory",
          `other users may read or change ${directory.path} (mode ${mode.toString(8)})`,
          `Run chmod go-rw ${directory.path}.`,
        );
  const { bavail, bsize } = await statfs(directory.path);
  const free = `${Math.floor((bavail * bsize) / MIB)} MiB free on the disk of ${directory.path}`;
  const space =
    bavail * bsize >= LITTLE_SPACE_BYTES
      ? ok("disk", free)
      : warning("disk", free, "Make room: changes are refused below 64 MiB.");
  const file =
    directory.engine !== null && ENCRYPTION_KEY === undefined
      ? [await checked("key file", () => checkKeyFile(directory))]
      : [];
  return [modes, space, ...file];
}

async function checkKeyFile(directory: InspectedDirectory): Promise<Finding> {
  const file = await directory.keyFile();
  const mode = (await stat(file)).mode & 0o777;
  if ((mode & 0o077) === 0) return ok("key file", file);
  return problem(
    "key file",
    `other users may read ${file} (mode ${mode.toString(8)})`,
    `Run chmod 600 ${file}, then edgeplane secrets rotate.`,
  );
}

async function checkConnected(
  config: Config,
  log: Logger,
  options: DatabaseCheckOptions,
): Promise<Finding[]> {
  try {
    const storage = await joinStorage(config, log);
    try {
      const findings = await checkDatabase(storage, options);
      return [ok("database", nameOf(storage.connection)), ...findings];
    } finally {
      await storage.close();
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const advice = isConnectionError(error) ? "Start the database, and check DATABASE_URL." : null;
    return [problem("database", message, advice)];
  }
}

async function checkPort({ HOST, PORT }: Config): Promise<Finding> {
  const name = `${HOST}:${PORT}`;
  const refusal = await refusalOf(HOST, PORT);
  if (refusal === null) return ok("port", `${name} is free`);
  if (refusal.code === "EADDRINUSE" && (await isEdgeplane(HOST, PORT))) {
    return ok("port", `an Edgeplane answers at ${name}`);
  }
  return problem("port", `nothing can listen at ${name}: ${refusal.message}`, "Set HOST or PORT.");
}

async function checkMetricsPort(config: Config): Promise<Finding[]> {
  const { METRICS_HOST: host = config.HOST, METRICS_PORT: port } = config;
  if (port === undefined) return [];
  const refusal = await refusalOf(host, port);
  if (refusal === null) return [ok("metrics port", `${host}:${port} is free`)];
  // That of the Edgeplane which answers at the other port.
  if (refusal.code === "EADDRINUSE" && (await isMetrics(host, port))) {
    return [ok("metrics port", `the metrics of an Edgeplane are at ${host}:${port}`)];
  }
  const message = `nothing can listen at ${host}:${port}: ${refusal.message}`;
  return [problem("metrics port", message, "Set METRICS_HOST or METRICS_PORT.")];
}

/** Why nothing can listen there; null when something can. */
function refusalOf(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

async function isEdgeplane(host: string, port: number): Promise<boolean> {
  const response = await responseOf("/livez", host, port);
  return response?.ok === true && response.headers.has("Operation-Id");
}

async function isMetrics(host: string, port: number): Promise<boolean> {
  const response = await responseOf("/metrics", host, port);
  return response?.ok === true && (await response.text().catch(() => "")).includes("edgeplane_");
}

/** What a server there answers; null when it does not. */
async function responseOf(path: string, host: string, port: number): Promise<Response | null> {
  try {
    const url = new URL(path, "http://localhost");
    url.hostname = host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host;
    url.port = String(port);
    return await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  } catch {
    return null;
  }
}
