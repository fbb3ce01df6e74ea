import { randomBytes } from "node:crypto";
import KSUID from "ksuid";
import type { Fields } from "./transports.js";

// Rows that were made at known times, and their lists page by page.

/** When the first of these rows was made. */
export const START = Date.parse("2026-05-01T00:00:00Z");

/** An id that was made so many seconds after the start. */
export function idAt(prefix: string, second: number): string {
  const payload = randomBytes(16);
  payload.writeUInt16BE(0, 0);
  return `${prefix}_${KSUID.fromParts(START + second * 1000, payload).string}`;
}

/** A page of a list. */
export interface Page {
  readonly ids: string[];
  readonly pageInfo: Fields;
}

/** Every id of the pages that `read` finds beyond a cursor. */
export async function walkBy(
  forwards: boolean,
  read: (cursor: string | null) => Promise<Page>,
  meanwhile: () => Promise<void> = async () => {},
): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const { ids, pageInfo } = await read(cursor);
    if (forwards) found.push(...ids);
    else found.unshift(...ids);
    if (!(forwards ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return found;
    cursor = forwards ? pageInfo.endCursor : pageInfo.startCursor;
    await meanwhile();
  }
}
