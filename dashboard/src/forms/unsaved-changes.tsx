import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { type Location, useBlocker } from "react-router";

/** The state of a navigation that loses nothing, such as the one after something was saved. */
export const NOTHING_LOST = { isNothingLost: true } as const;

interface UnsavedChangesProps {
  /** Whether leaving the page would lose something. */
  readonly isUnsaved: boolean;
  /** What would be lost. */
  readonly children: string;
}

/** Asks before the page is left while something on it would be lost. */
export function UnsavedChanges({ isUnsaved, children }: UnsavedChangesProps) {
  const { state, reset, proceed } = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isUnsaved &&
      currentLocation.pathname !== nextLocation.pathname &&
      !losesNothing(nextLocation),
  );
  useEffect(() => {
    if (!isUnsaved) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", onUnload);
    return () => removeEventListener("beforeunload", onUnload);
  }, [isUnsaved]);
  return (
    <Modal opened={state === "blocked"} onClose={() => reset?.()} title="Leave this page?">
      <Stack>
        <Text>{children}</Text>
        <Group justify="end">
          <Button variant="default" onClick={() => proceed?.()}>
            Leave it
          </Button>
          <Button data-autofocus onClick={() => reset?.()}>
            Stay here
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function losesNothing({ state }: Location<unknown>): boolean {
  return typeof state === "object" && state !== null && "isNothingLost" in state;
}
