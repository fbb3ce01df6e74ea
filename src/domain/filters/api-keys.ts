import { z } from "zod";
import { API_KEY_SCOPES } from "../api-keys.js";
import { equals, listOf } from "./filter.js";

export const apiKeyList = listOf({
  table: "api_keys",
  kinds: ["apiKey"],
  members: { scope: equals("scope", z.enum(API_KEY_SCOPES)) },
});
