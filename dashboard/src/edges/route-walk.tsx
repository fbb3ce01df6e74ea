import { Anchor, Button, List, Text, ThemeIcon } from "@mantine/core";
import { Check, CircleSlash, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { problemOf } from "../api/problems.js";
import { ProblemAlert } from "../components/problem-alert.js";
import type { RouteOfEdgePartsFragment } from "../generated/operations.js";
import { pathOf } from "../resources/references.js";
import { Reading } from "../shell/reading.js";
import { counted, words } from "../words.js";
import { mismatchOf, type Target } from "./match-order.js";
import { useRoutesOfEdge } from "./routes-of-edge.js";

/** Of those that do not match, and of those that are not reached. */
const MOST_SHOWN = 10;

interface RouteWalkProps {
  readonly edgeId: string;
  readonly target: Target;
  /** The route that serves the request, as the server says; null when none does. */
  readonly servingId: string | null;
}

/** The routes of an edge in the order in which they are tried for a request, each with what became of it. */
export function RouteWalk({ edgeId, target, servingId }: RouteWalkProps) {
  const { routes, error } = useRoutesOfEdge(edgeId);
  const [isWhole, setWhole] = useState(false);
  if (error) return <ProblemAlert problem={problemOf(error)} title="The routes were refused" />;
  if (!routes) return <Reading />;
  if (routes.length === 0) return <Text size="sm">The edge has no routes.</Text>;
  const place = routes.findIndex(({ id }) => id === servingId);
  const serving = routes[place];
  const tried = place < 0 ? routes : routes.slice(0, place);
  const left = place < 0 ? [] : routes.slice(place + 1);
  const shownTried = isWhole ? tried : tried.slice(-MOST_SHOWN);
  const shownLeft = isWhole ? left : left.slice(0, MOST_SHOWN);
  const hidden = tried.length - shownTried.length + left.length - shownLeft.length;
  return (
    <>
      {hidden > 0 && (
        <Button variant="default" size="compact-sm" my="xs" onClick={() => setWhole(true)}>
          Show {counted(hidden, "more route")} that {hidden === 1 ? "does" : "do"} not serve it
        </Button>
      )}
      <List
        size="sm"
        spacing={6}
        listStyleType="none"
        center={false}
        aria-label="Routes as they are tried"
      >
        {shownTried.map((route) => (
          <Step key={route.id} route={route} icon={<X size={12} aria-hidden />} color="gray">
            does not match: {mismatchOf(route, target) ?? "another one serves it"}
          </Step>
        ))}
        {serving && (
          <Step route={serving} icon={<Check size={12} aria-hidden />} color="teal">
            <strong>matches</strong> and serves the request
          </Step>
        )}
        {shownLeft.map((route) => (
          <Step
            key={route.id}
            route={route}
            icon={<CircleSlash size={12} aria-hidden />}
            color="gray"
          >
            is not reached
          </Step>
        ))}
      </List>
    </>
  );
}

interface StepProps {
  readonly route: RouteOfEdgePartsFragment;
  readonly icon: ReactNode;
  readonly color: string;
  readonly children: ReactNode;
}

function Step({ route, icon, color, children }: StepProps) {
  return (
    <List.Item
      icon={
        <ThemeIcon
          size={18}
          radius="xl"
          color={color}
          variant={color === "teal" ? "filled" : "light"}
        >
          {icon}
        </ThemeIcon>
      }
    >
      <Anchor
        component={Link}
        to={pathOf(route)}
        size="sm"
        ff="monospace"
        style={{ overflowWrap: "anywhere" }}
      >
        {route.match}
      </Anchor>{" "}
      ({words(route.matchType).toLowerCase()}) {children}
    </List.Item>
  );
}
