import { z } from "zod";
import { enabled } from "./enabled.js";
import { plainModule } from "./module.js";

/** Converts WebSocket connections to TCP connections (specification, EndpointWebsocketTCPConverter). */
export const websocketTcpConverter = plainModule(z.strictObject({ enabled }));

export type WebsocketTcpConverter = z.output<typeof websocketTcpConverter.rule>;
