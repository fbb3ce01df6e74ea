import {
  type ApiKey,
  apiKeyInputs,
  createApiKey,
  deleteApiKey,
  updateApiKey,
} from "../domain/api-keys.js";
import { apiKeyList } from "../domain/lists/filters/api-keys.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import { descriptionInput, idArgument, metadataInput } from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { readPage, readResource } from "./reads/reads.js";

const ApiKeyScope = builder.enumType("ApiKeyScope", {
  description: "What an API key may do.",
  values: {
    READ: { value: "read", description: "Read only: no creates, changes or deletes." },
    WRITE: { value: "write", description: "Read and change everything, API keys included." },
  } as const,
});

export const ApiKeyType = builder.objectRef<ApiKey>("ApiKey").implement({
  description: "A credential of this API, sent in the header `Authorization: Bearer <token>`.",
  interfaces: [Node],
  fields: (t) => ({
    token: t.exposeString("token", {
      nullable: true,
      description: "The secret itself, in the answer that creates the key; null ever after.",
    }),
    ownerId: t.exposeString("ownerId", {
      description: "Who the key belongs to, as given; empty when unset.",
    }),
    scope: t.expose("scope", { type: ApiKeyScope, description: "What the key may do." }),
  }),
});

const ApiKeyConnection = connectionOf(ApiKeyType, "ApiKey", "API keys");

const apiKeyListInputs = listInputs("ApiKey", "API keys", (t) => ({
  scope: t.field({ type: ApiKeyScope, description: "Those with this scope." }),
}));

const CreateInput = builder
  .inputType("CreateApiKeyInput", {
    description: "A new API key.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      ownerId: t.string({
        description:
          "Who the key belongs to, in words of your own; at most 255 bytes of UTF-8, empty by default.",
      }),
      scope: t.field({ type: ApiKeyScope, description: "What the key may do; default `WRITE`." }),
    }),
  })
  .validate(apiKeyInputs.create);

const UpdateInput = builder
  .inputType("UpdateApiKeyInput", {
    description:
      "Absent leaves a field as it is, null clears it. Owner and scope stay as they are.",
    fields: (t) => ({ description: descriptionInput(t), metadata: metadataInput(t) }),
  })
  .validate(apiKeyInputs.update);

builder.queryFields((t) => ({
  apiKey: t.field({
    type: ApiKeyType,
    nullable: true,
    description: "One API key.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "apiKey", id),
  }),
  apiKeys: t.field({
    type: ApiKeyConnection,
    description: "All API keys; newest first by default.",
    args: listArguments(t, apiKeyListInputs),
    resolve: (_, args, context, info) => readPage(context, info, apiKeyList, args),
  }),
}));

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: ApiKeyType,
    nullable: true,
    description: "Creates an API key, which works at once. Its token is in this answer alone.",
    args: {
      input: t.arg({ type: CreateInput, required: true, description: "The API key." }),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createApiKey(context, args.input)),
  }),
  updateApiKey: t.field({
    type: ApiKeyType,
    nullable: true,
    description: "Changes an API key.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "apiKey", args, (context, id) => updateApiKey(context, id, args.input)),
  }),
  deleteApiKey: t.id({
    nullable: true,
    description: "Deletes an API key and returns its id. The key stops working at once.",
    args: changeArguments(t),
    resolve: (_, args, context) => deleteOne(context, "apiKey", args, deleteApiKey),
  }),
}));
