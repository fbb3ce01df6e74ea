import { ActionIcon, Code, CopyButton, Group, Tooltip } from "@mantine/core";
import { Check, Copy } from "lucide-react";

interface CopyTextProps {
  readonly text: string;
  /** What is copied, for who does not see it: "Copy the id". */
  readonly label: string;
}

/** A text that can be copied. */
export function CopyText({ text, label }: CopyTextProps) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: "anywhere" }}>{text}</Code>
      <CopyIcon text={text} label={label} />
    </Group>
  );
}

export function CopyIcon({ text, label }: CopyTextProps) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : label} withinPortal={false}>
          <ActionIcon variant="subtle" size="sm" onClick={copy} aria-label={label}>
            {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
