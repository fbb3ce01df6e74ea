import { listOf } from "./filter.js";
import { unused } from "./use.js";

export const staticBackendList = listOf({
  kinds: ["staticBackend"],
  members: { unused: unused("staticBackend") },
});
