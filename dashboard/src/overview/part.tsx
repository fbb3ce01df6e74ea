import { Card, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

/** A part of the overview, with its name. */
export function Part({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <Card withBorder component="section" aria-labelledby={id}>
      <Title order={2} id={id} mb="xs">
        {title}
      </Title>
      {children}
    </Card>
  );
}
