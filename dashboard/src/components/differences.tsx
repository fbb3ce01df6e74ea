import { Code, Table, Text } from "@mantine/core";

export interface Difference {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** What differs between two states of a resource, field by field. */
export function Differences({ differences }: { readonly differences: readonly Difference[] }) {
  if (differences.length === 0) return <Text size="sm">No field differs.</Text>;
  return (
    <Table.ScrollContainer minWidth={400}>
      <Table verticalSpacing={4} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Field</Table.Th>
            <Table.Th scope="col">Before</Table.Th>
            <Table.Th scope="col">After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ path, before, after }) => (
            <Table.Tr key={path.join(".")}>
              <Table.Th scope="row" fw={500}>
                {path.join(".")}
              </Table.Th>
              <Table.Td>
                <JsonText value={before} />
              </Table.Td>
              <Table.Td>
                <JsonText value={after} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** A value of any shape, as text. */
export function JsonText({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <Text size="sm">not set</Text>;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 1);
  return (
    <Code block={text.includes("\n")} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
      {text === "" ? '""' : text}
    </Code>
  );
}
