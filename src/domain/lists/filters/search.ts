import { z } from "zod";
import { Prisma } from "../../../database/index.js";
import type { Condition } from "../sequences.js";

// Search in the texts of a resource: description and metadata, and more where the table says so.

/** The maximum number of characters of a search text. */
export const MAX_SEARCH_LENGTH = 100;

/** A text as `LIKE` takes it literally. */
export function literally(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Trimmed; at most 100 characters without control characters, which cannot be typed into a search box. */
export const searchText = z
  .string()
  .transform((text) => text.trim())
  .superRefine((text, ctx) => {
    const { length } = [...text];
    if (length > MAX_SEARCH_LENGTH) {
      ctx.addIssue(`must have at most ${MAX_SEARCH_LENGTH} characters, and has ${length}`);
    }
    if (/\p{Cc}/u.test(text)) ctx.addIssue("must not contain control characters");
    if (!text.isWellFormed()) ctx.addIssue("must not contain unpaired surrogates");
  });

/** Begins each line of `search_text`, in which it is doubled where it is part of a text: see `search_lines`. */
const LINE_START = "ᚠ";

/** What the index of three characters in a row finds a text by. */
const THREE_IN_A_ROW = /[\p{L}\p{N}]{3}/u;

/**
 * Description and metadata and more stand in a column that is made for this, a line each and in lower case. A single
 * character is found where a line begins. What is found by `LIKE` is exact; the pairs only lead there.
 */
export function hasText(text: string): Condition | null {
  if (text === "") return null;
  const kept = asKept(text);
  return [...text].length === 1 ? holds(`\n${LINE_START}${kept}`) : find(kept);
}

/** Characters of a text by which it is looked up. */
const LOOKED_UP = MAX_SEARCH_LENGTH;

/** A letter that is lowered in one of two ways, by what follows it. */
const LOWERED_BY_PLACE = /Σ/;

/**
 * What all rows meet that have `text` in one of the texts of the search, in the same case: at the beginning of one, or
 * anywhere. Others may meet it too. Null when no index leads there.
 */
export function mayHaveText(text: string, place: "beginning" | "anywhere"): Condition | null {
  const part = [...text].slice(0, LOOKED_UP).join("");
  if (part === "" || LOWERED_BY_PLACE.test(part)) return null;
  const kept = asKept(part).replaceAll("\n", `\n${LINE_START}`);
  if (place === "beginning") return find(`\n${LINE_START}${kept}`);
  return [...kept].length === 1 ? null : find(kept);
}

function asKept(text: string): string {
  return text.replaceAll(LINE_START, LINE_START.repeat(2));
}

function find(kept: string): Condition {
  if (THREE_IN_A_ROW.test(kept)) return holds(kept);
  return Prisma.sql`(${holds(kept)}
    AND item.search_pairs @> search_pairs(lower(${kept}::text)))`;
}

function holds(kept: string): Condition {
  return Prisma.sql`item.search_text LIKE lower(${`%${literally(kept)}%`}::text)`;
}
