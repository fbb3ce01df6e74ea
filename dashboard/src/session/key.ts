/** The same as GraphiQL's, so that who comes from there in the same tab need not give the key again. */
const ITEM = "edgeplane.api-key";

/** The key of this tab; null when it has none. It is gone when the tab closes. */
export function readKey(): string | null {
  return sessionStorage.getItem(ITEM);
}

export function keepKey(key: string): void {
  sessionStorage.setItem(ITEM, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(ITEM);
}
