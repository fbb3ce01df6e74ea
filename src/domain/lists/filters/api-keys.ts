import { apiKeyScope } from "../../core/enumerations.js";
import { equals, listOf } from "./filter.js";

export const apiKeyList = listOf({
  kinds: ["apiKey"],
  members: { scope: equals("scope", apiKeyScope) },
});
