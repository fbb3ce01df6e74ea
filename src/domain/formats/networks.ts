import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { z } from "zod";

/** Characters of a whole DNS name, and of one of its labels (RFC 1035, section 2.3.4). */
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
export const MAX_PORT = 65_535;

const LABEL = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?$/;
const PORT = /^[1-9][0-9]{0,4}$/;
const DIGITS = /^[0-9]+$/;
const PREFIX_LENGTH = /^(?:0|[1-9][0-9]{0,2})$/;

/**
 * Whether `name` is a DNS name of ASCII labels, without a trailing dot. Underscores are accepted, since
 * container and service names have them. A last label of digits alone is refused: it would be an address.
 */
export function isDnsName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false;
  const labels = name.split(".");
  return (
    labels.every((label) => label.length <= MAX_LABEL_LENGTH && LABEL.test(label)) &&
    !DIGITS.test(labels.at(-1) ?? "")
  );
}

/**
 * Where an edge is served (Part 0, Hostports): `host:port` with a port from 1 to 65535 without leading
 * zeros, and a host that is a DNS name of at most 253 characters (a leading `*.` allowed), an IPv4
 * address, or an IPv6 address in square brackets. Stored as given.
 */
export const hostport = z.string().superRefine((value, ctx) => {
  const problem = hostportProblem(value);
  if (problem) ctx.addIssue(problem);
});

function hostportProblem(value: string): string | null {
  const colon = value.lastIndexOf(":");
  if (colon < 1) return "must be a host, a colon and a port, such as example.com:443";
  if (readPort(value.slice(colon + 1)) === null) {
    return `must end with a port from 1 to ${MAX_PORT} without leading zeros`;
  }
  return isHost(value.slice(0, colon))
    ? null
    : `must begin with a DNS name of at most ${MAX_NAME_LENGTH} characters, an IPv4 address, or an IPv6 address in square brackets`;
}

/** The port that `digits` are, from 1 to MAX_PORT without leading zeros, or null. */
export function readPort(digits: string): number | null {
  const port = Number(digits);
  return PORT.test(digits) && port <= MAX_PORT ? port : null;
}

function isHost(host: string): boolean {
  if (host.startsWith("[") && host.endsWith("]")) return isPlainIPv6(host.slice(1, -1));
  if (isIPv4(host)) return true;
  const name = host.startsWith("*.") ? host.slice(2) : host;
  return host.length <= MAX_NAME_LENGTH && isDnsName(name);
}

/** An IPv6 address without a zone: a zone has a meaning on one machine only. */
function isPlainIPv6(address: string): boolean {
  return isIPv6(address) && !address.includes("%");
}

/**
 * A network of an IP policy rule: an IPv4 or IPv6 address, `/` and the prefix length, which is required
 * (0 to 32 or 0 to 128). The address must be the lowest of its network. Stored as given.
 */
export const cidr = z.string().superRefine((value, ctx) => {
  const problem = cidrProblem(value);
  if (problem) ctx.addIssue(problem);
});

function cidrProblem(value: string): string | null {
  const slash = value.indexOf("/");
  const address = slash < 0 ? value : value.slice(0, slash);
  if (!isIPv4(address) && !isPlainIPv6(address)) {
    return "must be an IPv4 or IPv6 network, such as 10.0.0.0/8 or 2001:db8::/32";
  }
  const bytes = ipaddr.parse(address).toByteArray();
  const longest = bytes.length * 8;
  if (slash < 0) return `must end with a prefix length, such as ${address}/${longest}`;
  const prefix = value.slice(slash + 1);
  if (!PREFIX_LENGTH.test(prefix) || Number(prefix) > longest) {
    return `must end with a prefix length from 0 to ${longest}`;
  }
  const lowest = bytes.map((byte, index) => byte & maskByte(Number(prefix), index));
  if (lowest.every((byte, index) => byte === bytes[index])) return null;
  const network = ipaddr.fromByteArray(lowest).toString();
  return `must begin with the lowest address of its network: ${network}/${prefix}`;
}

/** The byte at `index` of the mask that has `prefix` leading ones. */
function maskByte(prefix: number, index: number): number {
  const ones = Math.min(Math.max(prefix - index * 8, 0), 8);
  return (0xff << (8 - ones)) & 0xff;
}
