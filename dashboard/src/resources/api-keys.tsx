import { RESOURCE_OPERATIONS } from "../generated/resource-operations.js";
import { words } from "../words.js";
import { defineResource } from "./resource.js";

export const apiKeys = defineResource("ApiKey", RESOURCE_OPERATIONS.ApiKey, {
  purpose: "An API key lets a program or a person use this server.",
  columns: [
    { header: "Scope", show: ({ scope }) => words(scope) },
    { header: "Owner", show: ({ ownerId }) => ownerId },
  ],
});
