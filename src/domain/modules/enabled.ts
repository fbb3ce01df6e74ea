import { z } from "zod";
import { withDefault } from "../core/fields.js";

/** Whether a module is applied to traffic; true when unspecified (specification, section 2.4). */
export const enabled = withDefault(z.boolean(), true);
