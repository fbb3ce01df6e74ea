/** What one check of an installation found. */
export interface Finding {
  readonly check: string;
  /** A problem keeps Edgeplane from working, or its data from being right; a warning does not. */
  readonly state: "ok" | "warning" | "problem";
  readonly message: string;
  /** What to do about it. */
  readonly advice: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, state: "ok", message, advice: null };
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, state: "warning", message, advice };
}

export function problem(check: string, message: string, advice: string | null = null): Finding {
  return { check, state: "problem", message, advice };
}
