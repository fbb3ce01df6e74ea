import { Checkbox, Fieldset, SimpleGrid, Stack, TagsInput, Text } from "@mantine/core";
import { Described } from "../forms/described.js";
import { errorAt, useFields } from "../forms/form.js";
import type { FieldProps } from "../forms/input-fields.js";
import { valueAt } from "../forms/values.js";
import { DEFAULT_EXTENSIONS, EXTENSIONS, type NamedOption, optionsOf } from "./named-options.js";

/** The permissions of a user certificate: those of OpenSSH as boxes to tick, others as text. */
export function ExtensionsField({ field, path }: FieldProps) {
  const form = useFields();
  const value = valueAt(form.values, path);
  const isDefault = value === undefined || value === null;
  const options = isDefault
    ? DEFAULT_EXTENSIONS.map((name) => ({ name, value: "" }))
    : optionsOf(value);
  const known: readonly string[] = EXTENSIONS;
  const chosen = options.filter(({ name }) => known.includes(name)).map(({ name }) => name);
  const others = options.filter(({ name }) => !known.includes(name));
  const error = errorAt(form, path);
  const set = (names: readonly string[], rest: readonly NamedOption[]) =>
    form.setFieldValue(path, [...names.map((name) => ({ name, value: "" })), ...rest]);
  return (
    <Fieldset legend="Permissions" data-path={path}>
      <Stack gap="sm">
        <Text size="sm">
          <Described text={field.description} />
        </Text>
        <Checkbox.Group
          aria-label="Permissions of OpenSSH"
          value={chosen}
          onChange={(names) => set(names, others)}
        >
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
            {EXTENSIONS.map((name) => (
              <Checkbox key={name} value={name} label={name} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        {options.length === 0 && (
          <Text size="sm">
            None is chosen: the certificate gets {DEFAULT_EXTENSIONS.join(" and ")} all the same.
          </Text>
        )}
        <TagsInput
          label="Other permissions"
          description="Your own, such as role@example.com, or role@example.com=operator with a value."
          value={others.map(({ name, value: own }) => (own === "" ? name : `${name}=${own}`))}
          onChange={(texts) => set(chosen, texts.map(optionOf))}
          error={error}
        />
      </Stack>
    </Fieldset>
  );
}

function optionOf(text: string): NamedOption {
  const [name = "", ...value] = text.split("=");
  return { name, value: value.join("=") };
}
