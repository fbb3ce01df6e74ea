import type { WebsocketTcpConverter } from "../../domain/modules/websocket-tcp-converter.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module } from "./module.js";

export const WebsocketTcpConverterModule = builder
  .objectRef<WebsocketTcpConverter>("WebsocketTcpConverterModule")
  .implement({
    description: "Turns WebSocket connections into TCP connections.",
    interfaces: [Module],
  });

export const WebsocketTcpConverterModuleInput = builder.inputType(
  "WebsocketTcpConverterModuleInput",
  {
    description: "Turns WebSocket connections into TCP connections.",
    fields: (t) => ({ enabled: enabledInput(t) }),
  },
);
