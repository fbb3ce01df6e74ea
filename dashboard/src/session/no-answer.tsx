import { Button, Center, Stack, Text, Title } from "@mantine/core";
import { useEffect, useRef } from "react";
import { isTemporary, type Problem } from "../api/problems.js";
import { pauseAfter } from "../api/retries.js";
import { CANNOT_ANSWER, ProblemAlert } from "../components/problem-alert.js";

interface NoAnswerProps {
  /** Why the server has not said whether it knows the key. */
  readonly problem: Problem;
  onRetry(): void;
  onForget(): void;
}

/** Asks again until the server says whether it knows the key of the tab. */
export function NoAnswer({ problem, onRetry, onForget }: NoAnswerProps) {
  const failures = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each problem is a failure more
  useEffect(() => {
    failures.current += 1;
    const timer = setTimeout(onRetry, pauseAfter(failures.current));
    return () => clearTimeout(timer);
  }, [problem]);
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack maw={460}>
        <Title order={1} size="h3">
          Edgeplane
        </Title>
        <ProblemAlert
          problem={problem}
          title={isTemporary(problem) ? CANNOT_ANSWER : "The key could not be checked"}
        >
          <Text size="sm">This is tried again until it does.</Text>
        </ProblemAlert>
        <Button variant="default" onClick={onForget}>
          Forget the key
        </Button>
      </Stack>
    </Center>
  );
}
