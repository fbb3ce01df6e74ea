import { Button, Stack, Text, Title } from "@mantine/core";
import { useRouteError } from "react-router";

/** What is shown where a page fails: the others still work. */
export function Failure() {
  const error = useRouteError();
  return (
    <Stack role="alert" align="start" p="md">
      <Title order={1}>This page failed</Title>
      <Text>{error instanceof Error ? error.message : String(error)}</Text>
      <Text>
        The server may have been updated since this page was opened. Loading it again gets its
        current files.
      </Text>
      <Button onClick={() => location.reload()}>Load again</Button>
    </Stack>
  );
}
