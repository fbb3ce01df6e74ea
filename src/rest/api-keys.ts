import { z } from "zod";
import {
  type ApiKey,
  apiKeyInputs,
  createApiKey,
  deleteApiKey,
  updateApiKey,
} from "../domain/api-keys.js";
import { apiKeyScope } from "../domain/core/enumerations.js";
import { row } from "./contract/answers.js";
import { collection, type Link, timestamp } from "./contract/contract.js";

export const apiKeyAnswer = z.strictObject({
  ...row("apiKey"),
  token: z.string().nullable(),
  owner_id: z.string(),
  scope: apiKeyScope,
});

export const apiKeys = collection({
  kind: "apiKey",
  path: "/api_keys",
  listKey: "keys",
  answer: apiKeyAnswer,
  example: { description: "Continuous delivery", scope: "write" },
  inputs: apiKeyInputs,
  create: createApiKey,
  update: updateApiKey,
  remove: deleteApiKey,
  view: showApiKey,
});

export function showApiKey(key: ApiKey, link: Link) {
  return {
    id: key.id,
    uri: link(`/api_keys/${key.id}`),
    description: key.description,
    metadata: key.metadata,
    created_at: timestamp(key.createdAt),
    token: key.token,
    owner_id: key.ownerId,
    scope: key.scope,
  };
}
