import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { Logger } from "pino";
import { pruneRateLimits } from "./admission/shared-counters.js";
import { createApp } from "./app.js";
import { type Config, graphqlSettings, rateLimitSettings, tracingSettings } from "./config.js";
import { createApiKey, hasApiKeys } from "./domain/api-keys.js";
import { followersState } from "./domain/changes/following.js";
import { pruneChanges } from "./domain/changes/log.js";
import { forgetOutcomes } from "./domain/changes/repeatable-requests.js";
import type { Services } from "./domain/core/context.js";
import { createHttpServer } from "./http/server.js";
import { type Installation, openForServer, operatorContext } from "./installation/installation.js";
import { createServerLog } from "./log.js";
import type { Metrics } from "./telemetry/metrics.js";
import { createMetricsServer } from "./telemetry/metrics-server.js";
import { createTelemetry } from "./telemetry/telemetry.js";
import type { Tracing, TracingSettings } from "./telemetry/tracing.js";

const MS_PER_DAY = 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;
const SHUTDOWN_LIMIT_MS = 15_000;
const SWEEP_EVERY_MS = 100;

/** Serves both transports until the process is told to stop. Throws when it cannot start. */
export async function serve(config: Config): Promise<void> {
  // By default the heap may come to four times what is in use before it is swept. Lists make much garbage: so a busy
  // process would keep 100 MB more than it needs, and be hardly faster for it.
  setFlagsFromString("--heap-growing-percent=150");
  const log = createServerLog(config);
  // A defect that strands one request, which its deadline answers, is no reason to drop all others.
  process.on("unhandledRejection", (error) => log.error({ err: error }, "an unhandled defect"));
  try {
    await start(config, log);
  } catch (error) {
    log.flush();
    throw error;
  }
}

async function start(config: Config, log: Logger): Promise<void> {
  const { PERSISTED_OPERATIONS: manifest } = config;
  const persistedOperations = manifest === undefined ? null : await readFile(manifest, "utf8");
  const metrics = config.METRICS_PORT === undefined ? null : await loadMetrics();
  const traced = tracingSettings(config);
  const tracing = traced && (await loadTracing(traced, log));
  const telemetry = createTelemetry(metrics, tracing);
  const installation = await openForServer(config, log, telemetry, (error) => {
    log.fatal({ err: error }, "another process has taken over the data directory");
    process.exit(1);
  });
  const { services, database } = installation;
  await makeFirstKey(services);
  const pruning = forgetWhatIsOld(services, config.CHANGE_LOG_DAYS, log);
  let isStopping = false;
  const server = createHttpServer(
    createApp(services, {
      publicUrl: config.PUBLIC_URL ?? null,
      trustProxy: config.TRUST_PROXY,
      graphiql: config.GRAPHIQL,
      corsOrigins: config.CORS_ORIGINS,
      rateLimits: rateLimitSettings(config),
      versionHeaders: config.VERSION_HEADERS,
      errorCodes: config.ERROR_CODES,
      graphql: graphqlSettings(config, persistedOperations),
      logger: log,
      telemetry,
      ready: database.ping,
      isStopping: () => isStopping,
    }),
  );
  if (metrics) {
    const { ping: ready, poolState: pool } = database;
    metrics.watch({ ready, pool, followers: () => followersState(services) });
    await listenForMetrics(metrics, config, log);
  }
  await listen(server, config);
  const stop = async () => {
    log.info("stopping");
    isStopping = true;
    const drainMs = config.DRAIN_SECONDS * 1000;
    setTimeout(() => process.exit(1), drainMs + SHUTDOWN_LIMIT_MS).unref();
    clearInterval(pruning);
    await sleep(drainMs);
    await drain(server, installation);
    await tracing?.close();
    log.flush();
    process.exit(0);
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

async function listen(server: Server, { HOST, PORT }: Config): Promise<void> {
  const port = await listenOn(server, HOST, PORT);
  console.log(`Edgeplane listens on http://${HOST}:${port} (REST, and GraphQL at /graphql)`);
}

async function listenForMetrics(metrics: Metrics, config: Config, log: Logger): Promise<void> {
  const { METRICS_HOST: host = config.HOST, METRICS_PORT: port = 0 } = config;
  const server = createMetricsServer(metrics, (error) =>
    log.error({ err: error }, "the metrics cannot be read"),
  );
  const taken = await listenOn(server, host, port);
  console.log(`Metrics are at http://${host}:${taken}/metrics`);
}

/** Returns the port, which the system chooses for port 0. */
async function listenOn(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address ? address.port : port;
}

// Both are loaded only where they are asked for: they cost memory and timers.

async function loadMetrics(): Promise<Metrics> {
  const { createMetrics } = await import("./telemetry/metrics.js");
  return createMetrics();
}

async function loadTracing(settings: TracingSettings, log: Logger): Promise<Tracing> {
  const { createTracing } = await import("./telemetry/tracing.js");
  return createTracing(settings, (error) => log.warn({ err: error }, "spans cannot be sent"));
}

/** Answers the requests that run, disconnects the followers of the change log, and closes everything. */
async function drain(server: Server, { services, close }: Installation): Promise<void> {
  await services.changeSignal.close();
  const sweeping = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearInterval(sweeping);
  await close();
}

/**
 * Forgets, at start and every hour, what was changed longer ago than `days`, answers that are not kept any more, and how
 * many requests came before.
 */
function forgetWhatIsOld(services: Services, days: number, log: Logger): NodeJS.Timeout {
  const prune = async () => {
    try {
      const entries = await pruneChanges(services, new Date(Date.now() - days * MS_PER_DAY));
      if (entries > 0) log.info({ entries }, "change log pruned");
      const outcomes = await forgetOutcomes(services);
      if (outcomes > 0) log.info({ outcomes }, "kept answers forgotten");
      await pruneRateLimits(services);
    } catch (error) {
      log.warn({ err: error }, "what is old could not be forgotten");
    }
  };
  void prune();
  return setInterval(prune, PRUNE_EVERY_MS);
}

/** Nobody could create the first key without a key, so the first start creates it and shows it once. */
async function makeFirstKey(services: Services): Promise<void> {
  if (services.bootstrapKey !== null || (await hasApiKeys(services))) return;
  const key = await createApiKey(operatorContext(services), {
    description: "Made by the first start",
    scope: "write",
  });
  console.log(`The first API key, shown this once: ${key.token}`);
}
