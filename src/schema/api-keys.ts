import {
  type ApiKey,
  apiKeyInputs,
  createApiKey,
  deleteApiKey,
  updateApiKey,
} from "../domain/api-keys.js";
import { MAX_OWNER_BYTES } from "../domain/core/fields.js";
import { apiKeyList } from "../domain/lists/filters/api-keys.js";
import { builder, Node } from "./builder/builder.js";
import { collection } from "./collection.js";

export const ApiKeyScope = builder.enumType("ApiKeyScope", {
  description: "The permission of an API key.",
  values: {
    READ: {
      value: "read",
      description:
        "Read only. The key cannot create, change or delete anything, and secrets are empty.",
    },
    WRITE: { value: "write", description: "Read and change everything, including API keys." },
  } as const,
});

export const ApiKeyType = builder.objectRef<ApiKey>("ApiKey").implement({
  description:
    "A credential for this API. Clients send it in the header `Authorization: Bearer <token>`.",
  interfaces: [Node],
  fields: (t) => ({
    token: t.exposeString("token", {
      nullable: true,
      description:
        "The secret token. Only the response that creates the key has it; later it is null.",
    }),
    ownerId: t.exposeString("ownerId", {
      description: "The owner of the key, as given; empty when not set.",
    }),
    scope: t.expose("scope", { type: ApiKeyScope, description: "The permission of the key." }),
  }),
});

collection({
  kind: "apiKey",
  plural: "apiKeys",
  type: ApiKeyType,
  list: apiKeyList,
  filter: (t) => ({
    scope: t.field({ type: ApiKeyScope, description: "Only those with this scope." }),
  }),
  create: {
    note: "The key is valid immediately. Only this response has its token.",
    rule: apiKeyInputs.create,
    fields: (t) => ({
      ownerId: t.string({
        description: `The owner of the key, any text; at most ${MAX_OWNER_BYTES} bytes of UTF-8, empty by default.`,
      }),
      scope: t.field({
        type: ApiKeyScope,
        description: "The permission of the key; default `WRITE`.",
      }),
    }),
    run: createApiKey,
  },
  update: {
    rule: apiKeyInputs.update,
    inputNote: "Owner and scope cannot be changed.",
    run: updateApiKey,
  },
  remove: { note: "The key becomes invalid immediately.", run: deleteApiKey },
});
