import { type Issue, refuse } from "../../domain/core/errors.js";
import { isHost } from "../../http/target.js";
import { verbatim } from "../contract/wire.js";

export interface BaseUrlOptions {
  /** The URL that callers use, without a slash at its end, or null to take it from each request. */
  readonly publicUrl: string | null;
  /** Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are to be believed. */
  readonly trustProxy: boolean;
}

const SCHEME = /^https?$/i;

/**
 * The URL at which the caller of a request reaches this server, without a slash at its end. Forwarded headers that say
 * neither scheme nor host are refused with INVALID_REQUEST: clients send their keys to the URLs in our answers, so none
 * is better than one made of something else.
 */
export function createBaseUrl({ publicUrl, trustProxy }: BaseUrlOptions) {
  return ({ url, headers }: Request): string => {
    if (publicUrl !== null) return publicUrl;
    const [ownScheme = "http", ownHost = ""] = url.split("/", 3).join("/").split("://");
    if (!trustProxy) return `${ownScheme}://${ownHost}`;
    const scheme = firstOf(headers.get("x-forwarded-proto")) ?? ownScheme;
    const host = firstOf(headers.get("x-forwarded-host")) ?? ownHost;
    const issues: Issue[] = [];
    if (!SCHEME.test(scheme)) issues.push(problem("X-Forwarded-Proto", "http or https"));
    if (!isHost(host)) issues.push(problem("X-Forwarded-Host", "host[:port]"));
    refuse(issues);
    return `${scheme.toLowerCase()}://${host}`;
  };
}

function problem(header: string, expected: string): Issue {
  return { path: [verbatim(header)], message: `must be ${expected}` };
}

/** That of the proxy next to the client. */
function firstOf(header: string | null): string | undefined {
  return header?.split(",", 1)[0]?.trim() || undefined;
}
