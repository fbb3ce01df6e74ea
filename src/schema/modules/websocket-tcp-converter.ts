import type { WebsocketTcpConverter } from "../../domain/modules/websocket-tcp-converter.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const WebsocketTcpConverterModule = builder
  .objectRef<WebsocketTcpConverter>("WebsocketTcpConverterModule")
  .implement({
    description: "Converts WebSocket connections to TCP connections.",
    interfaces: [Module],
  });

const WebsocketTcpConverterModuleInput = builder.inputType("WebsocketTcpConverterModuleInput", {
  description: "Converts WebSocket connections to TCP connections.",
  fields: (t) => ({ enabled: enabledInput(t) }),
});

export const websocketTcpConverter: ModuleType<WebsocketTcpConverter> = {
  type: WebsocketTcpConverterModule,
  input: WebsocketTcpConverterModuleInput,
  about: "Converts WebSocket connections to TCP connections; null means no conversion.",
  kind: "Converts WebSocket connections to TCP connections.",
};
