import { ActionIcon, Button, Fieldset, Group, Stack, Text, TextInput } from "@mantine/core";
import { Plus, Trash2 } from "lucide-react";
import { useRef } from "react";
import { words } from "../words.js";
import { Described } from "./described.js";
import { useFocusNext } from "./focus.js";
import { useFields } from "./form.js";
import type { FieldProps } from "./input-fields.js";
import { inputType, isValues, valueAt } from "./values.js";

/** A list of small rows of texts, such as headers with name and value. */
export function NamedValues({ field, path }: FieldProps) {
  const form = useFields();
  const value = valueAt(form.values, path);
  const rows = Array.isArray(value) ? value : [];
  const columns = inputType(field.type).fields;
  const label = words(field.name);
  const names = useRef<(HTMLInputElement | null)[]>([]);
  const addButton = useRef<HTMLButtonElement>(null);
  const focusNext = useFocusNext();
  /** What is wrong with a row is said once, at its first text. */
  const rowError = (index: number, column: number) => {
    const error = form.errors[`${path}.${index}`];
    return column === 0 ? error : Boolean(error);
  };
  const add = () => {
    form.setFieldValue(path, [...rows, Object.fromEntries(columns.map(({ name }) => [name, ""]))]);
    focusNext(() => names.current[rows.length]);
  };
  const remove = (index: number) => {
    form.setFieldValue(
      path,
      rows.filter((_, each) => each !== index),
    );
    focusNext(() => addButton.current);
  };
  return (
    <Fieldset legend={label} data-path={path}>
      <Stack gap="xs">
        <Text size="sm">
          <Described text={field.description} />
        </Text>
        {form.errors[path] && <Text c="var(--mantine-color-error)">{form.errors[path]}</Text>}
        {rows.map((row, index) => (
          // Rows have no identity but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Group key={index} align="start" wrap="nowrap">
            {columns.map(({ name }, column) => (
              <TextInput
                key={name}
                ref={(input) => {
                  if (column === 0) names.current[index] = input;
                }}
                flex={1}
                aria-label={`${words(name)} ${index + 1} of ${label}`}
                placeholder={words(name)}
                value={isValues(row) ? String(row[name] ?? "") : ""}
                error={form.errors[`${path}.${index}.${name}`] ?? rowError(index, column)}
                onChange={(event) =>
                  form.setFieldValue(`${path}.${index}.${name}`, event.currentTarget.value)
                }
              />
            ))}
            <ActionIcon
              variant="subtle"
              color="red"
              size="input-sm"
              aria-label={`Remove ${index + 1} of ${label}`}
              onClick={() => remove(index)}
            >
              <Trash2 size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <div>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<Plus size={14} aria-hidden />}
            aria-label={`Add to ${label}`}
            ref={addButton}
            onClick={add}
          >
            Add
          </Button>
        </div>
      </Stack>
    </Fieldset>
  );
}
