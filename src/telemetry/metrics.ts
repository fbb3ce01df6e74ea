import { type Aggregator, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { PoolState, StatementKind } from "../database/index.js";
import type { FollowersState } from "../domain/changes/following.js";
import type { MeteredChange, ReadPlan } from "../domain/core/context.js";
import type { EndedRequest } from "../trace.js";
import type { ReadableMetrics } from "./metrics-server.js";
import { collectProcessMetrics, type MetricValues, valuesOf } from "./process-metrics.js";
import { versionOfPackage } from "./version.js";

/** What is looked at when the metrics are asked for. */
interface Sources {
  /** Resolves while the database can be reached. */
  ready(): Promise<void>;
  pool(): PoolState;
  followers(): FollowersState;
}

/** The metrics of a process. */
export interface Metrics extends ReadableMetrics {
  ended(ended: EndedRequest): void;
  statement(kind: StatementKind, seconds: number, failed: boolean): void;
  /** Someone has waited for a connection, since none was idle. */
  waited(seconds: number): void;
  changed(changes: readonly MeteredChange[]): void;
  read(plan: ReadPlan): void;
  readFrom(server: "replica" | "primary"): void;
  /** To be called once, when there is something to look at. */
  watch(sources: Sources): void;
  /** All metrics, to be added up with those of other processes. */
  values(): Promise<MetricValues>;
}

const METHODS: ReadonlyMap<string, string> = new Map(
  ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map((method) => [method, method]),
);
const REQUEST_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const DATABASE_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

/** Every label has few values: what a client chooses, such as a path, becomes one of ours, or one for all others. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectProcessMetrics(registry);

  const requests = new Counter({
    name: "edgeplane_http_requests_total",
    help: "Requests that have ended.",
    labelNames: ["transport", "route", "method", "status"] as const,
    registers,
  });
  const requestSeconds = new Histogram({
    name: "edgeplane_http_request_duration_seconds",
    help: "Time from the head of a request to the end of its answer, without subscriptions.",
    labelNames: ["transport", "route", "method"] as const,
    buckets: REQUEST_SECONDS,
    registers,
  });
  const errors = new Counter({
    name: "edgeplane_errors_total",
    help: "Requests whose answer has an error with this code.",
    labelNames: ["transport", "code"] as const,
    registers,
  });
  const rateLimited = new Counter({
    name: "edgeplane_rate_limited_requests_total",
    help: "Requests that were refused since too many came, from one API key or without a valid key from one network.",
    labelNames: ["sender"] as const,
    registers,
  });
  const operations = new Counter({
    name: "edgeplane_graphql_operations_total",
    help: "GraphQL operations that could be parsed; name is empty but for those of the manifest of persisted operations.",
    labelNames: ["type", "name"] as const,
    registers,
  });
  const reads = new Counter({
    name: "edgeplane_graphql_reads_total",
    help: "Reads of GraphQL: of a root field with all below it, with a plan that was kept or made; or of what such a read has not brought, with none.",
    labelNames: ["plan"] as const,
    registers,
  });
  const replicaReads = new Counter({
    name: "edgeplane_replica_reads_total",
    help: "Statements of queries where there is a replica, by the server that they were sent to.",
    labelNames: ["server"] as const,
    registers,
  });
  const statementSeconds = new Histogram({
    name: "edgeplane_database_statement_duration_seconds",
    help: "Time from sending a statement to its answer.",
    labelNames: ["kind"] as const,
    buckets: DATABASE_SECONDS,
    registers,
  });
  const statementErrors = new Counter({
    name: "edgeplane_database_statement_errors_total",
    help: "Statements that were answered with an error, or not at all.",
    labelNames: ["kind"] as const,
    registers,
  });
  const waitSeconds = new Histogram({
    name: "edgeplane_database_pool_wait_seconds",
    help: "Waits for a connection when none was idle, also those in vain.",
    buckets: DATABASE_SECONDS,
    registers,
  });
  const changes = new Counter({
    name: "edgeplane_changes_total",
    help: "Changes that this process has committed.",
    labelNames: ["kind", "action"] as const,
    registers,
  });
  const info = new Gauge({
    name: "edgeplane_build_info",
    help: "The version that runs; the value is 1.",
    labelNames: ["version"] as const,
    aggregator: "first",
    registers,
  });
  info.set({ version: versionOfPackage() }, 1);

  return {
    ended({ request, response, trace, ms }) {
      const { part: transport, codes, keyId } = trace;
      const route = trace.route ?? "unknown";
      const method = METHODS.get(request.method ?? "") ?? "OTHER";
      const status = response.headersSent ? response.statusCode : "none";
      requests.inc({ transport, route, method, status });
      if (trace.operations.every(({ type }) => type !== "subscription")) {
        requestSeconds.observe({ transport, route, method }, ms / 1000);
      }
      for (const code of codes) errors.inc({ transport, code });
      if (codes.has("RATE_LIMITED")) {
        rateLimited.inc({ sender: keyId === undefined ? "network" : "key" });
      }
      for (const { type, name, isPersisted } of trace.operations) {
        operations.inc({ type, name: (isPersisted && name) || "" });
      }
    },
    statement(kind, seconds, failed) {
      statementSeconds.observe({ kind }, seconds);
      if (failed) statementErrors.inc({ kind });
    },
    waited: (seconds) => waitSeconds.observe(seconds),
    changed(committed) {
      for (const { kind, action } of committed) changes.inc({ kind, action });
    },
    read: (plan) => reads.inc({ plan }),
    readFrom: (server) => replicaReads.inc({ server }),
    watch: (sources) => watch(registry, sources),
    values: () => valuesOf(registry),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function watch(registry: Registry, { ready, pool, followers }: Sources): void {
  const gauge = (
    name: string,
    help: string,
    value: () => number | Promise<number>,
    aggregator: Aggregator = "sum",
  ) =>
    new Gauge({
      name,
      help,
      aggregator,
      registers: [registry],
      async collect() {
        this.set(await value());
      },
    });
  gauge(
    "edgeplane_ready",
    "Whether the database can be reached: 1 or 0.",
    () =>
      ready().then(
        () => 1,
        () => 0,
      ),
    "min",
  );
  gauge(
    "edgeplane_database_pool_max_connections",
    "Connections that there may be.",
    () => pool().max,
  );
  gauge("edgeplane_database_pool_used_connections", "Connections in use.", () => pool().used);
  gauge(
    "edgeplane_database_pool_idle_connections",
    "Connections that are open and idle.",
    () => pool().idle,
  );
  gauge("edgeplane_database_pool_waiting", "Who wait for a connection.", () => pool().waiting);
  gauge("edgeplane_followers", "Subscribers that follow the change log.", () => followers().count);
  gauge(
    "edgeplane_follower_lag_seconds",
    "Age of the oldest change that some follower has not taken, or time for which the log is held up for one; 0 when all have all.",
    () => followers().lagMs / 1000,
    "max",
  );
}
