/**
 * The read budget of one request: how much it may read, and when it must wait for others. It is part of the context;
 * without it there is no limit.
 */
export interface ReadBudget {
  /**
   * Resolves when the next statement may be sent, with what is to be called after its answer is counted: null for at
   * once. Statements that are sent together are each allowed all that is left.
   */
  place(): Promise<() => void> | null;
  /** Bytes that a statement may still answer. */
  readonly left: number;
  /** Counts what a statement has answered. Throws when that was more than was left. */
  take(bytes: number): void;
  /** Whether so much was read that it is gone through in turns. */
  readonly isLarge: boolean;
  /** Resolves when what was read may be gone through: at once unless it is much. */
  admit(): Promise<void> | null;
  /** Resolves when so many rows more may be gone through: null for at once. */
  turn(rows: number): Promise<void> | null;
}
