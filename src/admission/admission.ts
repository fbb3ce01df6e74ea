import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import { type Authenticated, createAuthenticate } from "../domain/api-keys.js";
import type { Actor, Services } from "../domain/core/context.js";
import { DomainError } from "../domain/core/errors.js";
import { tokenIn } from "../http/authorization.js";
import type { Trace } from "../trace.js";
import { networkOf } from "./client-address.js";
import type { Counters } from "./counters.js";
import { createRateLimiters, type RateLimitSettings, type Usage } from "./rate-limiter.js";

/** Who makes a request. */
export interface Caller extends Authenticated {
  /**
   * Counts further requests that came in the one that was admitted: at most as many as fit in a window with it, so that
   * all of them can pass some time. Throws RATE_LIMITED.
   */
  count(requests: number): Promise<void>;
}

/**
 * Lets a request in, counts it, and notes in its answer and its trace what that tells. Throws UNAUTHENTICATED without a
 * valid key, and RATE_LIMITED when too many requests came with the key, or without a valid one from the same network.
 */
export type Admit = (
  request: IncomingMessage,
  response: ServerResponse,
  trace: Trace,
) => Promise<Caller>;

export interface AdmissionOptions {
  /** Null for no limits. */
  readonly rateLimits: RateLimitSettings | null;
  /** Whether `X-Forwarded-For` is to be believed. */
  readonly trustProxy: boolean;
  /** The counters of the primary, in one of its workers. Default none. */
  readonly primaryCounters?: Counters | undefined;
  /** Gets the reason, once, when the database, or the primary of workers, does not count requests any more. */
  onStoreError(error: unknown): void;
}

/** Tokens that were valid and are remembered. */
const MOST_TOKENS = 10_000;
/** The counter of the key of the configuration, which has no id. */
const CONFIGURED_KEY = "configured";

/** What is counted, as the headers and the refusals name it. */
const POLICIES = {
  default: { sender: "An API key", what: "", yours: "this one" },
  unauthenticated: { sender: "A network", what: " without a valid API key", yours: "yours" },
} as const;

type Policy = keyof typeof POLICIES;

/** The one way in, for both transports. */
export function createAdmission(services: Services, options: AdmissionOptions): Admit {
  const { rateLimits, trustProxy } = options;
  const authenticate = createAuthenticate(services);
  if (rateLimits === null) {
    return async ({ headers }, _, trace) => {
      const authenticated = await authenticate(tokenIn(headers.authorization));
      trace.keyId = authenticated.actor.keyId;
      return { ...authenticated, count: async () => {} };
    };
  }

  const { primaryCounters = null, onStoreError } = options;
  const { keys, networks } = createRateLimiters(
    rateLimits,
    services,
    primaryCounters,
    onStoreError,
  );
  /** Who was valid before, by the hashes of their tokens: no flood without a valid key shuts these out. */
  const known = new LRUCache<string, Actor>({ max: MOST_TOKENS });
  const { bootstrapKey } = services;
  if (bootstrapKey !== null) {
    known.set(hash("sha256", bootstrapKey), { keyId: null, scope: "write" });
  }

  return async (request, response, trace) => {
    const token = tokenIn(request.headers.authorization);
    const tokenHash = hash("sha256", token);
    const network = () => networkOf(request, trustProxy);
    const keep = (policy: Policy, usage: Usage) => keepTo(rateLimits, policy, usage, response);

    // Whoever is over a limit costs the database nothing.
    const before = known.get(tokenHash);
    const full = before ? keys.full(counterOf(before)) : networks.full(network());
    if (full) {
      if (before) trace.keyId = before.keyId;
      keep(before ? "default" : "unauthenticated", full);
    }

    const authenticated = await authenticate(token).catch(async (error: unknown) => {
      if (!isUnauthenticated(error)) throw error;
      known.delete(tokenHash);
      keep("unauthenticated", await networks.count(network(), 1));
      throw error;
    });
    const { actor } = authenticated;
    trace.keyId = actor.keyId;
    known.set(tokenHash, actor);
    const counter = counterOf(actor);
    keep("default", await keys.count(counter, 1));
    return {
      ...authenticated,
      async count(requests) {
        const further = Math.min(requests, rateLimits.requests - 1);
        if (further > 0) keep("default", await keys.count(counter, further));
      },
    };
  };
}

function counterOf({ keyId }: Actor): string {
  return keyId ?? CONFIGURED_KEY;
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof DomainError && error.code === "UNAUTHENTICATED";
}

/**
 * Tells the client how many requests it has left, in the headers of draft-ietf-httpapi-ratelimit-headers. Throws
 * RATE_LIMITED when it has none.
 */
function keepTo(
  { requests, seconds }: RateLimitSettings,
  policy: Policy,
  { isOver, remaining, endsIn }: Usage,
  response: ServerResponse,
): void {
  const wait = Math.max(Math.ceil(endsIn / 1000), 1);
  // A body that breaks the protocol is answered at once.
  if (!response.headersSent) {
    response.setHeader("RateLimit-Policy", `"${policy}";q=${requests};w=${seconds}`);
    response.setHeader("RateLimit", `"${policy}";r=${remaining};t=${wait}`);
    if (isOver) response.setHeader("Retry-After", wait);
  }
  if (!isOver) return;
  const { sender, what, yours } = POLICIES[policy];
  throw new DomainError(
    "RATE_LIMITED",
    `${sender} may send ${counted(requests, "request")}${what} in ${counted(seconds, "second")}, and ${yours} has sent more. Try again in ${counted(wait, "second")}.`,
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
