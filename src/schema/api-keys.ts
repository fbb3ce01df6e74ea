import {
  type ApiKey,
  apiKeyInputs,
  createApiKey,
  deleteApiKey,
  updateApiKey,
} from "../domain/api-keys.js";
import { apiKeyList } from "../domain/lists/filters/api-keys.js";
import { builder, Node } from "./builder/builder.js";
import { collection } from "./collection.js";

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

collection({
  kind: "apiKey",
  plural: "apiKeys",
  type: ApiKeyType,
  list: apiKeyList,
  filter: (t) => ({
    scope: t.field({ type: ApiKeyScope, description: "Those with this scope." }),
  }),
  create: {
    note: "It works at once, and its token is in this answer alone.",
    rule: apiKeyInputs.create,
    fields: (t) => ({
      ownerId: t.string({
        description:
          "Who the key belongs to, in words of your own; at most 255 bytes of UTF-8, empty by default.",
      }),
      scope: t.field({ type: ApiKeyScope, description: "What the key may do; default `WRITE`." }),
    }),
    run: createApiKey,
  },
  update: {
    rule: apiKeyInputs.update,
    inputNote: "Owner and scope stay as they are.",
    run: updateApiKey,
  },
  remove: { note: "The key stops working at once.", run: deleteApiKey },
});
