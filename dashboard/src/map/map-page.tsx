import { Alert, Anchor, Button, Group, Loader, Text, Title } from "@mantine/core";
import { useCallback, useEffect, useMemo } from "react";
import { Link } from "react-router";
import { EmptyState } from "../components/empty-state.js";
import { ReadingProblem } from "../components/problem-alert.js";
import { FilterBar } from "../lists/filter-bar.js";
import { type ListState, useListState } from "../lists/list-state.js";
import { useSession } from "../session/session.js";
import { useTitle } from "../shell/title.js";
import { counted } from "../words.js";
import { ExportMenu } from "./export-menu.js";
import { prepareLayout } from "./layout-worker.js";
import styles from "./map.module.css";
import { MapCanvas } from "./map-canvas.js";
import { neighboursOf } from "./neighbours.js";
import { NodePanel } from "./node-panel.js";
import { useGraphs, useLayout } from "./use-layout.js";
import { useMap } from "./use-map.js";

const FOCUS = "focus";
prepareLayout();

/** Everything that requests go through, as one picture. What it is about is in the URL. */
export function MapPage() {
  useTitle("Map");
  const state = useListState("HttpsEdge");
  const { filter, orderBy } = state.variables;
  const name = JSON.stringify({ filter, orderBy });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name is the filter and the order
  const query = useMemo(() => ({ filter, ...(orderBy && { orderBy }) }), [name]);
  const { data, isReading, error, goOn } = useMap(query);
  const graphs = useGraphs(data);
  const focus = state.value(FOCUS);
  const neighbours = useMemo(
    () => (focus === "" ? null : neighboursOf(graphs, focus)),
    [graphs, focus],
  );
  const layout = useLayout(graphs, neighbours ? focus : "");
  const isBegun = layout.sections.length > 0;
  useEffect(() => {
    if (isBegun && data) goOn();
  }, [isBegun, data, goOn]);
  const { set } = state;
  const setFocus = useCallback((id: string) => set({ [FOCUS]: id }), [set]);
  const endFocus = useCallback(() => {
    setFocus("");
    document.querySelector<HTMLElement>(`.${styles.canvas} .react-flow`)?.focus();
  }, [setFocus]);
  useEscape(focus !== "", endFocus);

  const isEmpty = !isReading && !error && graphs.every(({ nodes }) => nodes.length === 0);
  return (
    <div className={styles.page}>
      <Group justify="space-between">
        <Group align="baseline">
          <Title order={1}>Map</Title>
          <Text aria-live="polite">{summaryOf(data, isReading)}</Text>
          {(isReading || !layout.isComplete) && (
            <Loader size="xs" role="status" aria-label="Reading" />
          )}
        </Group>
        <ExportMenu sections={layout.sections} isReady={!isReading && layout.isComplete} />
      </Group>
      <FilterBar typename="HttpsEdge" state={state} />
      {error && <ReadingProblem error={error} title="This map was refused" />}
      {focus !== "" && !neighbours && !isReading && (
        <Alert color="gray" title="It is not on this map">
          {focus} was deleted, or the filter leaves it out.{" "}
          <Anchor component="button" type="button" inherit onClick={endFocus}>
            Show the whole map
          </Anchor>
        </Alert>
      )}
      {isEmpty ? (
        <NothingHere state={state} />
      ) : (
        <div className={styles.body}>
          <div className={styles.canvas}>
            <MapCanvas layout={layout} name={name} onFocus={setFocus} />
          </div>
          {neighbours && <NodePanel neighbours={neighbours} onFocus={setFocus} onEnd={endFocus} />}
        </div>
      )}
      <Text size="xs" c="dimmed" id="map-description">
        From hostports on the left through edges and routes to servers on the right. Filled modules
        are enabled, hollow ones disabled; what nobody uses is dashed. Enter shows what one node
        uses and who uses it, Escape the whole again; arrow keys move the map. The same as text:{" "}
        <Anchor component={Link} to="/edges/https" inherit>
          HTTPS edges
        </Anchor>
        ,{" "}
        <Anchor component={Link} to="/edges/https/routes" inherit>
          routes
        </Anchor>
        ,{" "}
        <Anchor component={Link} to="/backends" inherit>
          backends
        </Anchor>
        .
      </Text>
    </div>
  );
}

function summaryOf(data: ReturnType<typeof useMap>["data"], isReading: boolean): string {
  if (!data) return "";
  const edges = data.sections.flatMap((section) => section.edges);
  const routes = edges.reduce(
    (sum, edge) => sum + (edge.__typename === "HttpsEdge" ? edge.routes.nodes.length : 0),
    0,
  );
  const parts = [
    counted(edges.length, "edge"),
    counted(routes, "route"),
    counted(data.backends.size, "backend"),
  ];
  return `${parts.join(", ")}${isReading ? " so far" : ""}`;
}

function useEscape(isActive: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!isActive) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) onEscape();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [isActive, onEscape]);
}

function NothingHere({ state }: { readonly state: ListState }) {
  const { canWrite } = useSession();
  if (state.isFiltered) {
    return (
      <EmptyState title="Nothing matches">
        <Button variant="default" onClick={state.clear}>
          Show the whole map
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="The map is empty">
      <Text>An edge takes requests at its hostports, and its routes send them to backends.</Text>
      <Text my="xs">
        <code>npm run demo</code> fills this server with an example of everything.
      </Text>
      {canWrite && (
        <Button component={Link} to="/edges/https/new">
          New HTTPS edge
        </Button>
      )}
    </EmptyState>
  );
}
