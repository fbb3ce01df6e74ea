import { isIPv4 } from "node:net";
import { domainToASCII } from "node:url";
import { z } from "zod";
import { text } from "../core/fields.js";
import { hostport, isDnsName, MAX_PORT, readPort } from "./networks.js";

export const MAX_URL_BYTES = 8192;
const HTTPS_PORT = 443;

/** The parts of a URL that an edge sees in a request. */
export interface RequestTarget {
  /** In lower case: a DNS name in ASCII without a trailing dot, an IPv4 address, or an IPv6 address in brackets. */
  readonly host: string;
  readonly port: number;
  /** As written, from its `/` on. */
  readonly path: string;
}

/**
 * Reads an absolute HTTPS URL of at most 8192 bytes into the parts that an edge sees. The port is 443 when it is not
 * given; query and fragment are left out, and an empty path is `/`. The host is put into lower case and ASCII (IDN).
 * The path stays as it is written: no percent-encoding is decoded or added, and no `.` or `..` resolved, since an edge
 * compares the path as it is in the request.
 */
export const requestUrl = text(MAX_URL_BYTES).transform((url, ctx): RequestTarget => {
  const target = readUrl(url);
  if (typeof target !== "string") return target;
  ctx.addIssue(target);
  return z.NEVER;
});

/** The target, or what is wrong with the URL. */
function readUrl(url: string): RequestTarget | string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\s\\\u0000-\u001f\u007f]/.test(url)) {
    return "must not contain spaces, control characters or backslashes";
  }
  const [, scheme, authority, path] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/i.exec(url) ?? [];
  if (scheme === undefined || authority === undefined || path === undefined) {
    return "must be a complete URL, such as https://example.com/path";
  }
  const refusal = schemeProblem(scheme.toLowerCase());
  if (refusal) return refusal;
  if (authority.includes("@")) return "must not contain a user name or a password";
  const [, given, , digits] = /^(\[[^\]]*\]|[^:[\]]*)(:([^:]*))?$/.exec(authority) ?? [];
  if (given === undefined) {
    return "must have a host before its port; an IPv6 address must be in square brackets";
  }
  const port = digits ? readPort(digits) : HTTPS_PORT;
  if (port === null) return `must have a port from 1 to ${MAX_PORT} without leading zeros`;
  const host = readHost(given);
  if (host === null) {
    return "must have a host that is a DNS name, an IPv4 address, or an IPv6 address in square brackets";
  }
  return { host, port, path: path === "" ? "/" : path };
}

function schemeProblem(scheme: string): string | null {
  if (scheme === "https") return null;
  if (scheme === "http") return "must begin with https://, since an HTTPS edge serves only HTTPS";
  if (scheme === "wss") {
    return "must begin with https://; for a WebSocket, give the https:// URL of the same host and path";
  }
  return "must begin with https://";
}

function readHost(given: string): string | null {
  if (given.startsWith("[") || isIPv4(given)) {
    return hostport.safeParse(`${given}:${HTTPS_PORT}`).success ? given.toLowerCase() : null;
  }
  // What is percent-encoded in a host would be decoded.
  if (given.includes("%")) return null;
  const name = domainToASCII(given).replace(/\.$/, "");
  return isDnsName(name) ? name : null;
}
