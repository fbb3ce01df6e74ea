import { ActionIcon, Button, Card, Fieldset, Group, Select, Stack, Text } from "@mantine/core";
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useRef } from "react";
import { words } from "../words.js";
import { Described } from "./described.js";
import { useFocusNext } from "./focus.js";
import { errorAt, useFields } from "./form.js";
import { type FieldProps, InputFields } from "./input-fields.js";
import { NumberField } from "./number-field.js";
import { fitsInput, OneReference } from "./reference-field.js";
import { inputType, isValues, valueAt } from "./values.js";

/** A backend that exists, or one that is made along with what refers to it. */
export function BackendReference({ field, path }: FieldProps) {
  const form = useFields();
  const value = valueAt(form.values, path);
  const { fields } = inputType(field.type);
  const kinds = fields.filter(({ name }) => name !== "id");
  const existing = fields.find(({ name }) => name === "id") ?? field;
  const made = kinds.find(({ name }) => isValues(value) && value[name] !== undefined);
  const id = isValues(value) && typeof value.id === "string" ? value.id : null;
  return (
    <Stack gap="xs" data-path={path}>
      <Select
        label="Backend"
        allowDeselect={false}
        data={[
          { value: "id", label: "One that exists" },
          ...kinds.map(({ name }) => ({
            value: name,
            label: `New ${words(name).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`,
          })),
        ]}
        value={made?.name ?? "id"}
        onChange={(name) =>
          name !== null && form.setFieldValue(path, name === "id" ? {} : { [name]: {} })
        }
      />
      {made ? (
        <Card withBorder>
          <InputFields type={made.type} path={`${path}.${made.name}`} />
        </Card>
      ) : (
        <OneReference
          label="Which backend"
          description={<Described text={existing.description} />}
          withAsterisk={field.required ?? false}
          error={errorAt(form, path)}
          from="backend"
          isOffered={fitsInput(field.type)}
          id={id}
          set={(next) => form.setFieldValue(path, next === undefined ? {} : { id: next })}
        />
      )}
    </Stack>
  );
}

/** The children of a backend, in order, with their weights where they have some. */
export function BackendChildren({ field, path }: FieldProps) {
  const form = useFields();
  const value = valueAt(form.values, path);
  const children = Array.isArray(value) ? value : [];
  const isWeighted = field.type === "WeightedChildInput";
  const set = (next: readonly unknown[]) => form.setFieldValue(path, next);
  const [reference] = inputType(field.type).fields;
  const cards = useRef<(HTMLElement | null)[]>([]);
  const addButton = useRef<HTMLButtonElement>(null);
  const focusNext = useFocusNext();
  const move = (one: number, other: number) => {
    set(
      children.map((child, index) =>
        index === one ? children[other] : index === other ? children[one] : child,
      ),
    );
    focusNext(() => cards.current[other]);
  };
  const remove = (index: number) => {
    set(children.filter((_, each) => each !== index));
    focusNext(() => addButton.current);
  };
  const add = () => {
    set([...children, isWeighted ? { backend: {}, weight: 1 } : {}]);
    focusNext(() => cards.current[children.length]);
  };
  return (
    <Fieldset legend={words(field.name)} data-path={path}>
      <Stack>
        <Text size="sm">
          <Described text={field.description} />
        </Text>
        {form.errors[path] && <Text c="var(--mantine-color-error)">{form.errors[path]}</Text>}
        {children.map((_, index) => {
          const place = `${path}.${index}`;
          return (
            <Card
              // Children have no identity but their place.
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              key={index}
              withBorder
              component="section"
              aria-label={`Backend ${index + 1}`}
              tabIndex={-1}
              ref={(card: HTMLElement | null) => {
                cards.current[index] = card;
              }}
            >
              <Group justify="space-between">
                <Text fw={500}>
                  {isWeighted ? `Backend ${index + 1}` : `${index + 1}. to be tried`}
                </Text>
                <Group gap={4}>
                  <ActionIcon
                    variant="subtle"
                    aria-label={`Move backend ${index + 1} up`}
                    disabled={index === 0}
                    onClick={() => move(index, index - 1)}
                  >
                    <ArrowUp size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    aria-label={`Move backend ${index + 1} down`}
                    disabled={index === children.length - 1}
                    onClick={() => move(index, index + 1)}
                  >
                    <ArrowDown size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    aria-label={`Remove backend ${index + 1}`}
                    onClick={() => remove(index)}
                  >
                    <Trash2 size={16} aria-hidden />
                  </ActionIcon>
                </Group>
              </Group>
              {isWeighted && reference ? (
                <>
                  <BackendReference field={reference} path={`${place}.backend`} />
                  <WeightField path={`${place}.weight`} />
                </>
              ) : (
                <BackendReference field={{ ...field, required: true }} path={place} />
              )}
            </Card>
          );
        })}
        <div>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<Plus size={14} aria-hidden />}
            ref={addButton}
            onClick={add}
          >
            Add a backend
          </Button>
        </div>
      </Stack>
    </Fieldset>
  );
}

function WeightField({ path }: { readonly path: string }) {
  const form = useFields();
  const field = inputType("WeightedChildInput").fields.find(({ name }) => name === "weight");
  return (
    <NumberField
      mt="xs"
      label="Weight"
      description={<Described text={field?.description ?? ""} />}
      error={errorAt(form, path)}
      value={valueAt(form.values, path)}
      set={(next) => form.setFieldValue(path, next)}
    />
  );
}
