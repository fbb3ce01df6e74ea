import { Fieldset, Select } from "@mantine/core";
import { words } from "../words.js";
import { Described } from "./described.js";
import { errorAt, useFields } from "./form.js";
import { type FieldProps, InputFields } from "./input-fields.js";
import { inputType, isValues, valueAt } from "./values.js";

/** A choice of which one is given, with the fields of that choice. */
export function OneOfField({ field, path }: FieldProps) {
  const form = useFields();
  const value = valueAt(form.values, path);
  const { fields } = inputType(field.type);
  const chosen = fields.find(({ name }) => isValues(value) && value[name] !== undefined);
  const label = words(field.name);
  return (
    <Fieldset legend={label} data-path={path}>
      <Select
        label={label}
        description={<Described text={field.description} />}
        withAsterisk={field.required ?? false}
        error={chosen ? form.errors[path] : errorAt(form, path)}
        data={fields.map(({ name }) => ({ value: name, label: words(name) }))}
        allowDeselect={false}
        value={chosen?.name ?? null}
        mb={chosen ? "md" : 0}
        onChange={(name) => name !== null && form.setFieldValue(path, { [name]: {} })}
      />
      {chosen && <InputFields type={chosen.type} path={`${path}.${chosen.name}`} />}
    </Fieldset>
  );
}
