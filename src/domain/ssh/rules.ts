import ipaddr from "ipaddr.js";
import {
  isSameAddress,
  lowestAddress,
  parseAddress,
  parsePrefixLength,
  partsOfNetwork,
} from "../formats/networks.js";

/** One thing wrong with a value: where inside it, and the text the caller may read. */
export type RuleProblem = { path: (string | number)[]; message: string; limit?: number };

export const MAX_PRINCIPALS = 256;
export const PRINCIPAL_MAX_BYTES = 255;
export const CRITICAL_OPTION_MAX_BYTES = 4096;
/** RFC 4251 section 6: a name has at most 64 characters. */
const EXTENSION_NAME_MAX_BYTES = 64;
/** As encoded in the certificate, so that the largest one still passes through sshd's messages. */
const EXTENSIONS_MAX_BYTES = 16_384;

/** The critical options that a certificate may have (management-api.md section 2.2). */
const CRITICAL_OPTION_NAMES: readonly string[] = ["force-command", "source-address"];

/** The extensions that OpenSSH defines; each is a flag with an empty value. */
export const EXTENSION_NAMES: readonly string[] = [
  "no-touch-required",
  "permit-X11-forwarding",
  "permit-agent-forwarding",
  "permit-port-forwarding",
  "permit-pty",
  "permit-user-rc",
];

/** The extensions for an absent, null or empty input (management-api.md section 2.2). */
export const DEFAULT_EXTENSIONS: Readonly<Record<string, string>> = Object.freeze({
  "permit-pty": "",
  "permit-user-rc": "",
});

/** The type name and data length of an extension, and the inner length of a value, in bytes. */
const FLAG_OVERHEAD_BYTES = 8;
const VALUE_OVERHEAD_BYTES = 12;

/**
 * Checks the principals of a certificate, which are users or hosts: at most 256, each 1 to 255 bytes
 * of well-formed Unicode without comma, control characters, and space at either end; none twice. An
 * empty list is fine.
 * They end in the certificate and in the log of sshd, where a control character could forge a line.
 * Returns every problem, with the index as path, or that they are too many (ssh-certificates.md,
 * `principals`).
 */
export function checkPrincipals(principals: readonly string[]): RuleProblem[] {
  if (principals.length > MAX_PRINCIPALS) {
    const message = `At most ${MAX_PRINCIPALS} principals are allowed.`;
    return [{ path: [], message, limit: MAX_PRINCIPALS }];
  }
  const problems = principals.flatMap((principal, index): RuleProblem[] =>
    principalProblems(principal).map((message) => ({ path: [index], message })),
  );
  const seen = new Set<string>();
  for (const [index, principal] of principals.entries()) {
    if (seen.has(principal)) {
      problems.push({ path: [index], message: "This principal is already in the list." });
    }
    seen.add(principal);
  }
  return problems;
}

/**
 * Checks the critical options of a certificate: only `force-command` (1 to 4096 bytes, no control
 * characters) and `source-address` (comma-separated IPv4 and IPv6 addresses and CIDRs, 1 to 4096
 * bytes). Returns every problem, with the option's name as path
 * (ssh-certificates.md, `critical_options`).
 */
export function checkCriticalOptions(options: Readonly<Record<string, string>>): RuleProblem[] {
  return Object.entries(options).flatMap(([name, value]) =>
    criticalOptionProblems(name, value).map((message) => ({ path: [name], message })),
  );
}

/**
 * Checks the extensions of a certificate: the six names that OpenSSH defines, with empty values, or
 * a custom `name@domain` of at most 64 printable ASCII characters with any well-formed text as its
 * value; all of them at most 16 KiB as encoded. Returns every problem, with the extension's name as
 * path (ssh-certificates.md, `extensions`).
 */
export function checkExtensions(extensions: Readonly<Record<string, string>>): RuleProblem[] {
  const entries = Object.entries(extensions);
  const problems = entries.flatMap(([name, value]): RuleProblem[] =>
    extensionProblems(name, value).map((message) => ({ path: [name], message })),
  );
  const size = entries.reduce((sum, [name, value]) => sum + encodedBytes(name, value), 0);
  if (size > EXTENSIONS_MAX_BYTES) {
    const message = `Extensions must be at most ${EXTENSIONS_MAX_BYTES} bytes in all.`;
    problems.push({ path: [], message, limit: EXTENSIONS_MAX_BYTES });
  }
  return problems;
}

