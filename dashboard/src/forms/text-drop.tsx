import { Button, FileButton, Group } from "@mantine/core";
import { FileUp } from "lucide-react";
import type { DragEvent, ReactNode } from "react";

interface TextDropProps {
  /** Of the field. */
  readonly label: string;
  onText(text: string): void;
  readonly children: ReactNode;
}

/** A field into which a file can be dropped, or chosen. */
export function TextDrop({ label, onText, children }: TextDropProps) {
  const read = async (file: File | null | undefined) => {
    if (file) onText((await file.text()).trim());
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void read(event.dataTransfer.files[0]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would name the field twice for who hears it
    <div
      role="group"
      aria-label={`${label}, as text or from a file`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      {children}
      <Group mt={4}>
        <FileButton onChange={read}>
          {(props) => (
            <Button
              {...props}
              size="compact-xs"
              variant="subtle"
              leftSection={<FileUp size={14} aria-hidden />}
            >
              {label} from a file
            </Button>
          )}
        </FileButton>
      </Group>
    </div>
  );
}
