import { z } from "zod";
import { enabled } from "./enabled.js";
import { plainModule } from "./module.js";

/** Compresses responses (specification, EndpointCompression). */
export const compression = plainModule(z.strictObject({ enabled }));

export type Compression = z.output<typeof compression.rule>;
