import { Stack, Table, Text, Title } from "@mantine/core";
import { useId, useState } from "react";
import { useLiveQuery } from "../api/live.js";
import { ReferenceLink } from "../components/reference-link.js";
import { ReferenceList } from "../components/reference-list.js";
import { UsedByDocument } from "../generated/operations.js";
import { Pager } from "../lists/pager.js";
import { counted, words } from "../words.js";

/** The types that others refer to. */
const USED = ["IpPolicy", "CertificateAuthority", "EndpointConfiguration", "TlsCertificate"];
const PAGE_SIZE = 20;

interface UsedByProps {
  readonly id: string;
  readonly typename: string;
  /** The heading. Default "Used by". */
  readonly heading?: string;
}

/** Who uses a resource, directly or through backends; nothing for a kind that nobody can use. */
export function UsedBy({ id, typename, heading = "Used by" }: UsedByProps) {
  if (!USED.includes(typename) && !typename.endsWith("Backend")) return null;
  return <Users id={id} heading={heading} />;
}

type Page = {
  readonly first?: number;
  readonly after?: string;
  readonly last?: number;
  readonly before?: string;
};

function Users({ id, heading }: { readonly id: string; readonly heading: string }) {
  const title = useId();
  const [page, setPage] = useState<Page>({ first: PAGE_SIZE });
  const { data } = useLiveQuery({ query: UsedByDocument, variables: { id, ...page } });
  const node = data?.node;
  if (!node || !("usedBy" in node)) return null;
  const { usedBy } = node;
  const parents = "parents" in node ? node.parents.nodes : [];
  return (
    <Stack component="section" aria-labelledby={title} gap="xs">
      <Title order={2} id={title}>
        {heading}
      </Title>
      {parents.length > 0 && (
        <Text>
          Child of <ReferenceList to={parents} />
        </Text>
      )}
      {usedBy.totalCount === 0 ? (
        <Text>
          Nothing sends traffic here: it can be deleted
          {parents.length > 0 && " once its parents do without it"}.
        </Text>
      ) : (
        <>
          <Text>{counted(usedBy.totalCount, "use")}</Text>
          <Table.ScrollContainer minWidth={500}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">User</Table.Th>
                  <Table.Th scope="col">Edge</Table.Th>
                  <Table.Th scope="col">Module</Table.Th>
                  <Table.Th scope="col">Through</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {usedBy.nodes.map(({ user, edge, module, enabled, via }) => (
                  <Table.Tr key={[user.id, module, ...via.map(({ id }) => id)].join()}>
                    <Table.Th scope="row" fw={500}>
                      <ReferenceLink to={user} />
                    </Table.Th>
                    <Table.Td>{edge && <ReferenceLink to={edge} />}</Table.Td>
                    <Table.Td>
                      {module && words(module)}
                      {enabled === false && " (off)"}
                    </Table.Td>
                    <Table.Td>
                      <ReferenceList to={via} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          <Pager
            pageInfo={usedBy.pageInfo}
            onTurn={(to) =>
              setPage("after" in to ? { first: PAGE_SIZE, ...to } : { last: PAGE_SIZE, ...to })
            }
          />
        </>
      )}
    </Stack>
  );
}
