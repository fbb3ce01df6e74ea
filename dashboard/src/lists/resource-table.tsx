import { Anchor, Table } from "@mantine/core";
import { Link } from "react-router";
import { Time } from "../components/time.js";
import { nameOf, pathOf } from "../resources/references.js";
import type { Resource, Row } from "../resources/resource.js";

interface ResourceTableProps<Item extends Row> {
  readonly resource: Pick<Resource<Item>, "columns">;
  readonly rows: readonly Item[];
}

/** Resources as rows, each with a link to its page. */
export function ResourceTable<Item extends Row>({ resource, rows }: ResourceTableProps<Item>) {
  return (
    <Table.ScrollContainer minWidth={600}>
      <Table highlightOnHover verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Name</Table.Th>
            {resource.columns.map(({ header }) => (
              <Table.Th key={header} scope="col">
                {header}
              </Table.Th>
            ))}
            <Table.Th scope="col">Changed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Th scope="row" fw={500}>
                <Anchor component={Link} to={pathOf(row)} inherit>
                  {nameOf(row)}
                </Anchor>
              </Table.Th>
              {resource.columns.map(({ header, show }) => (
                <Table.Td key={header}>{show(row)}</Table.Td>
              ))}
              <Table.Td>
                <Time at={row.updatedAt} relative />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
