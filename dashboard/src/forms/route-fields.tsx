import { Button, Card, Fieldset, Group, Stack, Text } from "@mantine/core";
import { Plus } from "lucide-react";
import { useRef } from "react";
import { Described } from "./described.js";
import { useFocusNext } from "./focus.js";
import { useFields } from "./form.js";
import { type FieldProps, InputFields } from "./input-fields.js";
import { valueAt } from "./values.js";

/** The routes that are made along with their edge, each with its modules. */
export function RouteFields({ field, path }: FieldProps) {
  const form = useFields();
  const value = valueAt(form.values, path);
  const routes = Array.isArray(value) ? value : [];
  const cards = useRef<(HTMLElement | null)[]>([]);
  const addButton = useRef<HTMLButtonElement>(null);
  const focusNext = useFocusNext();
  const add = () => {
    form.setFieldValue(path, [...routes, { matchType: "PATH_PREFIX", match: "/" }]);
    focusNext(() => cards.current[routes.length]);
  };
  const remove = (index: number) => {
    form.setFieldValue(
      path,
      routes.filter((_, each) => each !== index),
    );
    focusNext(() => addButton.current);
  };
  return (
    <Fieldset legend="Routes" data-path={path}>
      <Stack>
        <Text size="sm">
          <Described text={field.description} />
        </Text>
        {routes.map((_, index) => (
          <Card
            // Routes have no identity but their place.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={index}
            withBorder
            component="section"
            aria-label={`Route ${index + 1}`}
            tabIndex={-1}
            ref={(card: HTMLElement | null) => {
              cards.current[index] = card;
            }}
          >
            <Group justify="space-between">
              <Text fw={500}>Route {index + 1}</Text>
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                aria-label={`Remove route ${index + 1}`}
                onClick={() => remove(index)}
              >
                Remove
              </Button>
            </Group>
            <InputFields type={field.type} path={`${path}.${index}`} />
          </Card>
        ))}
        <div>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<Plus size={14} aria-hidden />}
            ref={addButton}
            onClick={add}
          >
            Add a route
          </Button>
        </div>
      </Stack>
    </Fieldset>
  );
}