function principalProblems(principal: string): string[] {
  const problems: string[] = [];
  const length = Buffer.byteLength(principal, "utf8");
  if (length === 0) return ["A principal must not be empty."];
  if (length > PRINCIPAL_MAX_BYTES) {
    problems.push(`A principal must be at most ${PRINCIPAL_MAX_BYTES} bytes.`);
  }
  if (principal.includes(",")) problems.push("A principal must not contain a comma.");
  if (hasControlCharacter(principal)) {
    problems.push("A principal must not contain control characters.");
  }
  if (principal !== principal.trim()) {
    problems.push("A principal must not begin or end with a space.");
  }
  if (!isWellFormed(principal)) problems.push("A principal must be well-formed Unicode text.");
  return problems;
}

function criticalOptionProblems(name: string, value: string): string[] {
  if (!CRITICAL_OPTION_NAMES.includes(name)) {
    return [`A critical option must be one of ${CRITICAL_OPTION_NAMES.join(", ")}.`];
  }
  if (value === "") return [`The critical option ${name} must not be empty.`];
  if (Buffer.byteLength(value, "utf8") > CRITICAL_OPTION_MAX_BYTES) {
    return [`The critical option ${name} must be at most ${CRITICAL_OPTION_MAX_BYTES} bytes.`];
  }
  return name === "force-command" ? commandProblems(value) : sourceAddressProblems(value);
}

function commandProblems(command: string): string[] {
  const problems: string[] = [];
  if (hasControlCharacter(command)) {
    problems.push("A forced command must not contain control characters.");
  }
  if (!isWellFormed(command)) problems.push("A forced command must be well-formed Unicode text.");
  return problems;
}

/** One message for each kind of mistake, however many addresses make it. */
function sourceAddressProblems(list: string): string[] {
  const messages = list.split(",").map(sourceProblem);
  return [...new Set(messages.filter((message) => message !== undefined))];
}

function sourceProblem(source: string): string | undefined {
  if (source === "") return "A source address must not be empty.";
  const { address, prefix } = partsOfNetwork(source);
  const parsed = parseAddress(address);
  if (!parsed) {
    return "A source address must be a complete IPv4 or IPv6 address or CIDR, without zone and leading zeros.";
  }
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) {
    return "A source address must not be an IPv4-mapped IPv6 address; give the IPv4 address.";
  }
  if (prefix === null) return undefined;
  const length = parsePrefixLength(prefix, parsed);
  if (length === null) {
    return "The mask of a source address must be 0 to 32 bits for IPv4 and 0 to 128 bits for IPv6.";
  }
  return isSameAddress(lowestAddress(parsed, length), parsed)
    ? undefined
    : "A source address must not have bits set beyond its mask.";
}

function extensionProblems(name: string, value: string): string[] {
  if (EXTENSION_NAMES.includes(name)) {
    return value === "" ? [] : [`The extension ${name} must have an empty value.`];
  }
  const problems: string[] = [];
  if (!isCustomName(name)) {
    problems.push(
      `An extension must be one of ${EXTENSION_NAMES.join(", ")}, or a custom name@domain of at most ${EXTENSION_NAME_MAX_BYTES} printable ASCII characters.`,
    );
  }
  if (!isWellFormed(value))
    problems.push("The value of an extension must be well-formed Unicode text.");
  return problems;
}

/** A name that its owner defined: RFC 4251 section 6, with one @ before a domain name. */
function isCustomName(name: string): boolean {
  if (name.length > EXTENSION_NAME_MAX_BYTES) return false;
  const [local = "", domain = "", ...more] = name.split("@");
  if (more.length > 0 || !/^[!-~]+$/.test(local) || local.includes(",")) return false;
  return domain.split(".").every(isDomainLabel);
}

function isDomainLabel(label: string): boolean {
  return /^[A-Za-z0-9-]{1,63}$/.test(label) && !label.startsWith("-") && !label.endsWith("-");
}

function encodedBytes(name: string, value: string): number {
  const overhead = value === "" ? FLAG_OVERHEAD_BYTES : VALUE_OVERHEAD_BYTES;
  return Buffer.byteLength(name, "utf8") + Buffer.byteLength(value, "utf8") + overhead;
}

function hasControlCharacter(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the check for them
  return /[\u0000-\u001f\u007f-\u009f]/.test(text);
}

/** Whether the text reads back the same from UTF-8; a half of a surrogate pair does not. */
function isWellFormed(text: string): boolean {
  return Buffer.from(text, "utf8").toString("utf8") === text;
}
