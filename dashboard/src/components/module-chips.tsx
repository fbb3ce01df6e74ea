import { Badge, Group } from "@mantine/core";
import { words } from "../words.js";

interface ModuleChipsProps {
  /** What has modules: a resource of which some fields are modules. */
  readonly owner: object;
}

/** The modules of an edge, a route or an endpoint configuration. Disabled ones are hollow. */
export function ModuleChips({ owner }: ModuleChipsProps) {
  return (
    <Group gap={4}>
      {modulesOf(owner).map(({ name, enabled }) => (
        <Badge
          key={name}
          variant={enabled ? "light" : "outline"}
          color={enabled ? "blue" : "gray"}
          title={enabled ? "Enabled" : "Disabled"}
          tt="none"
        >
          {words(name)}
          {!enabled && " (off)"}
        </Badge>
      ))}
    </Group>
  );
}

/** The modules that are set, in the order of the fields. */
function modulesOf(owner: object): { name: string; enabled: boolean }[] {
  return Object.entries(owner).flatMap(([name, value]) =>
    isModule(value) ? [{ name, enabled: value.enabled }] : [],
  );
}

function isModule(value: unknown): value is { enabled: boolean } {
  if (typeof value !== "object" || value === null) return false;
  if (!("__typename" in value) || !("enabled" in value)) return false;
  return String(value.__typename).endsWith("Module") && typeof value.enabled === "boolean";
}
