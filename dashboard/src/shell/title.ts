import { useDocumentTitle } from "@mantine/hooks";

/** Names the page in the browser's tab and history. */
export function useTitle(page: string): void {
  useDocumentTitle(`${page} · Edgeplane`);
}
