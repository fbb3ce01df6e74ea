import type { IncomingMessage } from "node:http";
import type { Context, Span } from "@opentelemetry/api";
import { shortened } from "../domain/core/errors.js";
import { pathOf } from "../http/target.js";
import type { RequestSpan, Trace } from "../trace.js";
import { versionOfPackage } from "./version.js";

/** Sends a span of each request, and of each of its parts, to an OpenTelemetry collector. */
export interface Tracing {
  /** Begins the span of a request, as a child of what its `traceparent` names. */
  begin(request: IncomingMessage, trace: Trace): RequestSpan;
  /** Sends what has not been sent, for two seconds at most. Never throws. */
  close(): Promise<void>;
}

export interface TracingSettings {
  readonly protocol: "http/protobuf" | "http/json";
}

const LONGEST_PATH = 300;
const LONGEST_OPERATION_NAME = 100;
const CLOSE_LIMIT_MS = 2_000;
/** Errors of the collector that are reported: the first of each minute. */
const REPORT_EVERY_MS = 60_000;

/** Codes of answers that are our own fault, or that of the database. */
const FAILURES = new Set(["INTERNAL", "UNAVAILABLE", "DEADLINE_EXCEEDED"]);

/**
 * The exporter, the sampler and the resource are configured by the standard variables (`OTEL_…`). What cannot be sent is
 * dropped; `report` gets the reason.
 */
export async function createTracing(
  { protocol }: TracingSettings,
  report: (error: unknown) => void,
): Promise<Tracing> {
  const otel = await import("./opentelemetry.js");
  const { SpanKind, SpanStatusCode, trace: traces } = otel;
  const reportSome = atMostEvery(REPORT_EVERY_MS, report);
  otel.setGlobalErrorHandler(reportSome);
  const exporter = protocol === "http/json" ? new otel.JsonExporter() : new otel.ProtobufExporter();
  const ours = { "service.name": "edgeplane", "service.version": versionOfPackage() };
  const provider = new otel.BasicTracerProvider({
    resource: otel
      .resourceFromAttributes(ours)
      .merge(otel.detectResources({ detectors: [otel.envDetector] })),
    spanProcessors: [new otel.BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer("edgeplane");
  const propagator = new otel.W3CTraceContextPropagator();
  const headers = {
    keys: (request: IncomingMessage) => Object.keys(request.headers),
    get: (request: IncomingMessage, name: string) => request.headers[name],
  };

  const requestSpan = (span: Span, context: Context): RequestSpan => ({
    traceId: span.spanContext().traceId,
    begin(name, attributes) {
      const kind = "db.system.name" in attributes ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const part = tracer.startSpan(name, { kind, attributes }, context);
      return (error) => {
        if (error !== undefined) {
          part.setStatus({ code: SpanStatusCode.ERROR });
          part.setAttribute("error.type", typeOf(error));
        }
        part.end();
      };
    },
    end({ request, response, trace }) {
      // Probes would be most of all spans.
      if (trace.part === "health") return;
      const [code] = trace.codes;
      span.updateName(nameOf(request, trace));
      span.setAttributes({
        ...attributesOf(trace),
        "http.response.status_code": response.statusCode,
        ...(code !== undefined && { "error.type": code }),
      });
      if ([...trace.codes].some((each) => FAILURES.has(each))) {
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  });

  return {
    begin(request, { operationId }) {
      const parent = propagator.extract(otel.ROOT_CONTEXT, request, headers);
      const attributes = {
        "http.request.method": request.method ?? "",
        "url.path": shortened(pathOf(request), LONGEST_PATH),
        "edgeplane.operation_id": operationId,
      };
      const kind = SpanKind.SERVER;
      const span = tracer.startSpan(request.method ?? "HTTP", { kind, attributes }, parent);
      return requestSpan(span, traces.setSpan(parent, span));
    },
    async close() {
      const limit = new Promise<void>((resolve) => {
        setTimeout(resolve, CLOSE_LIMIT_MS).unref();
      });
      await Promise.race([provider.shutdown().catch(reportSome), limit]);
    },
  };
}

/** Of few values: the name of an operation only when it is one of the manifest. */
function nameOf({ method }: IncomingMessage, { route, operations }: Trace): string {
  const [operation] = operations;
  if (operation && operations.length === 1) {
    const { type, name, isPersisted } = operation;
    return isPersisted && name !== null ? `${type} ${name}` : type;
  }
  return route === null ? `${method}` : `${method} ${route}`;
}

function attributesOf({ route, keyId, operations }: Trace) {
  const [operation] = operations;
  return {
    ...(route !== null && { "http.route": route }),
    ...(keyId && { "edgeplane.key_id": keyId }),
    ...(operations.length > 1 && { "edgeplane.operations": operations.length }),
    ...(operation &&
      operations.length === 1 && {
        "graphql.operation.type": operation.type,
        ...(operation.name !== null && {
          "graphql.operation.name": shortened(operation.name, LONGEST_OPERATION_NAME),
        }),
      }),
  };
}

/** The code of an error, such as that of PostgreSQL, else its class: messages may have values. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

function atMostEvery(ms: number, report: (error: unknown) => void): (error: unknown) => void {
  let next = 0;
  return (error) => {
    const now = performance.now();
    if (now < next) return;
    next = now + ms;
    report(error);
  };
}
