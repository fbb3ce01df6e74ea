/** The most items of a page, over either transport; over REST also the default (specification, section 4). */
export const MAX_PAGE_SIZE = 100;
/** The default over GraphQL. */
export const DEFAULT_PAGE_SIZE = 20;

/** The maximum number of ids that a caller may give at once. */
export const MAX_IDS = 100;

/**
 * Selects a part of a list, newest first. `after` and `before` are ids in that order: rows after `x` are older than it.
 * Neither row has to exist any more. `fromEnd` takes the last rows of the range instead of the first, and returns them
 * oldest first.
 */
export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly fromEnd?: boolean | undefined;
}
