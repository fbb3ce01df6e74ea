import { moduleNamesOf } from "../../modules/index.js";
import { listOf } from "./filter.js";
import { itemHasModule, moduleMember } from "./modules.js";
import { unused } from "./use.js";

export const endpointConfigurationList = listOf({
  kinds: ["endpointConfiguration"],
  members: {
    module: moduleMember(moduleNamesOf("endpointConfiguration"), (filter) =>
      itemHasModule("endpointConfiguration", filter),
    ),
    unused: unused("endpointConfiguration"),
  },
});
