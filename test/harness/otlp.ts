import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { Fields } from "./transports.js";

/** A span as it is sent as JSON, with its attributes by their names. */
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** 1 for a part of a request, 2 for a request, 3 for a statement. */
  readonly kind: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly SentSpan[];
  /** All that it was sent, as text. */
  readonly bodies: readonly string[];
  readonly contentTypes: readonly (string | undefined)[];
  stop(): Promise<void>;
}

/** Receives spans over OTLP/HTTP; those of protobuf as text only. */
export async function startCollector(): Promise<Collector> {
  const spans: SentSpan[] = [];
  const bodies: string[] = [];
  const contentTypes: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    bodies.push(body);
    contentTypes.push(request.headers["content-type"]);
    const isJson = request.headers["content-type"] === "application/json";
    if (isJson) spans.push(...spansIn(JSON.parse(body)));
    response.writeHead(200, { "Content-Type": request.headers["content-type"] });
    response.end(isJson ? "{}" : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The collector has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    bodies,
    contentTypes,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansIn({ resourceSpans }: Fields): SentSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: Fields) =>
    scopeSpans.flatMap(({ spans }: Fields) =>
      spans.map((span: Fields) => ({
        ...span,
        isError: span.status.code === 2,
        attributes: named(span.attributes),
        resource: named(resource.attributes),
      })),
    ),
  );
}

function named(attributes: Fields[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
