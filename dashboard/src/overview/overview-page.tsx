import { Anchor, Group, List, Loader, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { useLiveQuery } from "../api/live.js";
import { ChangesTable } from "../changes/changes-table.js";
import { EmptyState } from "../components/empty-state.js";
import { ReadingProblem } from "../components/problem-alert.js";
import { ReferenceLink } from "../components/reference-link.js";
import { ReferenceList } from "../components/reference-list.js";
import { OverviewDocument, type OverviewQuery } from "../generated/operations.js";
import { useTitle } from "../shell/title.js";
import { counted } from "../words.js";
import { Expiring } from "./expiring.js";
import { Modules } from "./modules.js";
import { Part } from "./part.js";
import { ResourceCounts } from "./resource-counts.js";

/** What there is, what needs somebody's attention, and what changed lately. */
export function OverviewPage() {
  const { data, error, fetching } = useLiveQuery({ query: OverviewDocument, variables: {} });
  useTitle("Overview");
  return (
    <Stack>
      <Group>
        <Title order={1}>Overview</Title>
        {fetching && <Loader size="xs" role="status" aria-label="Reading" />}
      </Group>
      {error && <ReadingProblem error={error} title="A part of the overview was refused" />}
      {data?.overview && <Overview {...data} overview={data.overview} />}
    </Stack>
  );
}

type Parts = OverviewQuery & { readonly overview: NonNullable<OverviewQuery["overview"]> };

function Overview({ overview, hostportConflicts, unusedBackends, changes }: Parts) {
  const { resources, modules, expiringCertificates } = overview;
  const isEmpty = resources.every(({ type, count }) => type === "API_KEY" || count === 0);
  return (
    <>
      {isEmpty && (
        <EmptyState title="This server has nothing yet">
          <code>npm run demo</code> fills it with an example of everything, or{" "}
          <Link to="/edges/https/new">create an HTTPS edge</Link>.
        </EmptyState>
      )}
      <ResourceCounts counts={resources} />
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Expiring certificates={expiringCertificates} />
        {hostportConflicts && <Conflicts conflicts={hostportConflicts} />}
        {unusedBackends && (
          <Part title="Unused backends">
            <Text>
              <Anchor component={Link} to="/backends?unused=true">
                {counted(unusedBackends.totalCount, "backend")}
              </Anchor>{" "}
              without any user
            </Text>
            <ReferenceList to={unusedBackends.nodes} />
          </Part>
        )}
      </SimpleGrid>
      <Modules modules={modules} />
      {changes && changes.nodes.length > 0 && (
        <Part title="Latest changes">
          <ChangesTable changes={[...changes.nodes].reverse()} />
          <Anchor component={Link} to="/changes">
            All changes
          </Anchor>
        </Part>
      )}
    </>
  );
}

function Conflicts({
  conflicts,
}: {
  readonly conflicts: NonNullable<OverviewQuery["hostportConflicts"]>;
}) {
  return (
    <Part title="Hostports in conflict">
      {conflicts.totalCount === 0 ? (
        <Text>No hostport belongs to more than one edge.</Text>
      ) : (
        <List size="sm">
          {conflicts.nodes.map(({ hostport, edges }) => (
            <List.Item key={hostport}>
              {hostport}:{" "}
              {edges.map((edge, index) => (
                <span key={edge.id}>
                  {index > 0 && ", "}
                  <ReferenceLink to={edge} />
                </span>
              ))}
            </List.Item>
          ))}
        </List>
      )}
      {conflicts.totalCount > conflicts.nodes.length && (
        <Text size="sm">and {conflicts.totalCount - conflicts.nodes.length} more hostports</Text>
      )}
    </Part>
  );
}
