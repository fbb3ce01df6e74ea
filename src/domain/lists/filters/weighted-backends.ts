import { listOf } from "./filter.js";
import { unused } from "./use.js";

export const weightedBackendList = listOf({
  kinds: ["weightedBackend"],
  members: { unused: unused("weightedBackend") },
});
