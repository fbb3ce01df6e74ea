/** What one request may read, and when it has to let others go first. It comes with the context; without one, all may be read. */
export interface ReadBudget {
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
