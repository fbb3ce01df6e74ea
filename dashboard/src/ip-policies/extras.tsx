import { Badge, Button, Code, Group, Table, Text } from "@mantine/core";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { useLiveQuery } from "../api/live.js";
import { problemOf } from "../api/problems.js";
import { ProblemAlert } from "../components/problem-alert.js";
import { ReferenceLink } from "../components/reference-link.js";
import { Section } from "../components/section.js";
import { DeleteButton } from "../details/delete-button.js";
import {
  type IpPolicyRulePartsFragment,
  RulesOfIpPolicyDocument,
} from "../generated/operations.js";
import { Pager } from "../lists/pager.js";
import { ipPolicyRules } from "../resources/ip-policies.js";
import { nameOf, pathOf } from "../resources/references.js";
import { useSession } from "../session/session.js";
import { counted, words } from "../words.js";

const PAGE_SIZE = 50;

type Page =
  | { readonly first: number; readonly after?: string }
  | { readonly last: number; readonly before: string };

/** The rules of an IP policy. */
export function IpPolicyExtras({ item: policy }: { readonly item: { readonly id: string } }) {
  const { canWrite } = useSession();
  const [page, setPage] = useState<Page>({ first: PAGE_SIZE });
  const { data, error } = useLiveQuery({
    query: RulesOfIpPolicyDocument,
    variables: { id: policy.id, ...page },
  });
  const rules = data?.ipPolicy?.rules;
  return (
    <Section
      title="Rules"
      actions={
        canWrite && (
          <Button
            component={Link}
            to={`/ip_policy_rules/new?ipPolicyId=${policy.id}`}
            variant="default"
            leftSection={<Plus size={16} aria-hidden />}
          >
            Add a rule
          </Button>
        )
      }
    >
      {error && <ProblemAlert problem={problemOf(error)} title="The rules were refused" />}
      {rules?.totalCount === 0 && <Text>This policy has no rules yet.</Text>}
      {rules && rules.totalCount > 0 && (
        <>
          <Text size="sm">{counted(rules.totalCount, "rule")}</Text>
          <RuleTable rules={rules.nodes} canWrite={canWrite} />
          <Pager
            pageInfo={rules.pageInfo}
            onTurn={(to) =>
              setPage("after" in to ? { first: PAGE_SIZE, ...to } : { last: PAGE_SIZE, ...to })
            }
          />
        </>
      )}
    </Section>
  );
}

interface RuleTableProps {
  readonly rules: readonly IpPolicyRulePartsFragment[];
  readonly canWrite: boolean;
}

function RuleTable({ rules, canWrite }: RuleTableProps) {
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table withTableBorder verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Network</Table.Th>
            <Table.Th scope="col">Action</Table.Th>
            <Table.Th scope="col">Description</Table.Th>
            {canWrite && <Table.Th scope="col">Change</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.map((rule) => (
            <Table.Tr key={rule.id}>
              <Table.Th scope="row" fw={400}>
                <Code>{rule.cidr}</Code>
              </Table.Th>
              <Table.Td>
                <Badge variant="light" color={rule.action === "ALLOW" ? "teal" : "red"} tt="none">
                  {words(rule.action)}
                </Badge>
              </Table.Td>
              <Table.Td>{canWrite ? rule.description : <ReferenceLink to={rule} />}</Table.Td>
              {canWrite && (
                <Table.Td>
                  <Group gap="xs" wrap="nowrap">
                    <Button
                      component={Link}
                      to={pathOf(rule)}
                      variant="default"
                      size="compact-sm"
                      aria-label={`Change ${nameOf(rule)}`}
                    >
                      Change
                    </Button>
                    <DeleteButton resource={ipPolicyRules} item={rule} inRow />
                  </Group>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
