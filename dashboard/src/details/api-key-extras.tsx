import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";

/** What a key was used for. */
export function ApiKeyExtras({ item }: { readonly item: { readonly id: string } }) {
  return (
    <Text>
      The log tells{" "}
      <Anchor component={Link} to={`/changes?actorIds=${item.id}`} inherit>
        what was changed with this key
      </Anchor>
      .
    </Text>
  );
}
