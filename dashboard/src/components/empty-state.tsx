import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface EmptyStateProps {
  readonly title: string;
  /** Whether the page has nothing else. */
  readonly isWholePage?: boolean;
  readonly children: ReactNode;
}

/** What to do next, where there is nothing to show. */
export function EmptyState({ title, isWholePage = false, children }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py="xl" ta="center">
      <Title order={isWholePage ? 1 : 2} size="h4">
        {title}
      </Title>
      <Text component="div" maw={480}>
        {children}
      </Text>
    </Stack>
  );
}
