import type { Issue } from "../core/errors.js";

// What the modules of one owner demand of each other. `input` has those that are given, as in an update; `current` those
// that the owner has, null for a new one.

type Given<Module> = Module | null | undefined;

const LOGINS = ["oauth", "oidc", "saml"] as const;

type Logins = { readonly [Name in (typeof LOGINS)[number]]?: Given<{ readonly enabled: boolean }> };

/** An issue for each given login module that would be enabled together with another (Part 0, Modules). */
export function severalLogins(input: Logins, current: Logins | null): Issue[] {
  const enabled = LOGINS.filter((name) => {
    const module = input[name] === undefined ? current?.[name] : input[name];
    return module?.enabled;
  });
  return enabled
    .filter((name) => enabled.length > 1 && input[name])
    .map((name) => {
      const others = enabled.filter((other) => other !== name).map((other) => `\`${other}\``);
      return {
        path: [name],
        message: `cannot be enabled together with ${others.join(" and ")}: there can be only one kind of login`,
      };
    });
}

interface Tls {
  readonly mutualTls?: Given<object>;
  readonly tlsTermination?: Given<{ readonly terminateAt: string }>;
}

/** Mutual TLS needs the decrypted connection, which there is only where TLS is terminated at the edge (Part 0). */
export function mutualTlsUpstream(input: Tls, current: Tls | null): Issue[] {
  const mutualTls = input.mutualTls === undefined ? current?.mutualTls : input.mutualTls;
  const termination =
    input.tlsTermination === undefined ? current?.tlsTermination : input.tlsTermination;
  if (!mutualTls || termination?.terminateAt !== "upstream") return [];
  if (input.mutualTls) {
    const message = 'needs TLS to be terminated at the edge, and `tlsTermination` says "upstream"';
    return [{ path: ["mutualTls"], message }];
  }
  const message =
    'cannot be "upstream" while `mutualTls` is set, which needs the decrypted connection';
  return [{ path: ["tlsTermination", "terminateAt"], message }];
}
