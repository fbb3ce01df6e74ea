import { createServer, type Server } from "node:http";

const LIMITS = { headersTimeout: 10_000, requestTimeout: 10_000, maxHeaderSize: 16 * 1024 };

/** Metrics as Prometheus reads them, in `contentType`. */
export interface ReadableMetrics {
  text(): Promise<string>;
  readonly contentType: string;
}

/** Serves `GET /metrics` alone, without a key. */
export function createMetricsServer(
  metrics: ReadableMetrics,
  report: (defect: unknown) => void,
): Server {
  return createServer(LIMITS, (request, response) => {
    const answer = (status: number, text: string, headers = {}) => {
      response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", ...headers });
      response.end(request.method === "HEAD" ? undefined : text);
    };
    if (request.url?.split("?", 1)[0] !== "/metrics") return answer(404, "See /metrics.\n");
    if (request.method !== "GET" && request.method !== "HEAD") {
      return answer(405, "Send GET.\n", { Allow: "GET, HEAD" });
    }
    metrics.text().then(
      (text) => answer(200, text, { "Content-Type": metrics.contentType }),
      (error: unknown) => {
        report(error);
        answer(500, "The metrics cannot be read.\n");
      },
    );
  });
}
