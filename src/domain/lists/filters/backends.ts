import { BACKENDS } from "../../core/ids.js";
import { listOf } from "./filter.js";
import { unused } from "./use.js";

/** Backends of all kinds. Those of one kind are found faster by the list of that. */
export const backendList = listOf({
  kinds: BACKENDS,
  members: { unused: unused(...BACKENDS) },
});
