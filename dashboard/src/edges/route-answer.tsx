import { Alert, Badge, Code, Group, List, Paper, Stack, Text, Timeline } from "@mantine/core";
import { Boxes, Network, Server, Signpost } from "lucide-react";
import { BackendTree } from "../backends/backend-tree.js";
import { ReferenceLink } from "../components/reference-link.js";
import { ReferenceList } from "../components/reference-list.js";
import type { ResolveRouteQuery } from "../generated/operations.js";
import { kindOf } from "../resources/kinds.js";
import { counted, words } from "../words.js";
import { RouteWalk } from "./route-walk.js";

type Answer = NonNullable<ResolveRouteQuery["resolveRoute"]>;

interface RouteAnswerProps {
  readonly answer: Answer;
  /** The edge on whose page this is; null elsewhere. */
  readonly pageOfEdge: string | null;
}

/** Which route serves a request, step by step. */
export function RouteAnswer({ answer, pageOfEdge }: RouteAnswerProps) {
  const { outcome, hostport, path, edge, route, modules } = answer;
  const target = { host: hostport.replace(/:\d+$/, ""), path };
  return (
    <Paper withBorder p="md" mt="xs" component="section" aria-label="Answer">
      <Stack>
        <Verdict answer={answer} />
        {pageOfEdge !== null && edge && edge.id !== pageOfEdge && (
          <Alert color="yellow" title="Another edge serves this URL">
            <ReferenceLink to={edge} /> comes before the edge of this page.
          </Alert>
        )}
        <Timeline bulletSize={24} lineWidth={2} active={outcome === "ROUTED" ? 3 : edge ? 1 : 0}>
          <Timeline.Item title="Hostport" bullet={<Network size={14} aria-hidden />}>
            <HostportStep answer={answer} />
          </Timeline.Item>
          {edge && (
            <Timeline.Item title="Routes" bullet={<Signpost size={14} aria-hidden />}>
              <Text size="sm" mb={6}>
                The path is <Code>{path}</Code>. The first route that matches serves the request.
              </Text>
              <RouteWalk edgeId={edge.id} target={target} servingId={route?.id ?? null} />
            </Timeline.Item>
          )}
          {modules.length > 0 && (
            <Timeline.Item title="Modules" bullet={<Boxes size={14} aria-hidden />}>
              <Text size="sm" mb={6}>
                {counted(modules.length, "module")}, in the order in which they act:
              </Text>
              <Modules answer={answer} />
            </Timeline.Item>
          )}
          {route && (
            <Timeline.Item title="Backend" bullet={<Server size={14} aria-hidden />}>
              <BackendStep backend={route.backend} />
            </Timeline.Item>
          )}
        </Timeline>
      </Stack>
    </Paper>
  );
}

function Verdict({ answer: { outcome, route, edge, otherEdges } }: { readonly answer: Answer }) {
  const text = {
    ROUTED: route && edge && (
      <>
        The route <ReferenceLink to={route} /> of <ReferenceLink to={edge} /> serves it.
      </>
    ),
    NO_ROUTE: edge && (
      <>
        No route serves it: <ReferenceLink to={edge} /> has the hostport, but none of its routes
        match.
      </>
    ),
    TLS_EDGE: (
      <>
        A TLS edge forwards the connection, and no route is asked:{" "}
        <ReferenceList to={otherEdges.slice(0, 1)} />.
      </>
    ),
    TCP_EDGE: (
      <>
        A TCP edge forwards the connection, and no route is asked:{" "}
        <ReferenceList to={otherEdges.slice(0, 1)} />.
      </>
    ),
    NO_EDGE: "No edge has a hostport that matches, so nothing serves it.",
  }[outcome];
  return <Text fw={600}>{text}</Text>;
}

function HostportStep({ answer }: { readonly answer: Answer }) {
  const { hostport, matchedHostport, edge, otherEdges } = answer;
  const [claiming, ...others] = edge ? [edge, ...otherEdges] : otherEdges;
  if (matchedHostport === null || !claiming) {
    return (
      <Text size="sm">
        No edge has <Code>{hostport}</Code>, or a wildcard for it.
      </Text>
    );
  }
  return (
    <>
      <Text size="sm">
        <Code>{hostport}</Code>{" "}
        {matchedHostport === hostport ? (
          "is a hostport"
        ) : (
          <>
            falls under <Code>{matchedHostport}</Code>, a hostport
          </>
        )}{" "}
        of <ReferenceLink to={claiming} />.
      </Text>
      {others.length > 0 && (
        <Text size="sm">
          {counted(others.length, "other edge claims", "other edges claim")} it too:{" "}
          <ReferenceList to={others} />.
        </Text>
      )}
    </>
  );
}

function Modules({ answer: { modules, edge, route } }: { readonly answer: Answer }) {
  const ofEdge = Object.values(edge ?? {}).flatMap((value) =>
    typeof value === "object" && value !== null && "enabled" in value ? [value.__typename] : [],
  );
  return (
    <List type="ordered" size="sm" spacing={6}>
      {modules.map(({ kind, module }) => {
        const owner = ofEdge.some((name) => name === module.__typename) ? edge : route;
        return (
          <List.Item key={kind}>
            <Group component="span" display="inline-flex" gap={6}>
              <Badge variant="light" tt="none">
                {words(kind)}
              </Badge>
              {owner && (
                <span>
                  of the {kindOf(owner.__typename).singular} <ReferenceLink to={owner} />
                </span>
              )}
            </Group>
          </List.Item>
        );
      })}
    </List>
  );
}

function BackendStep({ backend }: { readonly backend: NonNullable<Answer["route"]>["backend"] }) {
  if (!backend?.backend) return <Text size="sm">The route has no backend.</Text>;
  return (
    <>
      {!backend.enabled && <Text size="sm">The module is off, so nothing is sent to:</Text>}
      <BackendTree backend={backend.backend} />
    </>
  );
}
