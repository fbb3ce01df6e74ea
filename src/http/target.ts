import type { IncomingMessage } from "node:http";
import { badRequest, type HttpRefusal } from "./refusals.js";

const MAX_HOST_CHARACTERS = 261;
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

/** Whether `text` is `host[:port]`: nothing else may become a part of our URLs. */
export function isHost(text: string): boolean {
  return text.length <= MAX_HOST_CHARACTERS && HOST.test(text) && URL.canParse(`http://${text}`);
}

/** The path that a request names, as sent. */
export function pathOf({ url }: IncomingMessage): string {
  return url?.split("?", 1)[0] || "/";
}

/**
 * The reason why a request cannot be routed: its `Host` or its target is not valid. An absolute target, which counts
 * more than `Host` (RFC 9112, section 3.2.2), is brought into the usual form first.
 */
export function targetProblem(request: IncomingMessage): HttpRefusal | null {
  const hosts = hostsOf(request);
  if (hosts.length === 0) return badRequest("The request must have the header Host.");
  if (hosts.length > 1 || !hosts.every(isHost)) {
    return badRequest("The header Host must be host[:port], and be sent once.");
  }
  if (!request.url?.startsWith("/")) {
    const [, host = "", rest = ""] = ABSOLUTE.exec(request.url ?? "") ?? [];
    if (!isHost(host)) return badRequest("The request target must be a path, or an absolute URL.");
    request.headers.host = host;
    request.url = rest.startsWith("/") ? rest : `/${rest}`;
  }
  if (pathOf(request).includes("\\")) return badRequest("The path must not have a backslash.");
  return null;
}

/** Node's own headers leave out all but the first. */
function hostsOf({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, index) => {
    const name = index % 2 === 1 ? rawHeaders[index - 1] : undefined;
    return name?.length === 4 && name.toLowerCase() === "host";
  });
}
