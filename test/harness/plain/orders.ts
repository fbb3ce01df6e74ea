import ipaddr from "ipaddr.js";
import type { Plain } from "./world.js";

// What orders compare, said once more.

const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** In lower case, an IPv6 address in its shortest form. */
function hostportKey(hostport: string): string {
  const [, address, port] = /^\[(.*)\]:(.*)$/.exec(hostport) ?? [];
  return address ? `[${ipaddr.parse(address)}]:${port}` : folded(hostport);
}

/** Its bytes, then how many bits of them are the network. */
function networkKey(cidr: string): string {
  const [address, bits] = ipaddr.parseCIDR(cidr);
  const bytes = address.toByteArray();
  return `${bytes.length === 4 ? 4 : 6} ${Buffer.from(bytes).toString("hex")} ${String(bits).padStart(3, "0")}`;
}

function matchKey(match: string): string {
  const [host = "", ...path] = match.split("/");
  return [folded(host), ...path].join("/");
}

/** A text whose bytes are compared, of the value that a cursor says. */
const KEYS: Readonly<Record<string, (value: string) => string>> = {
  UPDATED_AT: (time) => time,
  NOT_AFTER: (time) => time,
  VALID_UNTIL: (time) => time,
  DESCRIPTION: folded,
  HOSTPORT: hostportKey,
  ADDR: hostportKey,
  ADDRESS: hostportKey,
  MATCH: matchKey,
  DOMAIN: folded,
  CIDR: networkKey,
};

const MEMBERS: Readonly<Record<string, (item: Plain) => string | Date | undefined>> = {
  UPDATED_AT: ({ updatedAt }) => updatedAt,
  NOT_AFTER: ({ notAfter }) => notAfter,
  VALID_UNTIL: ({ validUntil }) => validUntil,
  DESCRIPTION: ({ description }) => description,
  HOSTPORT: ({ hostports }) => hostports[0],
  ADDR: ({ addr }) => addr,
  ADDRESS: ({ address }) => address,
  MATCH: ({ match }) => match,
  DOMAIN: ({ domain }) => domain,
  CIDR: ({ cidr }) => cidr,
};

/** What is compared, of a value in the order by `field`; nothing is like an empty text. */
export function keyOf(field: string, value: string | null): string {
  const key = KEYS[field];
  if (!key) throw new Error(`Nothing is ordered by ${field}.`);
  return value === null ? "" : key(value);
}

/** The value of a resource in the order by `field`, as a cursor says it. */
export function orderedBy(field: string, item: Plain): string | null {
  const value = MEMBERS[field]?.(item);
  return value instanceof Date ? value.toISOString() : (value ?? null);
}
