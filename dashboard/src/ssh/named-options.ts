import { isValues } from "../forms/values.js";

/** What OpenSSH calls the permissions of a user certificate. */
export const EXTENSIONS = [
  "permit-pty",
  "permit-user-rc",
  "permit-port-forwarding",
  "permit-agent-forwarding",
  "permit-X11-forwarding",
  "no-touch-required",
] as const;

/** What a certificate has when no permission is named. */
export const DEFAULT_EXTENSIONS: readonly string[] = ["permit-pty", "permit-user-rc"];

/** What OpenSSH calls the restrictions of a user certificate. */
export const CRITICAL_OPTIONS = ["force-command", "source-address"] as const;

export interface NamedOption {
  readonly name: string;
  readonly value: string;
}

/** The options that a form has for a field. */
export function optionsOf(value: unknown): NamedOption[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) =>
    isValues(item) ? [{ name: String(item.name ?? ""), value: String(item.value ?? "") }] : [],
  );
}
