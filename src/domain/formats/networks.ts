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

/** A DNS name of at most 253 characters, without a wildcard or a trailing dot. Stored as given. */
export const domainName = z
  .string()
  .refine(
    isDnsName,
    `must be a DNS name of at most ${MAX_NAME_LENGTH} characters without a wildcard, such as example.com`,
  );

/**
 * A hostport at which an edge is served (Part 0, Hostports): `host:port` with a port from 1 to 65535 without leading
 * zeros, and a host that is a DNS name of at most 253 characters (a leading `*.` allowed), an IPv4 address, or an IPv6
 * address in square brackets. Stored as given.
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
  return isIPv4(host) || isDomain(host);
}

function isDomain(text: string): boolean {
  const name = text.startsWith("*.") ? text.slice(2) : text;
  return text.length <= MAX_NAME_LENGTH && isDnsName(name);
}

/** A DNS name of at most 253 ASCII characters, with or without a leading `*.`. Kept as given. */
export const domainOrWildcard = z
  .string()
  .refine(
    isDomain,
    `must be a DNS name of at most ${MAX_NAME_LENGTH} ASCII characters, such as example.com or *.example.com`,
  );

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
  const { address, prefix } = partsOfNetwork(value);
  const parsed = parseAddress(address);
  if (!parsed) return "must be an IPv4 or IPv6 network, such as 10.0.0.0/8 or 2001:db8::/32";
  const longest = addressBits(parsed);
  if (prefix === null) return `must end with a prefix length, such as ${address}/${longest}`;
  const length = parsePrefixLength(prefix, parsed);
  if (length === null) return `must end with a prefix length from 0 to ${longest}`;
  const lowest = lowestAddress(parsed, length);
  if (isSameAddress(lowest, parsed)) return null;
  return `must begin with the lowest address of its network: ${lowest}/${prefix}`;
}

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The parts before and after the first `/`; the prefix is null without one. */
export function partsOfNetwork(network: string) {
  const slash = network.indexOf("/");
  return slash < 0
    ? { address: network, prefix: null }
    : { address: network.slice(0, slash), prefix: network.slice(slash + 1) };
}

/** A complete IPv4 address without leading zeros, or an IPv6 address without a zone; null for anything else. */
export function parseAddress(text: string): Address | null {
  return isIPv4(text) || isPlainIPv6(text) ? ipaddr.parse(text) : null;
}

function addressBits(address: Address): number {
  return address.toByteArray().length * 8;
}

/** The length of a network's prefix, 0 to the bits of its address without leading zeros; null for anything else. */
export function parsePrefixLength(text: string, address: Address): number | null {
  return PREFIX_LENGTH.test(text) && Number(text) <= addressBits(address) ? Number(text) : null;
}

/** The lowest address of the network that has the address and a prefix of so many bits. */
export function lowestAddress(address: Address, prefixLength: number): Address {
  const family = address.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.networkAddressFromCIDR(`${address}/${prefixLength}`);
}

export function isSameAddress(one: Address, other: Address): boolean {
  return one.toString() === other.toString();
}
