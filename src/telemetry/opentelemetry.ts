// What is used of OpenTelemetry, in one module that is loaded only where traces are asked for. The build makes one file
// of it (`scripts/bundle-opentelemetry.mjs`).

export { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
export { setGlobalErrorHandler, W3CTraceContextPropagator } from "@opentelemetry/core";
export { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
export { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
export { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
export { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
