import type { Actor } from "../domain/core/context.js";
import { ApiKeyScope, ApiKeyType } from "./api-keys.js";
import { builder } from "./builder/builder.js";
import { loadResource } from "./reads/reads.js";

const CallerType = builder.objectRef<Actor>("Caller").implement({
  description: "Who asks: the API key of the request.",
  fields: (t) => ({
    scope: t.expose("scope", { type: ApiKeyScope, description: "What the key may do." }),
    apiKey: t.field({
      type: ApiKeyType,
      nullable: true,
      description: "The key as a resource; null for the key from the server's configuration.",
      resolve: ({ keyId }, _, context, info) =>
        keyId === null ? null : loadResource(context, info, "apiKey", keyId),
    }),
  }),
});

builder.queryField("self", (t) =>
  t.field({
    type: CallerType,
    nullable: true,
    description: "The API key of the request, and what it may do.",
    resolve: (_, __, { actor }) => actor,
  }),
);
