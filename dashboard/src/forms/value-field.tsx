import { PasswordInput, Select, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { ENUMS } from "../generated/inputs.js";
import { words } from "../words.js";
import { Described } from "./described.js";
import { errorAt, useFields } from "./form.js";
import { keepsItsValue } from "./help.js";
import type { FieldProps } from "./input-fields.js";
import { NumberField } from "./number-field.js";
import { TextDrop } from "./text-drop.js";
import { valueAt } from "./values.js";

/** Texts of many lines, often from a file. */
const LONG = [
  "caPem",
  "certificatePem",
  "privateKeyPem",
  "idpMetadata",
  "publicKey",
  "value",
  "body",
];
const NOTES = ["metadata"];
const SECRET = ["clientSecret", "secret"];

/** The control of a single value, or of a list of texts. */
export function ValueField({ field, path }: FieldProps) {
  const { name, type, list = false, required = false, description } = field;
  const form = useFields();
  const value = valueAt(form.values, path);
  const common = {
    label: words(name),
    description: <Described text={description} />,
    withAsterisk: required,
    error: errorAt(form, path),
    "data-path": path,
  };
  const set = (next: unknown) => form.setFieldValue(path, next);
  const text = typeof value === "string" ? value : "";

  if (list) {
    const tags = Array.isArray(value) ? value.map(String) : [];
    return (
      <TagsInput
        {...common}
        value={tags}
        onChange={set}
        splitChars={[",", " ", "\n"]}
        clearable={false}
      />
    );
  }
  if (type === "Boolean") {
    const isOn = typeof value === "boolean" ? value : isOnByDefault(description);
    const { withAsterisk: _, ...forSwitch } = common;
    return (
      <Switch
        {...forSwitch}
        checked={isOn}
        onChange={(event) => set(event.currentTarget.checked)}
      />
    );
  }
  if (type === "Int" || type === "UInt32" || type === "Float") {
    return <NumberField {...common} value={value} set={set} hasDecimals={type === "Float"} />;
  }
  if (ENUMS[type]) {
    const data = ENUMS[type].map(({ name }) => ({ value: name, label: words(name) }));
    return (
      <Select
        {...common}
        data={data}
        clearable={!required && !keepsItsValue(description)}
        clearButtonProps={{ "aria-label": `Clear ${common.label}` }}
        value={text || null}
        onChange={(next) => set(next ?? undefined)}
      />
    );
  }
  if (type === "DateTime") {
    return (
      <TextInput
        {...common}
        type="datetime-local"
        step={1}
        value={localOf(text)}
        onChange={(event) => set(isoOf(event.currentTarget.value))}
      />
    );
  }
  const change = {
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => set(event.currentTarget.value),
  };
  if (SECRET.includes(name)) return <PasswordInput {...common} {...change} autoComplete="off" />;
  if (NOTES.includes(name)) return <Textarea {...common} {...change} autosize maxRows={8} />;
  if (LONG.includes(name)) {
    return (
      <TextDrop label={common.label} onText={set}>
        <Textarea
          {...common}
          {...change}
          autosize
          minRows={3}
          maxRows={16}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        />
      </TextDrop>
    );
  }
  return <TextInput {...common} {...change} />;
}

/** The schema says what an absent value means. */
function isOnByDefault(description: string): boolean {
  return /default true/.test(description);
}

/** A time in ISO 8601 as fields for times have it, in the viewer's zone. */
function localOf(time: string): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return "";
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function isoOf(local: string): string | undefined {
  return local === "" ? undefined : new Date(local).toISOString();
}
