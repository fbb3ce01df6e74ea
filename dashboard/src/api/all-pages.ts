import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useEffect, useRef, useState } from "react";
import { type AnyVariables, type CombinedError, useClient } from "urql";
import { useChanges, useRetry } from "./live.js";

/** The most that the server gives at once. */
const PAGE_SIZE = 100;

interface Page<Item> {
  readonly nodes: readonly Item[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

interface Everything<Item> {
  /** Null until all pages were read once. */
  readonly items: readonly Item[] | null;
  readonly error: CombinedError | null;
}

/**
 * All items of a list about one resource, read page by page, and again whenever something has changed. A change that
 * comes while they are being read has them read once more.
 */
export function useAllPages<Data, Item>(
  query: TypedDocumentNode<Data, { id: string; first: number; after?: string | null }>,
  id: string,
  pageOf: (data: Data) => Page<Item> | undefined,
): Everything<Item> {
  const client = useClient();
  const [state, setState] = useState<Everything<Item>>({ items: null, error: null });
  const [wanted, setWanted] = useState(1);
  const [begun, setBegun] = useState(0);
  const [isReading, setReading] = useState(false);
  const isThere = useRef(true);
  const readAgain = () => setWanted((count) => count + 1);
  useChanges(readAgain);
  useRetry(state.error, isReading, readAgain);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);

  useEffect(() => {
    if (isReading || begun === wanted) return;
    setBegun(wanted);
    setReading(true);
    const read = async () => {
      const items: Item[] = [];
      let after: string | null = null;
      do {
        const variables: AnyVariables = { id, first: PAGE_SIZE, after };
        const { data, error } = await client
          .query<Data>(query, variables, { requestPolicy: "network-only" })
          .toPromise();
        if (!isThere.current) return;
        const page: Page<Item> | undefined = data && pageOf(data);
        if (!page) return setState((last) => ({ items: last.items, error: error ?? null }));
        items.push(...page.nodes);
        after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      } while (after !== null);
      setState({ items, error: null });
    };
    void read().finally(() => setReading(false));
  });
  return state;
}
