import { listOf } from "./filter.js";
import { unused } from "./use.js";

export const endpointConfigurationList = listOf({
  kinds: ["endpointConfiguration"],
  members: { unused: unused("endpointConfiguration") },
});
