import { Anchor, Table, Text } from "@mantine/core";
import { Link } from "react-router";
import type { OverviewQuery } from "../generated/operations.js";
import { kindOfType } from "../resources/kinds.js";
import { capitalized, words } from "../words.js";
import { Part } from "./part.js";

type ModuleCount = NonNullable<OverviewQuery["overview"]>["modules"][number];

/** How many owners have which module, with links to which these are. */
export function Modules({ modules }: { readonly modules: readonly ModuleCount[] }) {
  const used = modules.filter(({ enabled, disabled }) => enabled + disabled > 0);
  if (used.length === 0) return null;
  const owners = [...new Set(modules.map(({ owner }) => owner))];
  const kinds = [...new Set(used.map(({ kind }) => kind))].sort();
  return (
    <Part title="Modules in use">
      <Table.ScrollContainer minWidth={700}>
        <Table fz="sm" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Module</Table.Th>
              {owners.map((owner) => (
                <Table.Th key={owner} scope="col">
                  {capitalized(kindOfType(owner).plural)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {kinds.map((kind) => (
              <Table.Tr key={kind}>
                <Table.Th scope="row" fw={500}>
                  {words(kind)}
                </Table.Th>
                {owners.map((owner) => {
                  const count = used.find((each) => each.kind === kind && each.owner === owner);
                  return <Table.Td key={owner}>{count && <Owners count={count} />}</Table.Td>;
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Part>
  );
}

function Owners({ count: { kind, owner, enabled, disabled } }: { readonly count: ModuleCount }) {
  const { path } = kindOfType(owner);
  const link = (isEnabled: boolean) =>
    `/${path}?module.kind=${kind}&module.enabled=${String(isEnabled)}`;
  return (
    <Text size="sm" span>
      <Anchor component={Link} to={link(true)} inherit>
        {enabled.toLocaleString("en")} on
      </Anchor>
      {disabled > 0 && (
        <>
          {", "}
          <Anchor component={Link} to={link(false)} inherit>
            {disabled.toLocaleString("en")} off
          </Anchor>
        </>
      )}
    </Text>
  );
}
