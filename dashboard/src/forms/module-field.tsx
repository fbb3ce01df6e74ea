import { Alert, Button, Card, Collapse, Group, Switch, Text } from "@mantine/core";
import { useId, useRef, useState } from "react";
import { words } from "../words.js";
import { Described } from "./described.js";
import { useFocusNext } from "./focus.js";
import { useFields } from "./form.js";
import { type FieldProps, InputFields } from "./input-fields.js";
import { inputType, isValues, valueAt } from "./values.js";

/** A module: a switch whether it acts, and a form for its settings, which are kept while it is off. */
export function ModuleField({ field, path }: FieldProps) {
  const form = useFields();
  const title = useId();
  const place = useRef<HTMLDivElement>(null);
  const focusNext = useFocusNext();
  const [isOpen, setOpen] = useState(false);
  const value = valueAt(form.values, path);
  const isSet = isValues(value);
  const isEnabled = isSet && value.enabled !== false;
  const hasSettings = inputType(field.type).fields.length > 1;
  const name = words(field.name);
  const own = form.errors[path];
  const isWrong = Object.keys(form.errors).some((each) => each.startsWith(`${path}.`));
  const add = () => {
    form.setFieldValue(path, { enabled: true });
    setOpen(true);
    focusNext(() => place.current?.querySelector("input"));
  };
  const remove = () => {
    form.setFieldValue(path, null);
    focusNext(() => place.current?.querySelector("button"));
  };
  return (
    <Card withBorder role="group" aria-labelledby={title} data-path={path} ref={place}>
      <Group justify="space-between" wrap="nowrap" align="start">
        <div>
          <Text fw={600} fz="lg" id={title}>
            {name}
          </Text>
          <Text size="sm">
            <Described text={field.description} />
          </Text>
        </div>
        <Group wrap="nowrap">
          {isSet ? (
            <>
              <Switch
                aria-label={`${name} is enabled`}
                checked={isEnabled}
                onChange={(event) =>
                  form.setFieldValue(`${path}.enabled`, event.currentTarget.checked)
                }
              />
              {hasSettings && (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-expanded={isOpen || isWrong}
                  aria-label={`Settings of ${name}`}
                  onClick={() => setOpen(!isOpen)}
                >
                  Settings
                </Button>
              )}
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                aria-label={`Remove ${name}`}
                onClick={remove}
              >
                Remove
              </Button>
            </>
          ) : (
            <Button variant="default" size="compact-sm" aria-label={`Add ${name}`} onClick={add}>
              Add
            </Button>
          )}
        </Group>
      </Group>
      {own && (
        <Alert color="red" mt="sm">
          {own}
        </Alert>
      )}
      {isSet && hasSettings && (
        // It is open at once, so that what is wrong in it can be focused.
        <Collapse
          expanded={isOpen || isWrong}
          transitionDuration={0}
          keepMountedMode="display-none"
          pt="md"
        >
          <InputFields type={field.type} path={path} without={["enabled"]} />
        </Collapse>
      )}
    </Card>
  );
}
