import { z } from "zod";
import { ALWAYS, orNull, withDefault } from "../core/fields.js";
import { enabled } from "./enabled.js";
import { type DocumentModule, plainModule } from "./module.js";

export const TLS_VERSIONS = ["1.0", "1.1", "1.2", "1.3"] as const;
export const TERMINATION_POINTS = ["edge", "upstream"] as const;

/** The lowest version of TLS; null, the default, leaves the choice to the service. */
const minVersion = orNull(z.enum(TLS_VERSIONS));
const storedMinVersion = z.enum(TLS_VERSIONS).nullable();

const atEdge = z.strictObject(
  { enabled, minVersion },
  {
    error: ({ code, keys }) =>
      code === "unrecognized_keys" && Array.isArray(keys) && String(keys) === "terminateAt"
        ? "cannot be set on an HTTPS edge, which always terminates TLS itself"
        : undefined,
  },
);

export type TlsTerminationAtEdge = z.output<typeof atEdge>;

/** The view of both kinds of edges. */
export interface TlsTermination {
  readonly enabled: boolean;
  readonly terminateAt: (typeof TERMINATION_POINTS)[number];
  readonly minVersion: (typeof TLS_VERSIONS)[number] | null;
}

/**
 * How an HTTPS edge terminates TLS (specification, section 4.4): the place cannot be chosen and is always shown as
 * "edge" (Part 0, `tls_termination`).
 */
export const tlsTerminationAtEdge: DocumentModule<
  TlsTerminationAtEdge,
  TlsTerminationAtEdge,
  TlsTermination
> = {
  ...plainModule(atEdge, z.object({ enabled: z.boolean(), minVersion: storedMinVersion })),
  store: (settings) => ({ stored: settings, value: shownAtEdge(settings) }),
  read: shownAtEdge,
};

function shownAtEdge({ enabled, minVersion }: TlsTerminationAtEdge): TlsTermination {
  return { enabled, terminateAt: "edge", minVersion };
}

/**
 * How a TLS edge terminates TLS (specification, section 2.5): at the edge unless "upstream" is given, and
 * then without `minVersion`, since the edge takes no part in the handshake.
 */
export const tlsTermination = plainModule<TlsTermination>(
  z
    .strictObject({
      enabled,
      terminateAt: withDefault(z.enum(TERMINATION_POINTS), "edge"),
      minVersion,
    })
    .superRefine((module, ctx) => {
      if (module?.terminateAt !== "upstream" || module.minVersion === null) return;
      const message = 'must be null when `terminateAt` is "upstream"';
      ctx.addIssue({ code: "custom", message, path: ["minVersion"] });
    }, ALWAYS),
  z.object({
    enabled: z.boolean(),
    terminateAt: z.enum(TERMINATION_POINTS),
    minVersion: storedMinVersion,
  }),
);
