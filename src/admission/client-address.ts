import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An IPv6 network of this size belongs to one customer of a provider, who may use any address in it. */
const IPV6_PREFIX = 64;
/** An IPv4 address with a port, or an IPv6 address in brackets, with or without one. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/;

/**
 * The network from which a request comes: an IPv4 address, or the first 64 bits of an IPv6 address. Behind a proxy that
 * is to be believed it is that of the last address in `X-Forwarded-For`: those before it are what the client says.
 */
export function networkOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? lastOf(headers["x-forwarded-for"]) : undefined;
  return (
    networkIn(forwarded?.replace(WITH_PORT, "$1$2") ?? "") ??
    networkIn(socket.remoteAddress ?? "") ??
    ""
  );
}

/** Null when `text` is no address. */
function networkIn(text: string): string | null {
  if (isIP(text) === 0) return null;
  // An IPv4 address that is written as IPv6 is the same as without.
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const groups = address.parts.slice(0, IPV6_PREFIX / 16).map((part) => part.toString(16));
  return `${groups.join(":")}::/${IPV6_PREFIX}`;
}

function lastOf(header: string | readonly string[] | undefined): string | undefined {
  return String(header ?? "")
    .split(",")
    .at(-1)
    ?.trim();
}
