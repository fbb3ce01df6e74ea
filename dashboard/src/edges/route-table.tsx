import { Anchor, Button, Table, Text } from "@mantine/core";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { problemOf } from "../api/problems.js";
import { BackendTree } from "../backends/backend-tree.js";
import { ModuleChips } from "../components/module-chips.js";
import { ProblemAlert } from "../components/problem-alert.js";
import { Section } from "../components/section.js";
import type { RouteOfEdgePartsFragment } from "../generated/operations.js";
import { pathOf } from "../resources/references.js";
import { useSession } from "../session/session.js";
import { Reading } from "../shell/reading.js";
import { counted, words } from "../words.js";
import { useRoutesOfEdge } from "./routes-of-edge.js";

/** More than that are shown when somebody asks for them. */
const MOST_SHOWN = 100;

/** The routes of an HTTPS edge, in the order in which they are tried. */
export function RoutesSection({ edgeId }: { readonly edgeId: string }) {
  const { routes, error } = useRoutesOfEdge(edgeId);
  const { canWrite } = useSession();
  return (
    <Section
      title="Routes"
      actions={
        canWrite && (
          <Button
            component={Link}
            to={`/edges/https/routes/new?edgeId=${edgeId}`}
            variant="default"
            leftSection={<Plus size={16} aria-hidden />}
          >
            Add a route
          </Button>
        )
      }
    >
      {error && <ProblemAlert problem={problemOf(error)} title="The routes were refused" />}
      {!routes && !error && <Reading />}
      {routes?.length === 0 && <Text>This edge has no routes yet, so it serves nothing.</Text>}
      {routes && routes.length > 0 && <RouteTable routes={routes} />}
    </Section>
  );
}

function RouteTable({ routes }: { readonly routes: readonly RouteOfEdgePartsFragment[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? routes : routes.slice(0, MOST_SHOWN);
  return (
    <>
      <Text size="sm">
        {routes.length === 1
          ? "This route is tried for each request."
          : `${counted(routes.length, "route")}, tried from the top: the first that matches serves the request.`}
      </Text>
      <Table.ScrollContainer minWidth={760}>
        <Table verticalSpacing="xs" withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col" w={48}>
                No.
              </Table.Th>
              <Table.Th scope="col" miw={220}>
                Match
              </Table.Th>
              <Table.Th scope="col">Modules</Table.Th>
              <Table.Th scope="col">Backend</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((route, index) => (
              <RouteRow key={route.id} route={route} place={index + 1} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {shown.length < routes.length && (
        <div>
          <Button variant="default" onClick={() => setWhole(true)}>
            Show all {routes.length.toLocaleString("en")} routes
          </Button>
        </div>
      )}
    </>
  );
}

interface RouteRowProps {
  readonly route: RouteOfEdgePartsFragment;
  readonly place: number;
}

function RouteRow({ route, place }: RouteRowProps) {
  const { backend, ...others } = route;
  return (
    <Table.Tr style={{ verticalAlign: "top" }}>
      <Table.Td>{place}</Table.Td>
      <Table.Th scope="row" fw={400}>
        <Anchor
          component={Link}
          to={pathOf(route)}
          size="sm"
          ff="monospace"
          style={{ overflowWrap: "anywhere" }}
        >
          {route.match}
        </Anchor>
        <Text size="xs">{words(route.matchType)}</Text>
        {route.description !== "" && (
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {route.description}
          </Text>
        )}
      </Table.Th>
      <Table.Td>
        <ModuleChips owner={others} />
      </Table.Td>
      <Table.Td>
        {backend?.backend ? <BackendTree backend={backend.backend} /> : "None"}
        {backend?.enabled === false && <Text size="xs">The module is off.</Text>}
      </Table.Td>
    </Table.Tr>
  );
}
