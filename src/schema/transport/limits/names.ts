import { shortened } from "../../../domain/core/errors.js";

const MOST_NAMES = 60;

/** `names` for a message: the first 60, each as `show` writes it, and how many there are besides. */
export function named(
  names: readonly string[],
  show = (name: string): string => shortened(name),
): string {
  const listed = names.slice(0, MOST_NAMES).map(show).join(", ");
  const rest = names.length - MOST_NAMES;
  return rest > 0 ? `${listed} and ${rest} more` : listed;
}
