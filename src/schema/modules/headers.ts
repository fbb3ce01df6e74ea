import type { Headers } from "../../domain/modules/headers.js";
import { MAX_HEADERS, MAX_NAME_BYTES, MAX_VALUE_BYTES } from "../../domain/modules/headers.js";
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
        description:
          "The headers to add. They are added after the headers in `remove` are removed.",
        resolve: ({ add }) => nameValues(add),
      }),
      remove: t.exposeStringList("remove", {
        description: "The names of the headers to remove.",
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
        `The headers to add: at most ${MAX_HEADERS}; default none. They are added after the headers in \`remove\` are removed. Names have at most ${MAX_NAME_BYTES} bytes and are unique, ignoring case; values are printable ASCII, at most ${MAX_VALUE_BYTES} bytes.`,
      ),
      remove: t.stringList({
        description: `The names of the headers to remove: at most ${MAX_HEADERS}, of at most ${MAX_NAME_BYTES} bytes each, unique, ignoring case; default none.`,
      }),
    }),
  });
}

export const requestHeaders: ModuleType<Headers> = {
  type: headersModule("RequestHeadersModule", REQUESTS),
  input: headersModuleInput("RequestHeadersModuleInput", REQUESTS),
  about: "Changes the headers of requests; null means no change.",
  kind: "Changes the headers of requests.",
};

export const responseHeaders: ModuleType<Headers> = {
  type: headersModule("ResponseHeadersModule", RESPONSES),
  input: headersModuleInput("ResponseHeadersModuleInput", RESPONSES),
  about: "Changes the headers of responses; null means no change.",
  kind: "Changes the headers of responses.",
};
