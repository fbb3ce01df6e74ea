import type { WebsocketTcpConverter } from "../../domain/modules/websocket-tcp-converter.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const WebsocketTcpConverterModule = builder
  .objectRef<WebsocketTcpConverter>("WebsocketTcpConverterModule")
  .implement({
    description: "Turns WebSocket connections into TCP connections.",
    interfaces: [Module],
  });

const WebsocketTcpConverterModuleInput = builder.inputType("WebsocketTcpConverterModuleInput", {
  description: "Turns WebSocket connections into TCP connections.",
  fields: (t) => ({ enabled: enabledInput(t) }),
});

export const websocketTcpConverter: ModuleType<WebsocketTcpConverter> = {
  type: WebsocketTcpConverterModule,
  input: WebsocketTcpConverterModuleInput,
  about: "Whether WebSocket becomes TCP; not when null.",
  kind: "Turns WebSockets into TCP.",
};
