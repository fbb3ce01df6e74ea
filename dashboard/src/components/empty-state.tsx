import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface EmptyStateProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** What to do next, where there is nothing to show. */
export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py="xl" ta="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text component="div" maw={480}>
        {children}
      </Text>
    </Stack>
  );
}
