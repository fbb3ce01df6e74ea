import { listOf } from "./filter.js";
import { unused } from "./use.js";

export const httpResponseBackendList = listOf({
  kinds: ["httpResponseBackend"],
  members: { unused: unused("httpResponseBackend") },
});
