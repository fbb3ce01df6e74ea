import { useNow } from "./now.js";

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 365 * 24 * 60 * 60],
  ["month", 30 * 24 * 60 * 60],
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
];

interface TimeProps {
  /** In ISO 8601. */
  readonly at: string;
  /** Whether to say how long ago it was, or how long until then. */
  readonly relative?: boolean;
}

/** A time in the viewer's zone, with the exact UTC for who points at it. */
export function Time({ at, relative = false }: TimeProps) {
  const now = useNow();
  const date = new Date(at);
  return (
    <time dateTime={at} title={relative ? `${LOCAL.format(date)} (${at})` : at}>
      {relative ? distance(date.getTime() - now) : LOCAL.format(date)}
    </time>
  );
}

/** "in 3 days", "2 minutes ago". */
export function distance(ms: number): string {
  const seconds = ms / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.round(seconds / length), unit);
  }
  return RELATIVE.format(Math.round(seconds), "second");
}
