import { Badge, Button, Group, Loader, Stack, Title } from "@mantine/core";
import { History, Network } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import { useLiveQuery } from "../api/live.js";
import { problemOf } from "../api/problems.js";
import { CopyText } from "../components/copy-text.js";
import { EmptyState } from "../components/empty-state.js";
import { ReadingProblem } from "../components/problem-alert.js";
import { Time } from "../components/time.js";
import { UpdateForm } from "../forms/update-form.js";
import { isOnMap, mapPathOf } from "../map/on-map.js";
import { nameOf } from "../resources/references.js";
import type { Resource, Row } from "../resources/resource.js";
import { useSession } from "../session/session.js";
import { useTitle } from "../shell/title.js";
import { capitalized } from "../words.js";
import { DeleteButton } from "./delete-button.js";
import { Facts } from "./facts.js";
import { UsedBy } from "./used-by.js";

interface ResourcePageProps<Item extends Row> {
  readonly resource: Resource<Item>;
  /** What only this kind has, before its form. */
  readonly extras?: ((item: Item) => ReactNode) | undefined;
  /** The fields that `extras` show. Default none. */
  readonly inExtras?: readonly string[] | undefined;
}

/** One resource: what it is, who uses it, and a form for what can be changed. */
export function ResourcePage<Item extends Row>({
  resource,
  extras,
  inExtras = [],
}: ResourcePageProps<Item>) {
  const { id = "" } = useParams();
  // With another id it begins anew, instead of showing what it read of the last one.
  return <ReadResource key={id} id={id} resource={resource} extras={extras} inExtras={inExtras} />;
}

interface ReadResourceProps<Item extends Row> extends ResourcePageProps<Item> {
  readonly id: string;
  readonly inExtras: readonly string[];
}

function ReadResource<Item extends Row>({
  id,
  resource,
  extras,
  inExtras,
}: ReadResourceProps<Item>) {
  const { kind } = resource;
  const { data, error, fetching } = useLiveQuery({
    query: resource.one,
    variables: { id } as never,
  });
  const item = data?.resource;
  useTitle(item ? nameOf(item) : capitalized(kind.singular));
  if (!item && fetching) return <Loader role="status" aria-label="Reading" />;
  if (!item) {
    const problem = error && problemOf(error);
    if (problem && problem.code !== "NOT_FOUND") {
      return <ReadingProblem error={error} title={`This ${kind.singular} was refused`} />;
    }
    return <Missing resource={resource} id={id} />;
  }
  return (
    <Stack>
      {error && <ReadingProblem error={error} title={`A part of this was refused`} />}
      <ResourceDetails resource={resource} item={item} extras={extras} inExtras={inExtras} />
    </Stack>
  );
}

interface ResourceDetailsProps<Item extends Row> {
  readonly resource: Resource<Item>;
  readonly item: Item;
  readonly extras: ((item: Item) => ReactNode) | undefined;
  readonly inExtras: readonly string[];
}

function ResourceDetails<Item extends Row>({
  resource,
  item,
  extras,
  inExtras,
}: ResourceDetailsProps<Item>) {
  const { kind } = resource;
  const { canWrite } = useSession();
  return (
    <Stack maw={1100}>
      <Group justify="space-between" align="start">
        <Stack gap={4}>
          <Title order={1} style={{ overflowWrap: "anywhere" }}>
            {nameOf(item)}
          </Title>
          <Group gap="xs">
            <Badge variant="light" tt="none">
              {capitalized(kind.singular)}
            </Badge>
            <CopyText text={item.id} label="Copy the id" />
            <span>
              Version {item.version}, changed <Time at={item.updatedAt} relative />
            </span>
          </Group>
        </Stack>
        <Group>
          {isOnMap(kind.typename) && (
            <Button
              component={Link}
              to={mapPathOf(item.id)}
              variant="default"
              leftSection={<Network size={16} aria-hidden />}
            >
              On the map
            </Button>
          )}
          <Button
            component={Link}
            to={`/changes?ids=${item.id}`}
            variant="default"
            leftSection={<History size={16} aria-hidden />}
          >
            History
          </Button>
          {canWrite && <DeleteButton resource={resource} item={item} />}
        </Group>
      </Group>
      <Facts
        item={item}
        input={canWrite ? `Update${kind.typename}Input` : null}
        without={inExtras}
      />
      {extras?.(item)}
      <UsedBy id={item.id} typename={kind.typename} />
      {canWrite && (
        <Stack component="section" aria-labelledby="change">
          <Title order={2} id="change">
            Change
          </Title>
          <UpdateForm resource={resource} item={item} />
        </Stack>
      )}
    </Stack>
  );
}

function Missing<Item extends Row>({ resource, id }: { resource: Resource<Item>; id: string }) {
  const { kind } = resource;
  return (
    <EmptyState isWholePage title={`There is no ${kind.singular} ${id}`}>
      It was deleted, or it never was. <Link to={`/changes?ids=${id}`}>Its history</Link> tells, or
      go to <Link to={`/${kind.path}`}>all {kind.plural}</Link>.
    </EmptyState>
  );
}
