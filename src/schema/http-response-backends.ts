import { deleteBackend } from "../domain/backends.js";
import {
  createHttpResponseBackend,
  httpResponseBackendInputs,
  MAX_BODY_BYTES,
  MAX_HEADERS,
  updateHttpResponseBackend,
} from "../domain/http-response-backends.js";
import { httpResponseBackendList } from "../domain/lists/filters/http-response-backends.js";
import type { HttpResponseBackend } from "../domain/reads/backends.js";
import { BackendInterface, unusedBackend } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import { NameValue, nameValues, nameValuesInput } from "./builder/maps.js";
import { collection } from "./collection.js";

const HttpResponseBackendType = builder
  .objectRef<HttpResponseBackend>("HttpResponseBackend")
  .implement({
    description: "Answers every request with the same response.",
    interfaces: [Node, BackendInterface],
    fields: (t) => ({
      statusCode: t.exposeInt("statusCode", { description: "The HTTP status code, 200 to 599." }),
      headers: t.field({
        type: [NameValue],
        description: "The headers of the response.",
        resolve: ({ headers }) => nameValues(headers),
      }),
      body: t.exposeString("body", { description: "The body of the response." }),
    }),
  });

export const httpResponseBackends = collection({
  kind: "httpResponseBackend",
  plural: "httpResponseBackends",
  type: HttpResponseBackendType,
  list: httpResponseBackendList,
  filter: unusedBackend,
  create: {
    rule: httpResponseBackendInputs.create,
    fields: (t) => ({
      statusCode: t.int({ description: "The HTTP status code, 200 to 599; default 200." }),
      headers: nameValuesInput(
        t,
        `The headers of the response: at most ${MAX_HEADERS}; default none.`,
      ),
      body: t.string({
        description: `The body of the response: at most ${MAX_BODY_BYTES} bytes of UTF-8; empty by default.`,
      }),
    }),
    run: createHttpResponseBackend,
  },
  update: {
    rule: httpResponseBackendInputs.update,
    fields: (t) => ({
      statusCode: t.int({ description: "The HTTP status code, 200 to 599." }),
      headers: nameValuesInput(t, `The headers of the response: at most ${MAX_HEADERS}.`),
      body: t.string({
        description: `The body of the response: at most ${MAX_BODY_BYTES} bytes of UTF-8.`,
      }),
    }),
    run: updateHttpResponseBackend,
  },
  remove: {
    note: "Refused while a route, TLS edge, TCP edge or other backend uses it.",
    run: (context, id) => deleteBackend(context, "http_response", id),
  },
});
