import { Code, Group, List, Stack, Text } from "@mantine/core";
import { CopyIcon } from "../components/copy-text.js";
import { ReferenceLink } from "../components/reference-link.js";
import { Time } from "../components/time.js";
import { isValues, type Values } from "../forms/values.js";
import { ENUMS } from "../generated/inputs.js";
import type { Reference } from "../resources/references.js";
import { words } from "../words.js";

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
/** What else is in capitals, such as the country NO, is shown as it is. */
const ENUM_VALUES: ReadonlySet<string> = new Set(
  Object.values(ENUMS).flatMap((values) => values.map(({ name }) => name)),
);
/** Texts that are longer are shown in a block, with a button to copy them. */
const MOST_INLINE = 120;

interface ValueProps {
  /** The name of the field. */
  readonly name: string;
  readonly value: unknown;
}

/** A value of a resource, whatever its shape is. */
export function Value({ name, value }: ValueProps) {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "number") return value.toLocaleString("en");
  if (typeof value === "string") return <TextValue name={name} text={value} />;
  if (Array.isArray(value)) return <ListValue name={name} items={value} />;
  if (!isValues(value)) return "";
  if (isReference(value)) return <ReferenceLink to={value} />;
  return <Parts values={value} />;
}

function TextValue({ name, text }: { readonly name: string; readonly text: string }) {
  if (TIME.test(text)) return <Time at={text} />;
  if (ENUM_VALUES.has(text)) return words(text);
  if (text.length <= MOST_INLINE && !text.includes("\n")) {
    return <span style={{ overflowWrap: "anywhere" }}>{text}</span>;
  }
  return (
    <Group align="start" wrap="nowrap" gap={4}>
      <Code
        block
        mah={200}
        style={{ overflow: "auto", overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}
        tabIndex={0}
        role="region"
        aria-label={words(name)}
      >
        {text}
      </Code>
      <CopyIcon text={text} label={`Copy ${words(name)}`} />
    </Group>
  );
}

function ListValue({ name, items }: { readonly name: string; readonly items: readonly unknown[] }) {
  return (
    <List size="sm" listStyleType={items.length === 1 ? "none" : "disc"}>
      {items.map((item, index) => (
        // Values of a list have no identity but their place.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <List.Item key={index}>
          <Value name={name} value={item} />
        </List.Item>
      ))}
    </List>
  );
}

function Parts({ values }: { readonly values: Values }) {
  const { name, value, weight } = values;
  if (typeof name === "string" && typeof value === "string") {
    return value === "" ? name : `${name}: ${value}`;
  }
  return (
    <Stack gap={2}>
      {Object.entries(values)
        .filter(([key, each]) => key !== "__typename" && each !== null && each !== "")
        .filter(([, each]) => !Array.isArray(each) || each.length > 0)
        .map(([key, each]) => (
          <Group key={key} gap="xs" align="start" wrap="nowrap">
            <Text size="sm" fw={500}>
              {weight !== undefined && key === "backend" ? "To" : words(key)}
            </Text>
            <Text size="sm" component="div">
              <Value name={key} value={each} />
            </Text>
          </Group>
        ))}
    </Stack>
  );
}

function isReference(values: Values): values is Values & Reference {
  return typeof values.id === "string" && typeof values.__typename === "string";
}
