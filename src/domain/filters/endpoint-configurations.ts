import { listOf } from "./filter.js";
import { unused } from "./use.js";

export const endpointConfigurationList = listOf({
  table: "endpoint_configurations",
  kinds: ["endpointConfiguration"],
  members: { unused: unused("endpointConfiguration") },
});
