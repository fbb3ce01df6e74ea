import type { Keyring } from "../core/keyring.js";
import { purposeAt, SECRET_PLACES, type SealedPlace } from "../storage/sealed-places.js";
import { readableSecret, secretInRow } from "./format.js";

// The secrets in the JSON of a row. Each is replaced as text that stands nowhere else in the row, so all else stays as
// it is.

type Row = Readonly<Record<string, unknown>>;

/** The row with readable secrets in place of the sealed texts. Throws when the ring cannot open one. */
export function withReadableSecrets(table: string, json: string, keyring: Keyring): string {
  return replaceSecrets(table, json, (value, place, id) => {
    if (typeof value !== "string" || value === "") return null;
    const secret = keyring.open(value, purposeAt(place, id));
    return [JSON.stringify(value), readableSecret(place.field, secret)];
  });
}

/** The row with all secrets sealed by the ring. Throws when the ring cannot open one that is sealed already. */
export function withSealedSecrets(table: string, json: string, keyring: Keyring): string {
  return replaceSecrets(table, json, (value, place, id) => {
    const purpose = purposeAt(place, id);
    const { data } = secretInRow.safeParse(value);
    if (data) {
      const sealed = keyring.seal(data.value, purpose);
      return [readableSecret(data.secret, data.value), JSON.stringify(sealed)];
    }
    if (typeof value === "string" && value !== "") keyring.open(value, purpose);
    return null;
  });
}

/** `replacementOf` returns what to replace by what; null where nothing is. */
function replaceSecrets(
  table: string,
  json: string,
  replacementOf: (value: unknown, place: SealedPlace, id: string) => [string, string] | null,
): string {
  const places = SECRET_PLACES.filter((place) => place.table === table);
  if (places.length === 0) return json;
  const row: Row = JSON.parse(json);
  const id = String(row.id);
  return places.reduce((text, place) => {
    const replacement = replacementOf(valueAt(row, place), place, id);
    if (!replacement) return text;
    const [before, after] = replacement;
    if (!text.includes(before))
      throw new Error(`The secret ${place.field} of ${id} is not as it was exported.`);
    return text.replace(before, () => after);
  }, json);
}

function valueAt(row: Row, { column, path }: SealedPlace): unknown {
  return (path ?? []).reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined,
    row[column],
  );
}
