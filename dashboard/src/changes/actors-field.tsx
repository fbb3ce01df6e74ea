import { MultiSelect } from "@mantine/core";
import { useLiveQuery } from "../api/live.js";
import { RESOURCE_OPERATIONS } from "../generated/resource-operations.js";
import { firstText } from "../words.js";

/** What the URL has for the key of the server's configuration, which has no id. */
export const CONFIGURED_KEY = "configured";
const MOST_OFFERED = 100;

interface ActorsFieldProps {
  /** The ids of keys. */
  readonly actors: readonly string[];
  onActors(actors: string[]): void;
}

/** Chooses the keys whose changes are shown. A key that was deleted is known by its id alone. */
export function ActorsField({ actors, onActors }: ActorsFieldProps) {
  const { data } = useLiveQuery({
    query: RESOURCE_OPERATIONS.ApiKey.list,
    variables: { first: MOST_OFFERED },
  });
  const choices = new Map(actors.map((id) => [id, id]));
  for (const { id, description } of data?.page?.nodes ?? []) {
    choices.set(id, firstText(description, id));
  }
  choices.set(CONFIGURED_KEY, "The configured key");
  return (
    <MultiSelect
      label="By"
      placeholder={actors.length === 0 ? "Anybody" : ""}
      searchable
      data={[...choices].map(([value, label]) => ({ value, label }))}
      value={[...actors]}
      onChange={onActors}
      w={240}
    />
  );
}
