import type { Server } from "node:http";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { createMetricsServer, type ReadableMetrics } from "../telemetry/metrics-server.js";

/** Begins to listen. Returns the port, which the system chooses for port 0. */
export async function listenOn(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address ? address.port : port;
}

/** Serves the metrics at the address of the configuration, and says where. */
export async function listenForMetrics(
  metrics: ReadableMetrics,
  config: Config,
  log: Logger,
): Promise<void> {
  const { METRICS_HOST: host = config.HOST, METRICS_PORT: port = 0 } = config;
  const server = createMetricsServer(metrics, (error) =>
    log.error({ err: error }, "the metrics cannot be read"),
  );
  const taken = await listenOn(server, host, port);
  console.error(`Metrics are at ${urlOf(host, taken)}/metrics`);
}

/** Says where requests are served: whoever started the command may wait for this line of the standard error. */
export function announceAddress({ HOST }: Config, port: number): void {
  console.error(`Edgeplane listens on ${urlOf(HOST, port)} (REST, and GraphQL at /graphql)`);
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
