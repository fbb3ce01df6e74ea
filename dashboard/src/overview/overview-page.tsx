import {
  Anchor,
  Card,
  Group,
  List,
  Loader,
  SimpleGrid,
  Stack,
  Table,
  Text,
  Title,
} from "@mantine/core";
import { type ReactNode, useId } from "react";
import { Link } from "react-router";
import { useLiveQuery } from "../api/live.js";
import { problemOf } from "../api/problems.js";
import { ChangesTable } from "../changes/changes-table.js";
import { EmptyState } from "../components/empty-state.js";
import { useNow } from "../components/now.js";
import { ProblemAlert } from "../components/problem-alert.js";
import { ReferenceLink } from "../components/reference-link.js";
import { ReferenceList } from "../components/reference-list.js";
import { OverviewDocument, type OverviewQuery } from "../generated/operations.js";
import { kindOf, kindOfType } from "../resources/kinds.js";
import { useTitle } from "../shell/title.js";
import { capitalized, counted, words } from "../words.js";

/** What there is, what needs somebody's attention, and what changed lately. */
export function OverviewPage() {
  const { data, error, fetching } = useLiveQuery({ query: OverviewDocument, variables: {} });
  useTitle("Overview");
  return (
    <Stack>
      <Group>
        <Title order={1}>Overview</Title>
        {fetching && <Loader size="xs" aria-label="Reading" />}
      </Group>
      {error && (
        <ProblemAlert problem={problemOf(error)} title="A part of the overview was refused" />
      )}
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
      <Resources counts={resources} />
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

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <Card withBorder component="section" aria-labelledby={id}>
      <Title order={2} id={id} mb="xs">
        {title}
      </Title>
      {children}
    </Card>
  );
}

function Resources({ counts }: { readonly counts: Parts["overview"]["resources"] }) {
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, md: 4, lg: 6 }} component="section" aria-label="Resources">
      {counts.map(({ type, count }) => {
        const { path, plural, singular } = kindOfType(type);
        return (
          <Card key={type} withBorder component={Link} to={`/${path}`} c="inherit" td="none">
            <Text fz={24} fw={600}>
              {count.toLocaleString("en")}
            </Text>
            <Text size="sm">{capitalized(count === 1 ? singular : plural)}</Text>
          </Card>
        );
      })}
    </SimpleGrid>
  );
}

const CERTIFICATES = {
  certificateAuthorities: "CertificateAuthority",
  tlsCertificates: "TlsCertificate",
  sshUserCertificates: "SshUserCertificate",
  sshHostCertificates: "SshHostCertificate",
} as const;
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

function Expiring({
  certificates,
}: {
  readonly certificates: Parts["overview"]["expiringCertificates"];
}) {
  const now = useNow();
  const at = (ms: number) => new Date(now + ms).toISOString();
  return (
    <Part title="Certificates">
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Kind</Table.Th>
            <Table.Th scope="col">Expire in 30 days</Table.Th>
            <Table.Th scope="col">Expired</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.entries(CERTIFICATES).map(([name, typename]) => {
            const { expiring, expired } = certificates[name as keyof typeof CERTIFICATES];
            const { path, plural } = kindOf(typename);
            return (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={500}>
                  {capitalized(plural)}
                </Table.Th>
                <Table.Td>
                  <Anchor component={Link} inherit to={`/${path}?expiringBefore=${at(MONTH_MS)}`}>
                    {boundedCount(expiring)}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <Anchor component={Link} inherit to={`/${path}?expiringBefore=${at(0)}`}>
                    {boundedCount(expired)}
                  </Anchor>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Part>
  );
}

function boundedCount({
  count,
  atLeast,
}: {
  readonly count: number;
  readonly atLeast: boolean;
}): string {
  return atLeast ? `more than ${count.toLocaleString("en")}` : count.toLocaleString("en");
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

function Modules({ modules }: { readonly modules: Parts["overview"]["modules"] }) {
  const used = modules.filter(({ enabled, disabled }) => enabled + disabled > 0);
  if (used.length === 0) return null;
  return (
    <Part title="Modules in use">
      <Table.ScrollContainer minWidth={400}>
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Module</Table.Th>
              <Table.Th scope="col">Of</Table.Th>
              <Table.Th scope="col">Enabled</Table.Th>
              <Table.Th scope="col">Disabled</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {used.map(({ kind, owner, enabled, disabled }) => {
              const { path, plural } = kindOfType(owner);
              const list = `/${path}?module.kind=${kind}&module.enabled=`;
              return (
                <Table.Tr key={`${owner} ${kind}`}>
                  <Table.Th scope="row" fw={500}>
                    {words(kind)}
                  </Table.Th>
                  <Table.Td>{capitalized(plural)}</Table.Td>
                  <Table.Td>
                    <Anchor component={Link} to={`${list}true`} inherit>
                      {enabled.toLocaleString("en")}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>
                    <Anchor component={Link} to={`${list}false`} inherit>
                      {disabled.toLocaleString("en")}
                    </Anchor>
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Part>
  );
}
