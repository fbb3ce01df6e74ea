import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Counters } from "../admission/counters.js";
import { createApp } from "../app.js";
import { type Config, graphqlSettings, rateLimitSettings, tracingSettings } from "../config.js";
import { followersState } from "../domain/changes/following.js";
import { createHttpServer } from "../http/server.js";
import type { Installation, Observers } from "../installation/installation.js";
import { readPersistedOperations } from "../installation/persisted-operations.js";
import type { Metrics } from "../telemetry/metrics.js";
import { createTelemetry } from "../telemetry/telemetry.js";
import type { Tracing, TracingSettings } from "../telemetry/tracing.js";
import { listenOn } from "./listening.js";

const SWEEP_EVERY_MS = 100;

/** A process that serves requests. */
export interface Serving {
  readonly installation: Installation;
  /** Null where nobody asks for them. */
  readonly metrics: Metrics | null;
  /** Takes requests from now on. Returns the port. */
  listen(): Promise<number>;
  /**
   * Says no at `/readyz` and serves on for `drainMs`, or until `now` is aborted. Then answers the requests that run,
   * disconnects the followers of the change log, and closes everything.
   */
  stop(drainMs: number, now?: AbortSignal): Promise<void>;
}

/**
 * Makes all that serves requests, on the installation that `open` opens for observers. A worker has the counters of its
 * primary.
 */
export async function prepareServing(
  config: Config,
  log: Logger,
  open: (observers: Observers) => Promise<Installation>,
  primaryCounters?: Counters,
): Promise<Serving> {
  const persistedOperations = await readPersistedOperations(config);
  const metrics = config.METRICS_PORT === undefined ? null : await loadMetrics();
  const traced = tracingSettings(config);
  const tracing = traced && (await loadTracing(traced, log));
  const telemetry = createTelemetry(metrics, tracing);
  const installation = await open(telemetry);
  const { services, database } = installation;
  let isStopping = false;
  const server = createHttpServer(
    createApp(services, {
      publicUrl: config.PUBLIC_URL ?? null,
      trustProxy: config.TRUST_PROXY,
      dashboard: config.DASHBOARD,
      graphiql: config.GRAPHIQL,
      corsOrigins: config.CORS_ORIGINS,
      rateLimits: rateLimitSettings(config),
      primaryCounters,
      versionHeaders: config.VERSION_HEADERS,
      errorCodes: config.ERROR_CODES,
      graphql: graphqlSettings(config, persistedOperations),
      logger: log,
      telemetry,
      ready: database.ping,
      isStopping: () => isStopping,
    }),
  );
  const { ping: ready, poolState: pool } = database;
  metrics?.watch({ ready, pool, followers: () => followersState(services) });
  return {
    installation,
    metrics,
    listen: () => listenOn(server, config.HOST, config.PORT),
    async stop(drainMs, now) {
      isStopping = true;
      await sleep(drainMs, undefined, { signal: now }).catch(() => {});
      await drain(server, installation);
      await tracing?.close();
    },
  };
}

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

// Both are loaded only where they are asked for: they cost memory and timers.

async function loadMetrics(): Promise<Metrics> {
  const { createMetrics } = await import("../telemetry/metrics.js");
  return createMetrics();
}

async function loadTracing(settings: TracingSettings, log: Logger): Promise<Tracing> {
  const { createTracing } = await import("../telemetry/tracing.js");
  return createTracing(settings, (error) => log.warn({ err: error }, "spans cannot be sent"));
}
