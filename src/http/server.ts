import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { badRequest, type HttpRefusal } from "./refusals.js";

/** The handlers of the requests of a server. */
export interface HttpApp {
  readonly serve: RequestListener;
  /** Answers what is no request, or will not become a whole one. */
  refuse(request: IncomingMessage, response: ServerResponse, refusal: HttpRefusal): void;
}

/**
 * What node:http is to bear of a connection, before any of our code sees a request. Bodies are small, so slow
 * ones are no honest clients; but an idle connection is kept for longer than load balancers keep theirs, since
 * one that sends on a connection which is just being closed shows its client an error.
 */
const CONNECTION_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
  // Refused by the app, since node's own answer has no body.
  requireHostHeader: false,
} satisfies ServerOptions;

const MALFORMED = badRequest("The request is not valid HTTP/1.1.");
const PROXY = badRequest("This server is not a proxy: it does not support CONNECT.");
const REFUSALS: ReadonlyMap<string | undefined, HttpRefusal> = new Map([
  [
    "HPE_HEADER_OVERFLOW",
    {
      code: "HEADERS_TOO_LARGE",
      message: `The request line and the headers may have at most ${CONNECTION_LIMITS.maxHeaderSize} bytes.`,
    },
  ],
  [
    "HPE_CHUNK_EXTENSIONS_OVERFLOW",
    { code: "BODY_TOO_LARGE", message: "The chunk extensions of the body are too long." },
  ],
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    { code: "REQUEST_TIMEOUT", message: "The request did not arrive in time." },
  ],
]);

/** With which HTTP/2 begins. Clients that try it first take this very answer as a sign to go on with HTTP/1.1. */
const PREFACE = "PRI * HTTP/2.0\r\n";
const ANSWER_TO_PREFACE = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";

/**
 * The requests of one connection that may wait for the answers to those before them. Clients hardly send requests ahead:
 * who sends more than that would make all others wait.
 */
const MOST_WAITING = 100;

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** A server for `app` that also lets it answer what node:http would refuse by itself, without a body. */
export function createHttpServer({ serve, refuse }: HttpApp, limits: ServerOptions = {}): Server {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const waiting = new WeakMap<Duplex, number>();
  const refused = new WeakSet<Duplex>();

  // Requests of one connection are served one after another: their answers go out in this order anyway, and work on all
  // of them at once would keep other connections waiting.
  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const before = latest.get(socket);
    latest.set(socket, response);
    if (!before || before.closed) return serve(request, response);
    const count = waiting.get(socket) ?? 0;
    if (count === MOST_WAITING) return void socket.destroy();
    waiting.set(socket, count + 1);
    before.once("close", () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      // Its body may have been refused meanwhile, or the connection ended with the answer before.
      if (socket.writable && !response.headersSent) serve(request, response);
    });
  };
  const refuseConnection = (socket: Socket, request: IncomingMessage, refusal: HttpRefusal) => {
    if (!socket.writable) return void socket.destroy();
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket);
    } catch {
      // Another answer still has it.
      return void socket.destroy();
    }
    response.once("finish", () => socket.destroySoon());
    refuse(request, response, refusal);
  };

  const server = createServer({ ...CONNECTION_LIMITS, ...limits }, listener);
  // An expectation that is not known may be ignored (RFC 9110, section 10.1.1).
  server.on("checkExpectation", listener);
  server.on("connect", (request, socket) => {
    // Node has taken its own listener off.
    socket.on("error", () => {});
    if (socket instanceof Socket) refuseConnection(socket, request, PROXY);
  });
  server.on("clientError", (error: ClientError, socket) => {
    const gone = !socket.writable || error.code === "ECONNRESET" || refused.has(socket);
    if (gone || !(socket instanceof Socket)) return void socket.destroy();
    refused.add(socket);
    const packet = error.rawPacket?.toString("latin1") ?? "";
    if (packet.startsWith(PREFACE)) {
      socket.write(ANSWER_TO_PREFACE);
      return void socket.destroy();
    }
    const refusal = REFUSALS.get(error.code) ?? MALFORMED;
    const response = latest.get(socket);
    const next = () => refuseConnection(socket, requestIn(packet, socket), refusal);
    if (!response || response.closed) return next();
    // The error is in what comes after a request that is being answered, or else in that request's body.
    if (response.req.complete) return void response.once("close", next);
    response.shouldKeepAlive = false;
    refuse(response.req, response, refusal);
  });
  return server;
}

/** The facts about a request that could not be parsed. */
function requestIn(packet: string, socket: Socket): IncomingMessage {
  const request = new IncomingMessage(socket);
  const [, method, path] = /^([A-Z]{1,20}) (\/[^\s?]{0,1000})/.exec(packet) ?? [];
  if (method !== undefined && path !== undefined) Object.assign(request, { method, url: path });
  // So that a page can read why.
  const [, origin] = /\r\norigin: *([^\s,]{1,300})\r\n/i.exec(packet) ?? [];
  if (origin !== undefined) request.headers.origin = origin;
  return request;
}
