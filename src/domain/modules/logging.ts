import { z } from "zod";
import { withDefault } from "../core/fields.js";
import { enabled } from "./enabled.js";
import { plainModule } from "./module.js";

const NO_STREAMS = "must be empty: there are no event streams here";

const eventStreamIds = withDefault(z.array(z.string()).max(0, NO_STREAMS), []);

/**
 * Logs traffic to event streams (wire facts, EndpointLogging). There are no event streams here, so it names none:
 * it is kept for clients that read and write it.
 */
export const logging = plainModule(z.strictObject({ enabled, eventStreamIds }));

export type Logging = z.output<typeof logging.rule>;
