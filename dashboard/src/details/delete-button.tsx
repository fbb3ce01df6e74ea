import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useClient } from "urql";
import type { Problem } from "../api/problems.js";
import { ProblemAlert } from "../components/problem-alert.js";
import { remove } from "../forms/mutations.js";
import { Preview } from "../forms/preview.js";
import { NOTHING_LOST } from "../forms/unsaved-changes.js";
import { nameOf } from "../resources/references.js";
import type { AppliedChange, Resource, Row } from "../resources/resource.js";
import { UsedBy } from "./used-by.js";

interface DeleteButtonProps<Item extends Row> {
  readonly resource: Resource<Item>;
  readonly item: Item;
  /** Whether it stands in a row of a page that stays. Default: it is on the page of the resource, which is left. */
  readonly inRow?: boolean;
}

/** Deletes a resource once it was asked for; says what else goes with it, or who prevents it. */
export function DeleteButton<Item extends Row>({
  resource,
  item,
  inRow = false,
}: DeleteButtonProps<Item>) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [changes, setChanges] = useState<readonly AppliedChange[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const client = useClient();
  const navigate = useNavigate();
  const { kind } = resource;

  const ask = async (dryRun: boolean) => {
    setBusy(true);
    const variables = { id: item.id, expectedVersion: item.version, dryRun };
    const result = await remove(client, resource, variables);
    setBusy(false);
    setProblem("problem" in result ? result.problem : null);
    return "problem" in result ? null : result.changes;
  };
  const begin = async () => {
    setChanges(null);
    open();
    setChanges(await ask(true));
  };
  const confirm = async () => {
    if (!(await ask(false))) return;
    close();
    notifications.show({ message: `The ${kind.singular} ${nameOf(item)} was deleted.` });
    if (!inRow) await navigate(`/${kind.path}`, { replace: true, state: NOTHING_LOST });
  };
  return (
    <>
      <Button
        variant="default"
        size={inRow ? "compact-sm" : "sm"}
        leftSection={<Trash2 size={inRow ? 14 : 16} aria-hidden />}
        aria-label={inRow ? `Delete ${nameOf(item)}` : undefined}
        onClick={begin}
      >
        Delete
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`Delete the ${kind.singular} ${nameOf(item)}?`}
        size="lg"
      >
        <Stack>
          {problem ? (
            <>
              <ProblemAlert problem={problem} title="This cannot be deleted" />
              {problem.code === "IN_USE" && (
                <UsedBy id={item.id} typename={kind.typename} heading="Who uses it" />
              )}
            </>
          ) : (
            <>
              <Text>This cannot be undone.</Text>
              {changes && <Preview changes={changes} />}
            </>
          )}
          <Group justify="end">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button color="red" onClick={confirm} loading={isBusy} disabled={problem !== null}>
              Delete
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
