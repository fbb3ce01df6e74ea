import { listOf } from "./filter.js";
import { unused } from "./use.js";

export const tunnelGroupBackendList = listOf({
  kinds: ["tunnelGroupBackend"],
  members: { unused: unused("tunnelGroupBackend") },
});
