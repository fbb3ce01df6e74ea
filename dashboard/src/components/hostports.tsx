import { Code, Group, Text } from "@mantine/core";

const MOST_SHOWN = 3;

/** The first hostports of an edge, and how many more there are. */
export function Hostports({ hostports }: { readonly hostports: readonly string[] }) {
  const more = hostports.length - MOST_SHOWN;
  return (
    <Group gap={4}>
      {hostports.slice(0, MOST_SHOWN).map((hostport) => (
        <Code key={hostport}>{hostport}</Code>
      ))}
      {more > 0 && <Text size="xs">and {more} more</Text>}
    </Group>
  );
}
