import { Stack, Text, Title } from "@mantine/core";
import { useSearchParams } from "react-router";
import { useTitle } from "../shell/title.js";
import { RouteQuestion } from "./route-question.js";

/** Which route serves a URL, which is in the query: `/resolve?url=…`. */
export function RouteQuestionPage() {
  const [params, setParams] = useSearchParams();
  const url = params.get("url") ?? "";
  useTitle("Which route?");
  return (
    <Stack maw={1100}>
      <Title order={1}>Which route serves this URL?</Title>
      <Text>
        The edge is found by the hostport, its route by hostname and path. What is shown follows
        every change.
      </Text>
      <RouteQuestion
        key={url}
        url={url}
        onAsk={(next) => setParams(next === "" ? {} : { url: next })}
      />
    </Stack>
  );
}
