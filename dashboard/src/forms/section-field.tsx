import { Fieldset, Switch } from "@mantine/core";
import { words } from "../words.js";
import { Described } from "./described.js";
import { useFields } from "./form.js";
import { type FieldProps, InputFields } from "./input-fields.js";
import { isValues, valueAt } from "./values.js";

/** A part that is there or not, such as the policy by which certificates are managed. */
export function SectionField({ field, path }: FieldProps) {
  const form = useFields();
  const isSet = isValues(valueAt(form.values, path));
  return (
    <Fieldset legend={words(field.name)}>
      <Switch
        mb={isSet ? "md" : 0}
        label={`Set ${words(field.name)}`}
        description={<Described text={field.description} />}
        checked={isSet}
        onChange={(event) => form.setFieldValue(path, event.currentTarget.checked ? {} : null)}
      />
      {isSet && <InputFields type={field.type} path={path} />}
    </Fieldset>
  );
}
