import { Fieldset, Stack, Text, TextInput } from "@mantine/core";
import { Described } from "../forms/described.js";
import { useFields } from "../forms/form.js";
import type { FieldProps } from "../forms/input-fields.js";
import { valueAt } from "../forms/values.js";
import { CRITICAL_OPTIONS, optionsOf } from "./named-options.js";

const HELP: Readonly<Record<(typeof CRITICAL_OPTIONS)[number], string>> = {
  "force-command": "Runs this command instead of any other. Empty for none.",
  "source-address":
    "Lets in only from these addresses and networks, with commas between them. Empty for all.",
};

/** The restrictions of a user certificate. */
export function CriticalOptionsField({ field, path }: FieldProps) {
  const form = useFields();
  const options = optionsOf(valueAt(form.values, path));
  const set = (name: string, value: string) => {
    const others = options.filter((option) => option.name !== name);
    form.setFieldValue(path, value === "" ? others : [...others, { name, value }]);
  };
  return (
    <Fieldset legend="Restrictions" data-path={path}>
      <Stack gap="sm">
        <Text size="sm">
          <Described text={field.description} />
        </Text>
        {form.errors[path] && <Text c="var(--mantine-color-error)">{form.errors[path]}</Text>}
        {CRITICAL_OPTIONS.map((name) => {
          const index = options.findIndex((option) => option.name === name);
          const place = `${path}.${index}`;
          return (
            <TextInput
              key={name}
              label={name}
              description={HELP[name]}
              styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
              autoComplete="off"
              spellCheck={false}
              value={options[index]?.value ?? ""}
              error={
                form.errors[place] ?? form.errors[`${place}.value`] ?? form.errors[`${place}.name`]
              }
              onChange={(event) => set(name, event.currentTarget.value)}
            />
          );
        })}
      </Stack>
    </Fieldset>
  );
}
