import {
  createHttpResponseBackend,
  deleteHttpResponseBackend,
  httpResponseBackendInputs,
  updateHttpResponseBackend,
} from "../domain/http-response-backends.js";
import { backendLists } from "../domain/lists/filters/backends.js";
import type { HttpResponseBackend } from "../domain/reads/backends.js";
import { BackendInterface, unusedBackend } from "./backends.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import { descriptionInput, idArgument, metadataInput } from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import { NameValue, nameValues, nameValuesInput } from "./builder/maps.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { readPage, readResource } from "./reads/reads.js";

const HttpResponseBackendType = builder
  .objectRef<HttpResponseBackend>("HttpResponseBackend")
  .implement({
    description: "Answers every request with the same response.",
    interfaces: [Node, BackendInterface],
    fields: (t) => ({
      statusCode: t.exposeInt("statusCode", { description: "The status, 200 to 599." }),
      headers: t.field({
        type: [NameValue],
        description: "The headers of the response.",
        resolve: ({ headers }) => nameValues(headers),
      }),
      body: t.exposeString("body", { description: "The body of the response." }),
    }),
  });

const HttpResponseBackendConnection = connectionOf(
  HttpResponseBackendType,
  "HttpResponseBackend",
  "HTTP response backends",
);

const httpResponseBackendListInputs = listInputs(
  "HttpResponseBackend",
  "HTTP response backends",
  unusedBackend,
);
/** Its rule is at the argument, since new backends stand inside other inputs too. */
export const CreateHttpResponseBackendInput = builder.inputType("CreateHttpResponseBackendInput", {
  description: "A new HTTP response backend.",
  fields: (t) => ({
    description: descriptionInput(t),
    metadata: metadataInput(t),
    statusCode: t.int({ description: "200 to 599; 200 when unspecified." }),
    headers: nameValuesInput(t, "At most 50 headers; none when unspecified."),
    body: t.string({ description: "At most 65536 bytes of UTF-8; empty when unspecified." }),
  }),
});

const UpdateInput = builder
  .inputType("UpdateHttpResponseBackendInput", {
    description: "Absent leaves a field as it is, null clears it.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      statusCode: t.int({ description: "200 to 599." }),
      headers: nameValuesInput(t, "At most 50 headers."),
      body: t.string({ description: "At most 65536 bytes of UTF-8." }),
    }),
  })
  .validate(httpResponseBackendInputs.update);

builder.queryFields((t) => ({
  httpResponseBackend: t.field({
    type: HttpResponseBackendType,
    nullable: true,
    description: "One HTTP response backend.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "httpResponseBackend", id),
  }),
  httpResponseBackends: t.field({
    type: HttpResponseBackendConnection,
    description: "All HTTP response backends; newest first by default.",
    args: listArguments(t, httpResponseBackendListInputs),
    resolve: (_, args, context, info) => readPage(context, info, backendLists.http_response, args),
  }),
}));

builder.mutationFields((t) => ({
  createHttpResponseBackend: t.field({
    type: HttpResponseBackendType,
    nullable: true,
    description: "Creates an HTTP response backend.",
    args: {
      input: t
        .arg({ type: CreateHttpResponseBackendInput, required: true, description: "The backend." })
        .validate(httpResponseBackendInputs.create),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createHttpResponseBackend(context, args.input)),
  }),
  updateHttpResponseBackend: t.field({
    type: HttpResponseBackendType,
    nullable: true,
    description: "Changes an HTTP response backend.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "httpResponseBackend", args, (context, id) =>
        updateHttpResponseBackend(context, id, args.input),
      ),
  }),
  deleteHttpResponseBackend: t.id({
    nullable: true,
    description: "Deletes an HTTP response backend and returns its id. Refused while it is used.",
    args: changeArguments(t),
    resolve: (_, args, context) =>
      deleteOne(context, "httpResponseBackend", args, deleteHttpResponseBackend),
  }),
}));
