import { z } from "zod";
import { deleteBackend } from "../domain/backends.js";
import {
  createHttpResponseBackend,
  httpResponseBackendInputs,
  updateHttpResponseBackend,
} from "../domain/http-response-backends.js";
import { row, stringMap } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";

export const httpResponseBackends = collection({
  kind: "httpResponseBackend",
  path: "/backends/http_response",
  listKey: "backends",
  answer: z.strictObject({
    ...row("httpResponseBackend"),
    body: z.string(),
    headers: stringMap,
    status_code: z.int(),
  }),
  example: { body: "Back soon", headers: { "Content-Type": "text/plain" }, statusCode: 503 },
  inputs: httpResponseBackendInputs,
  create: createHttpResponseBackend,
  update: updateHttpResponseBackend,
  remove: (context, id) => deleteBackend(context, "http_response", id),
  view: (backend, link) => ({
    id: backend.id,
    uri: link(`/backends/http_response/${backend.id}`),
    created_at: timestamp(backend.createdAt),
    description: backend.description,
    metadata: backend.metadata,
    body: backend.body,
    headers: backend.headers,
    status_code: backend.statusCode,
  }),
});
