import { Button, Card, Fieldset, Group, Stack, Text } from "@mantine/core";
import { Plus } from "lucide-react";
import { Described } from "./described.js";
import { useFields } from "./form.js";
import { type FieldProps, InputFields } from "./input-fields.js";
import { valueAt } from "./values.js";

/** The routes that are made along with their edge, each with its modules. */
export function RouteFields({ field, path }: FieldProps) {
  const form = useFields();
  const value = valueAt(form.values, path);
  const routes = Array.isArray(value) ? value : [];
  return (
    <Fieldset legend="Routes" data-path={path}>
      <Stack>
        <Text size="sm">
          <Described text={field.description} />
        </Text>
        {routes.map((_, index) => (
          // Routes have no identity but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Card key={index} withBorder component="section" aria-label={`Route ${index + 1}`}>
            <Group justify="space-between">
              <Text fw={500}>Route {index + 1}</Text>
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                aria-label={`Remove route ${index + 1}`}
                onClick={() =>
                  form.setFieldValue(
                    path,
                    routes.filter((_, each) => each !== index),
                  )
                }
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
            onClick={() =>
              form.setFieldValue(path, [...routes, { matchType: "PATH_PREFIX", match: "/" }])
            }
          >
            Add a route
          </Button>
        </div>
      </Stack>
    </Fieldset>
  );
}
