import type { InputRef } from "@pothos/core";
import { hostportFilter, type InputFields } from "./builder/inputs.js";

/** The fields of the filters of TLS and TCP edges. `module` selects among the modules that these have. */
export const connectionEdgeFilter = <Module>(module: InputRef<Module>) => {
  return (t: InputFields) => ({
    hostport: hostportFilter(t),
    module: t.field({ type: module, description: "Only those with this module." }),
    backendId: t.id({
      description:
        "Only those that forward to this backend, directly or through failover and weighted backends.",
    }),
  });
};
