import { Anchor, Badge, Button, CloseButton, Group, List, Stack, Text, Title } from "@mantine/core";
import { ArrowRight } from "lucide-react";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import { CopyText } from "../components/copy-text.js";
import { kindOf } from "../resources/kinds.js";
import { capitalized } from "../words.js";
import styles from "./map.module.css";
import type { Neighbour, Neighbours } from "./neighbours.js";

const MOST_SHOWN = 100;

interface NodePanelProps {
  readonly neighbours: Neighbours;
  onFocus(id: string): void;
  onEnd(): void;
}

/** The node that the map is about: what it is, who uses it, and what it uses. */
export function NodePanel({ neighbours, onFocus, onEnd }: NodePanelProps) {
  const { node, users, uses } = neighbours;
  const title = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another node has another title
  useEffect(() => title.current?.focus(), [node.id]);
  const isHostport = node.kind === "hostport";
  return (
    <aside className={styles.panel} aria-labelledby="map-node">
      <Stack gap="sm">
        <Group justify="space-between" align="start" wrap="nowrap">
          <Title
            order={2}
            id="map-node"
            size="h3"
            ref={title}
            tabIndex={-1}
            style={{ overflowWrap: "anywhere", outline: "none" }}
          >
            {node.title}
          </Title>
          <CloseButton aria-label="Show the whole map" title="Escape" onClick={onEnd} />
        </Group>
        <Group gap="xs">
          <Badge variant="light" tt="none">
            {isHostport ? "Hostport" : capitalized(kindOf(node.typename).singular)}
          </Badge>
          {node.isUnused && (
            <Badge variant="outline" color="gray" tt="none">
              Unused
            </Badge>
          )}
        </Group>
        {node.detail !== "" && <Text size="sm">{node.detail}</Text>}
        {node.isConflict && <Text size="sm">Several edges have this hostport.</Text>}
        {!isHostport && <CopyText text={node.id} label="Copy the id" />}
        <Button
          component={Link}
          to={
            isHostport
              ? `/edges/https?hostport=${encodeURIComponent(node.title)}`
              : `/${kindOf(node.typename).path}/${node.id}`
          }
          variant="default"
          rightSection={<ArrowRight size={16} aria-hidden />}
        >
          {isHostport ? "HTTPS edges with it" : "Open its page"}
        </Button>
        <Neighbourhood title="Used by" neighbours={users} onFocus={onFocus} />
        <Neighbourhood title="Uses" neighbours={uses} onFocus={onFocus} />
      </Stack>
    </aside>
  );
}

interface NeighbourhoodProps {
  readonly title: string;
  readonly neighbours: readonly Neighbour[];
  onFocus(id: string): void;
}

function Neighbourhood({ title, neighbours, onFocus }: NeighbourhoodProps) {
  if (neighbours.length === 0) return null;
  return (
    <section aria-label={title}>
      <Title order={3} size="sm" mb={4}>
        {title}
      </Title>
      <List size="sm" listStyleType="none" spacing={2}>
        {neighbours.slice(0, MOST_SHOWN).map(({ node, label }) => (
          <List.Item key={node.id}>
            <Anchor
              component="button"
              type="button"
              size="sm"
              ta="start"
              style={{ overflowWrap: "anywhere" }}
              onClick={() => onFocus(node.id)}
            >
              {node.title}
            </Anchor>{" "}
            <Text span size="xs" c="dimmed">
              {[label, node.label].filter((part) => part !== "").join(" ")}
            </Text>
          </List.Item>
        ))}
      </List>
      {neighbours.length > MOST_SHOWN && (
        <Text size="sm">And {(neighbours.length - MOST_SHOWN).toLocaleString("en")} more.</Text>
      )}
    </section>
  );
}
