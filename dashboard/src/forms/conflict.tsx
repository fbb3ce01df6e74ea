import { Alert, Button, Group, Table } from "@mantine/core";
import { JsonText } from "../components/differences.js";
import { words } from "../words.js";
import { isSame, type Values } from "./values.js";

interface ConflictProps {
  /** What the form was filled with. */
  readonly base: Values;
  readonly mine: Values;
  readonly theirs: Values;
  /** Of what they saved. */
  readonly version: number;
  onMine(): void;
  onTheirs(): void;
}

/** Both versions of what two people changed at the same time, side by side. */
export function Conflict({ base, mine, theirs, version, onMine, onTheirs }: ConflictProps) {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])].filter(
    (name) => !isSame(mine[name], theirs[name]),
  );
  const isMine = (name: string) => !isSame(base[name], mine[name]);
  return (
    <Alert
      role="alert"
      color="yellow"
      w="100%"
      title={`Somebody else saved version ${version} while you were typing`}
    >
      <Table.ScrollContainer minWidth={500}>
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Field</Table.Th>
              <Table.Th scope="col">Yours</Table.Th>
              <Table.Th scope="col">Theirs</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {names.map((name) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">{words(name)}</Table.Th>
                <Table.Td>
                  <JsonText value={mine[name]} />
                  {!isMine(name) && " (not changed by you: theirs is kept)"}
                </Table.Td>
                <Table.Td>
                  <JsonText value={theirs[name]} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Group mt="sm">
        <Button onClick={onMine}>Keep your changes</Button>
        <Button variant="default" onClick={onTheirs}>
          Take theirs
        </Button>
      </Group>
    </Alert>
  );
}
