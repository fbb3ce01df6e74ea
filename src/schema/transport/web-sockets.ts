import type { IncomingMessage } from "node:http";
import { badRequest, type HttpRefusal } from "../../http/refusals.js";
import { HOW_TO_SUBSCRIBE } from "./event-stream.js";

/** The refusal of a request that asks for a WebSocket, null for others. Browsers send it without a key. */
export function webSocketProblem({ headers }: IncomingMessage): HttpRefusal | null {
  const asks = headers.upgrade
    ?.split(",")
    .some((each) => each.trim().toLowerCase() === "websocket");
  return asks ? badRequest(`This server has no WebSockets. ${HOW_TO_SUBSCRIBE}`) : null;
}
