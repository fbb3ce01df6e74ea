import { Table } from "@mantine/core";
import { INPUTS } from "../generated/inputs.js";
import type { Row } from "../resources/resource.js";
import { words } from "../words.js";
import { Value } from "./value.js";

/** What stands elsewhere on the page. */
const ELSEWHERE = ["__typename", "id", "version", "updatedAt", "restricts", "token"];

interface FactsProps {
  readonly item: Row;
  /** The input whose fields a form on the same page shows; null when there is no form. */
  readonly input: string | null;
  /** Fields that stand elsewhere on the page of this kind. */
  readonly without: readonly string[];
}

/** The fields of a resource, in words. */
export function Facts({ item, input, without }: FactsProps) {
  const inForm = input === null ? [] : (INPUTS[input]?.fields ?? []).map(({ name }) => name);
  const isInForm = (name: string) =>
    inForm.includes(name) ||
    inForm.includes(`${name}Id`) ||
    inForm.includes(`${name.replace(/ies$/, "y").replace(/s$/, "")}Ids`);
  const facts = Object.entries(item).filter(
    ([name, value]) =>
      !ELSEWHERE.includes(name) && !without.includes(name) && !isInForm(name) && !isEmpty(value),
  );
  return (
    <Table variant="vertical" layout="fixed" withTableBorder>
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={200} scope="row">
              {words(name)}
            </Table.Th>
            <Table.Td>
              <Value name={name} value={value} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
