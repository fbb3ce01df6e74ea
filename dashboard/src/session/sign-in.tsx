import {
  Anchor,
  Button,
  Center,
  Code,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { type FormEvent, useState } from "react";
import { placeOf } from "../api/places.js";
import { isTemporary, type Problem } from "../api/problems.js";
import { CANNOT_ANSWER, ProblemAlert } from "../components/problem-alert.js";

interface SignInProps {
  readonly problem: Problem | null;
  readonly isBusy: boolean;
  onKey(key: string): void;
}

/** Asks for an API key. The page behind it stays in the URL, so it opens once the key is there. */
export function SignIn({ problem, isBusy, onKey }: SignInProps) {
  const [key, setKey] = useState("");
  const trimmed = key.trim();
  const mistake =
    trimmed === "" || /^[\x21-\x7e]+$/.test(trimmed)
      ? null
      : "A key is ASCII without spaces: was it copied whole?";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (trimmed !== "" && !mistake) onKey(trimmed);
  };
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={460}>
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h3">
              Edgeplane
            </Title>
            {problem && (
              <ProblemAlert
                problem={problem}
                title={isTemporary(problem) ? CANNOT_ANSWER : "This key was not accepted"}
              />
            )}
            <PasswordInput
              label="API key"
              description="The server printed one at its first start, unless API_KEY was set."
              placeholder="Paste a key"
              autoComplete="off"
              spellCheck={false}
              autoFocus
              value={key}
              error={mistake}
              onChange={(event) => setKey(event.currentTarget.value)}
            />
            <Button type="submit" loading={isBusy} disabled={trimmed === "" || mistake !== null}>
              Open the dashboard
            </Button>
            <Text size="sm">
              The key stays in this tab until it closes. <Code>edgeplane keys create</Code> makes
              another one. Without a dashboard there are{" "}
              <Anchor href={placeOf("graphql")}>GraphiQL</Anchor> and the{" "}
              <Anchor href={placeOf("docs")}>API reference</Anchor>.
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
