/** How many requests may come in a window, which begins with its first one. */
export interface Limit {
  /** At least 1. */
  readonly requests: number;
  /** At least 1. */
  readonly seconds: number;
}

/** Requests to count for a name. */
export interface Asked {
  readonly name: string;
  readonly requests: number;
}

/** All requests of a name in its window, those asked for included, and the milliseconds until it ends. */
export interface Counted {
  readonly requests: number;
  readonly endsIn: number;
}

/** Counts requests, and resolves with the counts in the same order. No name is asked for twice. */
export type Count = (asked: readonly Asked[]) => Promise<readonly Counted[]>;

/** Throws: a store has left out a name that it was asked for. */
export function notCounted(name: string): never {
  throw new Error(`The requests of ${name} were not counted.`);
}

/** Who sends requests: keys, and networks without a valid one. */
export const SENDERS = ["keys", "networks"] as const;
export type Sender = (typeof SENDERS)[number];

/** Counts the requests of senders of each kind. */
export type Counters = Readonly<Record<Sender, Count>>;
