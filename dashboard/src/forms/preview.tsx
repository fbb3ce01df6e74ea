import { Stack, Text } from "@mantine/core";
import { Differences } from "../components/differences.js";
import { kindOfType } from "../resources/kinds.js";
import type { AppliedChange } from "../resources/resource.js";
import { words } from "../words.js";

/** What saving would do, as the server says. */
export function Preview({ changes }: { readonly changes: readonly AppliedChange[] }) {
  if (changes.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label="What saving would do">
      {changes.map(({ action, type, label, resourceId, differences }, index) => (
        // What would be made has no id yet.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index}>
          <Text size="sm" fw={500}>
            Would be {words(action).toLowerCase()}: {kindOfType(type).singular}{" "}
            {label || resourceId}
          </Text>
          {action === "UPDATED" && <Differences differences={differences} />}
        </div>
      ))}
    </Stack>
  );
}
