import type { Logging } from "../../domain/modules/logging.js";
import { builder } from "../builder/builder.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const LoggingModule = builder.objectRef<Logging>("LoggingModule").implement({
  description:
    "Logs traffic to event streams. There are none here: the module is kept for clients that read and write it.",
  interfaces: [Module],
});

const LoggingModuleInput = builder.inputType("LoggingModuleInput", {
  description: "Logs traffic to event streams, of which there are none here.",
  fields: (t) => ({
    enabled: enabledInput(t),
    eventStreamIds: t.idList({
      description:
        "The ids of event streams: none, since there are no event streams here; default none.",
    }),
  }),
});

export const logging: ModuleType<Logging> = {
  type: LoggingModule,
  input: LoggingModuleInput,
  about: "Logs traffic to event streams, of which there are none here; null means no logging.",
  kind: "Logs traffic.",
};
