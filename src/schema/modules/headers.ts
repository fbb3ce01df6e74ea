import type { Headers } from "../../domain/modules/headers.js";
import { builder } from "../builder/builder.js";
import { NameValue, nameValues, nameValuesInput } from "../builder/maps.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const REQUESTS = "Changes the headers of requests on their way upstream.";
const RESPONSES = "Changes the headers of responses on their way to the client.";

function headersModule(name: string, description: string) {
  return builder.objectRef<Headers>(name).implement({
    description,
    interfaces: [Module],
    fields: (t) => ({
      add: t.field({
        type: [NameValue],
        description: "The headers that are added, after the others are removed.",
        resolve: ({ add }) => nameValues(add),
      }),
      remove: t.exposeStringList("remove", {
        description: "The names of the headers that are removed.",
      }),
    }),
  });
}

function headersModuleInput(name: string, description: string) {
  return builder.inputType(name, {
    description,
    fields: (t) => ({
      enabled: enabledInput(t),
      add: nameValuesInput(
        t,
        "Headers to add, after the others are removed: at most 5, none when unspecified. Names are unique without regard to case, at most 256 bytes; values are printable ASCII, at most 2048 bytes.",
      ),
      remove: t.stringList({
        description:
          "Names of headers to remove: at most 5, none when unspecified; unique without regard to case, at most 256 bytes each.",
      }),
    }),
  });
}

export const requestHeaders: ModuleType<Headers> = {
  type: headersModule("RequestHeadersModule", REQUESTS),
  input: headersModuleInput("RequestHeadersModuleInput", REQUESTS),
  about: "How the headers of requests are changed; not at all when null.",
  kind: "Changes the headers of requests.",
};

export const responseHeaders: ModuleType<Headers> = {
  type: headersModule("ResponseHeadersModule", RESPONSES),
  input: headersModuleInput("ResponseHeadersModuleInput", RESPONSES),
  about: "How the headers of responses are changed; not at all when null.",
  kind: "Changes the headers of responses.",
};
