import { Badge, Button, Table, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { type Difference, Differences } from "../components/differences.js";
import { ReferenceLink } from "../components/reference-link.js";
import { Time } from "../components/time.js";
import type { ChangePartsFragment } from "../generated/operations.js";
import { kindOfType } from "../resources/kinds.js";
import { capitalized, firstText, words } from "../words.js";

const COLORS = { CREATED: "teal", UPDATED: "blue", DELETED: "red" } as const;

/** Changes as rows; what differs is below each one that is opened. */
export function ChangesTable({ changes }: { readonly changes: readonly ChangePartsFragment[] }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setOpened((current) => {
      const next = new Set(current);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return (
    <Table.ScrollContainer minWidth={650}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">When</Table.Th>
            <Table.Th scope="col">What</Table.Th>
            <Table.Th scope="col">Resource</Table.Th>
            <Table.Th scope="col">By</Table.Th>
            <Table.Th scope="col">Differences</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map((change) => (
            <ChangeRows
              key={change.id}
              change={change}
              isOpen={opened.has(change.id)}
              onToggle={() => toggle(change.id)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface ChangeRowsProps {
  readonly change: ChangePartsFragment;
  readonly isOpen: boolean;
  onToggle(): void;
}

function ChangeRows({ change, isOpen, onToggle }: ChangeRowsProps) {
  const {
    action,
    type,
    resource,
    resourceId,
    at,
    actor,
    actorId,
    differences,
    operationId,
    version,
  } = change;
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <Time at={at} relative />
        </Table.Td>
        <Table.Td>
          <Badge variant="light" color={COLORS[action]} tt="none" miw="max-content">
            {words(action)}
          </Badge>
        </Table.Td>
        <Table.Td>
          {capitalized(kindOfType(type).singular)}{" "}
          {resource ? (
            <ReferenceLink to={resource} />
          ) : (
            <Link to={`/changes?ids=${resourceId}`}>{resourceId}</Link>
          )}
        </Table.Td>
        <Table.Td>
          {firstText(actor?.description, actor?.id, actorId, "The configured key")}
        </Table.Td>
        <Table.Td>
          <Button variant="subtle" size="compact-sm" aria-expanded={isOpen} onClick={onToggle}>
            {fieldsOf(differences)}
            <VisuallyHidden>
              {" "}
              of version {version} of {resourceId}
            </VisuallyHidden>
          </Button>
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={5}>
            <Differences differences={differences} />
            <small>
              Version {version}, operation {operationId}
            </small>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

const MOST_NAMED = 2;

/** The first fields that differ, and how many more. */
function fieldsOf(differences: readonly Difference[]): string {
  const names = [...new Set(differences.map(({ path: [name = ""] }) => words(name)))];
  if (names.length === 0) return "No field";
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
