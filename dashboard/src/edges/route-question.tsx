import { Button, Group, Text, TextInput } from "@mantine/core";
import { Route } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useLiveQuery } from "../api/live.js";
import { type Problem, problemOf } from "../api/problems.js";
import { ProblemAlert } from "../components/problem-alert.js";
import { ResolveRouteDocument } from "../generated/operations.js";
import { RouteAnswer } from "./route-answer.js";

interface RouteQuestionProps {
  /** The URL that was asked for; "" before anything was. */
  readonly url: string;
  /** What stands in the field at first. */
  readonly suggested?: string;
  onAsk(url: string): void;
  /** The edge on whose page this is. */
  readonly edgeId?: string;
}

/** Asks which route serves a URL, and walks through the answer. */
export function RouteQuestion({ url, suggested = "", onAsk, edgeId }: RouteQuestionProps) {
  const [typed, setTyped] = useState(url || suggested);
  const { data, error } = useLiveQuery({
    query: ResolveRouteDocument,
    variables: { url },
    pause: url === "",
  });
  const answer = url === "" ? null : data?.resolveRoute;
  const problem = url !== "" && error ? problemOf(error) : null;
  const mistake = problem && mistakeOf(problem);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAsk(typed.trim());
  };
  return (
    <>
      <form onSubmit={submit}>
        <Group align="start">
          <TextInput
            flex={1}
            miw={260}
            label="URL"
            description="With https and, where it is not 443, the port. Query and fragment do not matter."
            placeholder="https://example.com/path"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            error={typed.trim() === url ? mistake : null}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" mt={45} leftSection={<Route size={16} aria-hidden />}>
            Find the route
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {problem && !mistake && <ProblemAlert problem={problem} title="This was not answered" />}
        {answer ? (
          <RouteAnswer answer={answer} pageOfEdge={edgeId ?? null} />
        ) : (
          url === "" && <Text size="sm">Nothing was asked yet.</Text>
        )}
      </div>
    </>
  );
}

/** What is wrong with the URL; null when something else is. */
function mistakeOf({ issues }: Problem): string | null {
  const about = issues.filter(({ path }) => path.at(-1) === "url" || path.length === 0);
  return about.length === 0 ? null : about.map(({ message }) => message).join("; ");
}
