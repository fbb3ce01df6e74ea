import { listOf } from "./filter.js";
import { unused } from "./use.js";

export const failoverBackendList = listOf({
  kinds: ["failoverBackend"],
  members: { unused: unused("failoverBackend") },
});
