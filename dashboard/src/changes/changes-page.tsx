import { Button, Group, Loader, MultiSelect, Stack, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { useLiveQuery } from "../api/live.js";
import { EmptyState } from "../components/empty-state.js";
import { ReadingProblem } from "../components/problem-alert.js";
import { ChangesDocument, type ResourceType } from "../generated/operations.js";
import { Pager } from "../lists/pager.js";
import { allKinds } from "../resources/kinds.js";
import { useTitle } from "../shell/title.js";
import { capitalized } from "../words.js";
import { ActorsField, CONFIGURED_KEY } from "./actors-field.js";
import { ChangesTable } from "./changes-table.js";

const PAGE_SIZE = 25;

/** The log of changes, newest first. What it is narrowed to, and the page, are in the URL. */
export function ChangesPage() {
  const [params, setParams] = useSearchParams();
  useTitle("Changes");
  const named = listOf(params, "types");
  const types = named.filter(isType);
  const unknown = named.filter((name) => !isType(name));
  const ids = listOf(params, "ids");
  const actors = listOf(params, "actorIds");
  const after = params.get("after");
  const before = params.get("before");
  // The log is oldest first, so its newest page is the last one.
  const page = after === null ? { last: PAGE_SIZE, before } : { first: PAGE_SIZE, after };
  const { data, error, fetching } = useLiveQuery({
    query: ChangesDocument,
    variables: {
      ...page,
      types,
      ids,
      actorIds: actors.map((id) => (id === CONFIGURED_KEY ? null : id)),
    },
    pause: unknown.length > 0,
  });
  const narrow = (name: string, values: readonly string[]) =>
    setParams((current) => {
      const next = new URLSearchParams(current);
      for (const gone of ["after", "before", name]) next.delete(gone);
      if (values.length > 0) next.set(name, values.join(","));
      return next;
    });
  const isNarrowed = params.size > 0;
  const changes = data?.changes;
  const newestFirst = changes ? [...changes.nodes].reverse() : [];
  return (
    <Stack>
      <Group>
        <Title order={1}>Changes</Title>
        {fetching && <Loader size="xs" role="status" aria-label="Reading" />}
      </Group>
      <Group align="end" component="search">
        <MultiSelect
          label="Kinds of resources"
          placeholder={types.length === 0 ? "All" : ""}
          searchable
          data={allKinds().map(({ type, singular }) => ({
            value: type,
            label: capitalized(singular),
          }))}
          value={types}
          onChange={(values) => narrow("types", values)}
          w={260}
        />
        <ActorsField actors={actors} onActors={(values) => narrow("actorIds", values)} />
        <IdsField key={ids.join()} ids={ids} onIds={(values) => narrow("ids", values)} />
      </Group>
      {error && (
        <ReadingProblem error={error} title="The log was refused">
          <Button variant="default" mt="xs" onClick={() => setParams({})}>
            Show all changes
          </Button>
        </ReadingProblem>
      )}
      {unknown.length > 0 && (
        <EmptyState title={`There is no kind of resource ${unknown.join(", ")}`}>
          <Button variant="default" mt="xs" onClick={() => setParams({})}>
            Show all changes
          </Button>
        </EmptyState>
      )}
      {newestFirst.length > 0 && <ChangesTable changes={newestFirst} />}
      {changes && newestFirst.length === 0 && isNarrowed && (
        <EmptyState title="No changes match">
          <Button variant="default" mt="xs" onClick={() => setParams({})}>
            Show all changes
          </Button>
        </EmptyState>
      )}
      {changes && newestFirst.length === 0 && !isNarrowed && (
        <EmptyState title="No changes">
          Whatever is created, changed or deleted stands here, with who did it, for 90 days unless
          CHANGE_LOG_DAYS says otherwise.
        </EmptyState>
      )}
      {changes && (
        <Pager
          pageInfo={{
            hasPreviousPage: changes.pageInfo.hasNextPage,
            hasNextPage: changes.pageInfo.hasPreviousPage,
            startCursor: changes.pageInfo.endCursor,
            endCursor: changes.pageInfo.startCursor,
          }}
          onTurn={(to) =>
            setParams((current) => {
              const next = new URLSearchParams(current);
              next.delete("after");
              next.delete("before");
              if ("after" in to) next.set("before", to.after);
              else next.set("after", to.before);
              return next;
            })
          }
        />
      )}
    </Stack>
  );
}

function IdsField({ ids, onIds }: { readonly ids: readonly string[]; onIds(ids: string[]): void }) {
  const [text, setText] = useState(ids.join(", "));
  const apply = () => {
    const next = text.split(/[\s,]+/).filter((id) => id !== "");
    if (next.join() !== ids.join()) onIds(next);
  };
  return (
    <TextInput
      label="Ids of resources"
      placeholder="All"
      w={260}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === "Enter") apply();
      }}
    />
  );
}

function listOf(params: URLSearchParams, name: string): string[] {
  return (
    params
      .get(name)
      ?.split(",")
      .filter((value) => value !== "") ?? []
  );
}

function isType(name: string): name is ResourceType {
  return allKinds().some(({ type }) => type === name);
}
