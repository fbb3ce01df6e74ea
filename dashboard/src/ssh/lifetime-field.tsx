import { Fieldset, SegmentedControl, SimpleGrid, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Time } from "../components/time.js";
import { Described } from "../forms/described.js";
import { errorAt, useFields } from "../forms/form.js";
import type { FieldProps } from "../forms/input-fields.js";
import { ValueField } from "../forms/value-field.js";
import { inputType, valueAt } from "../forms/values.js";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

interface Lifetime {
  readonly label: string;
  readonly ms: number;
}

const OF_USERS: readonly Lifetime[] = [
  { label: "1 hour", ms: HOUR_MS },
  { label: "8 hours", ms: 8 * HOUR_MS },
  { label: "24 hours", ms: DAY_MS },
  { label: "7 days", ms: 7 * DAY_MS },
  { label: "30 days", ms: 30 * DAY_MS },
];
const OF_HOSTS: readonly Lifetime[] = [
  { label: "30 days", ms: 30 * DAY_MS },
  { label: "90 days", ms: 90 * DAY_MS },
  { label: "365 days", ms: 365 * DAY_MS },
];
const DEFAULT = "Default";
const CUSTOM = "Custom";

export function UserLifetimeField(props: FieldProps) {
  return <LifetimeField {...props} input="CreateSshUserCertificateInput" lifetimes={OF_USERS} />;
}

export function HostLifetimeField(props: FieldProps) {
  return <LifetimeField {...props} input="CreateSshHostCertificateInput" lifetimes={OF_HOSTS} />;
}

interface LifetimeFieldProps extends FieldProps {
  readonly input: string;
  readonly lifetimes: readonly Lifetime[];
}

/** How long a certificate is valid: from now on for a time, or from one time until another. */
function LifetimeField({ field, path, input, lifetimes }: LifetimeFieldProps) {
  const form = useFields();
  const [choice, setChoice] = useState(DEFAULT);
  const until = valueAt(form.values, path);
  const start = inputType(input).fields.find(({ name }) => name === "validAfter");
  const startPath = path.replace(/validUntil$/, "validAfter");
  const choose = (label: string) => {
    setChoice(label);
    if (label === CUSTOM) return;
    const lifetime = lifetimes.find((each) => each.label === label);
    form.setFieldValue(startPath, undefined);
    form.setFieldValue(path, lifetime && timeIn(lifetime.ms));
  };
  return (
    <Fieldset legend="Lifetime" data-path={path}>
      <Stack gap="sm">
        <SegmentedControl
          aria-label="Lifetime"
          data={[DEFAULT, ...lifetimes.map(({ label }) => label), CUSTOM]}
          value={choice}
          onChange={choose}
          transitionDuration={0}
          style={{ flexWrap: "wrap" }}
        />
        {choice === CUSTOM && start ? (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <ValueField field={start} path={startPath} />
            <ValueField field={field} path={path} />
          </SimpleGrid>
        ) : (
          <>
            <Text size="sm">
              {typeof until === "string" ? (
                <>
                  Until <Time at={until} />.
                </>
              ) : (
                <Described text={field.description} />
              )}
            </Text>
            {errorAt(form, path) && (
              <Text size="sm" c="var(--mantine-color-error)" role="alert">
                {errorAt(form, path)}
              </Text>
            )}
          </>
        )}
      </Stack>
    </Fieldset>
  );
}

function timeIn(ms: number): string {
  return new Date(Math.floor((Date.now() + ms) / 1000) * 1000).toISOString();
}
