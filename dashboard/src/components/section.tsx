import { Group, Stack, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

interface SectionProps {
  readonly title: string;
  /** What can be done here, beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page, under a heading. */
export function Section({ title, actions, children }: SectionProps) {
  const id = useId();
  return (
    <Stack component="section" aria-labelledby={id} gap="xs">
      <Group justify="space-between">
        <Title order={2} id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
