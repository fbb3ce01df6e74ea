import { Code, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyIcon } from "../components/copy-text.js";

interface CommandsProps {
  /** What it is, and where it belongs. */
  readonly children: ReactNode;
  readonly text: string;
  /** What is copied, for who does not see it: "Copy the line for sshd_config". */
  readonly label: string;
}

/** Lines for a file or a shell, to be copied. */
export function Commands({ children, text, label }: CommandsProps) {
  return (
    <Stack gap={4}>
      <Text size="sm" component="div">
        {children}
      </Text>
      <Group align="start" wrap="nowrap" gap={4}>
        <Code
          block
          flex={1}
          mah={220}
          style={{ overflow: "auto", overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}
          tabIndex={0}
          role="region"
          aria-label={label.replace(/^Copy /, "")}
        >
          {text}
        </Code>
        <CopyIcon text={text} label={label} />
      </Group>
    </Stack>
  );
}
