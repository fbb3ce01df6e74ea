import { Button, Group } from "@mantine/core";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { PageInfoPartsFragment } from "../generated/operations.js";

interface PagerProps {
  readonly pageInfo: PageInfoPartsFragment;
  onTurn(to: { readonly after: string } | { readonly before: string }): void;
}

/** Turns the pages of a list; nothing when there is one page. */
export function Pager({ pageInfo, onTurn }: PagerProps) {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
  if (!hasNextPage && !hasPreviousPage) return null;
  return (
    <Group component="nav" aria-label="Pages" justify="center">
      <Button
        variant="default"
        leftSection={<ChevronLeft size={16} aria-hidden />}
        disabled={!hasPreviousPage || startCursor === null}
        onClick={() => startCursor !== null && onTurn({ before: startCursor })}
      >
        Previous page
      </Button>
      <Button
        variant="default"
        rightSection={<ChevronRight size={16} aria-hidden />}
        disabled={!hasNextPage || endCursor === null}
        onClick={() => endCursor !== null && onTurn({ after: endCursor })}
      >
        Next page
      </Button>
    </Group>
  );
}
