import { requiredText } from "../core/fields.js";
import { isDnsName } from "./networks.js";

export const MAX_MATCH_BYTES = 1024;

/** A path that starts with `/`, a hostname, or a hostname and a path; at most 1024 bytes. */
export const routeMatch = requiredText(MAX_MATCH_BYTES).refine((value) => {
  if (value === "" || /[\s?#]/.test(value)) return value === "";
  const slash = value.indexOf("/");
  const host = slash < 0 ? value : value.slice(0, slash);
  return host === "" || isDnsName(host.startsWith("*.") ? host.slice(2) : host);
}, "must be a path such as /api, a hostname, or a hostname and a path, without query or fragment");
