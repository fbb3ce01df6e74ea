import { Button, Group, Loader, Stack, Text, Title } from "@mantine/core";
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useLiveQuery } from "../api/live.js";
import { EmptyState } from "../components/empty-state.js";
import { ReadingProblem } from "../components/problem-alert.js";
import type { Kind } from "../resources/kinds.js";
import type { Resource, Row } from "../resources/resource.js";
import { useSession } from "../session/session.js";
import { useTitle } from "../shell/title.js";
import { capitalized, counted } from "../words.js";
import { FilterBar } from "./filter-bar.js";
import { type ListState, useListState } from "./list-state.js";
import { Pager } from "./pager.js";
import { ResourceTable } from "./resource-table.js";

type Listed<Item extends Row> = Pick<Resource<Item>, "purpose" | "list" | "columns"> & {
  readonly kind: Omit<Kind, "type">;
};

interface ListPageProps<Item extends Row> {
  readonly resource: Listed<Item>;
  /** What leads to new ones; default a link to their form. Null where they are made on another page. */
  readonly create?: ReactNode;
}

/** The list of a kind of resource: filter, order and page are in the URL. */
export function ListPage<Item extends Row>({ resource, create }: ListPageProps<Item>) {
  const { kind } = resource;
  const { canWrite } = useSession();
  const state = useListState(kind.typename);
  const { data, error, fetching } = useLiveQuery({
    query: resource.list,
    // Checked by the server, which names what is wrong with it.
    variables: state.variables as never,
  });
  useTitle(capitalized(kind.plural));
  const page = data?.page;
  return (
    <Stack>
      <Group justify="space-between">
        <Group align="baseline">
          <Title order={1}>{capitalized(kind.plural)}</Title>
          {page && (
            <Text aria-live="polite">{counted(page.totalCount, kind.singular, kind.plural)}</Text>
          )}
          {fetching && <Loader size="xs" role="status" aria-label="Reading" />}
        </Group>
        {canWrite && (create === undefined ? <NewLink kind={kind} /> : create)}
      </Group>
      <FilterBar typename={kind.typename} state={state} />
      {error && (
        <ReadingProblem error={error} title="This list was refused">
          <ShowAll plural={kind.plural} onClick={state.clear} />
        </ReadingProblem>
      )}
      {page && page.nodes.length > 0 && (
        <>
          <ResourceTable resource={resource} rows={page.nodes} />
          <Pager pageInfo={page.pageInfo} onTurn={state.turn} />
        </>
      )}
      {page && page.nodes.length === 0 && <NothingHere resource={resource} state={state} />}
    </Stack>
  );
}

function NewLink({ kind }: { readonly kind: Omit<Kind, "type"> }) {
  return (
    <Button component={Link} to={`/${kind.path}/new`} leftSection={<Plus size={16} aria-hidden />}>
      New {kind.singular}
    </Button>
  );
}

interface ShowAllProps {
  readonly plural: string;
  onClick(): void;
}

function ShowAll({ plural, onClick }: ShowAllProps) {
  return (
    <Button variant="default" mt="xs" onClick={onClick}>
      Show all {plural}
    </Button>
  );
}

interface NothingHereProps<Item extends Row> {
  readonly resource: Listed<Item>;
  readonly state: ListState;
}

function NothingHere<Item extends Row>({ resource, state }: NothingHereProps<Item>) {
  const { plural, typename } = resource.kind;
  if (state.isFiltered || state.isOnLaterPage) {
    const title = state.isOnLaterPage ? `No more ${plural} on this page` : `No ${plural} match`;
    return (
      <EmptyState title={title}>
        <ShowAll plural={plural} onClick={state.clear} />
      </EmptyState>
    );
  }
  return (
    <EmptyState title={`There are no ${plural} yet`}>
      <Text>{resource.purpose}</Text>
      {typename !== "ApiKey" && (
        <Text mt="xs">
          <code>npm run demo</code> fills this server with an example of everything.
        </Text>
      )}
    </EmptyState>
  );
}
